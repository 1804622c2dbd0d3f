package gmail

import (
	"fmt"
	"strings"
)

// arguments is what a call works with: plain data, by name.
type arguments struct{ data map[string]any }

// check refuses arguments of the wrong kind, and missing ones.
func (a arguments) check(act *action) error {
	for _, name := range act.needs {
		if v := a.data[name]; v == nil || v == "" {
			return fmt.Errorf("the argument %s is missing", name)
		}
	}
	for _, name := range []string{"subject", "body", "reply_to", "query"} {
		if v := a.data[name]; v != nil {
			if _, ok := v.(string); !ok {
				return fmt.Errorf("the argument %s is no text", name)
			}
		}
	}
	for _, name := range []string{"id", "to", "cc", "bcc", "add", "remove"} {
		if _, err := list(a.data[name]); err != nil {
			return fmt.Errorf("the argument %s %w", name, err)
		}
	}
	return nil
}

func (a arguments) text(name string) string {
	s, _ := a.data[name].(string)
	return s
}

func (a arguments) flag(name string) bool {
	b, _ := a.data[name].(bool)
	return b
}

func (a arguments) number(name string) int {
	switch n := a.data[name].(type) {
	case int:
		return n
	case float64:
		return int(n)
	}
	return 0
}

// list returns the texts of an argument; check has seen it.
func (a arguments) list(name string) []string {
	out, _ := list(a.data[name])
	return out
}

// many reports an argument that is a list, so that its result is one, too.
func (a arguments) many(name string) bool {
	_, ok := a.data[name].([]any)
	return ok
}

// list reads a text or a list of texts.
func list(v any) ([]string, error) {
	switch v := v.(type) {
	case nil:
		return nil, nil
	case string:
		if strings.TrimSpace(v) == "" {
			return nil, nil
		}
		return []string{v}, nil
	case []any:
		out := make([]string, len(v))
		for i, item := range v {
			s, ok := item.(string)
			if !ok {
				return nil, fmt.Errorf("has an item that is no text")
			}
			out[i] = s
		}
		return out, nil
	}
	return nil, fmt.Errorf("is neither a text nor a list of texts")
}

// validID reports a text that can be the id of a mail: what Gmail gives out.
func validID(id string) bool {
	return id != "" && len(id) <= 100 && strings.Trim(id, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_:") == ""
}
