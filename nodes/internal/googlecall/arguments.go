package googlecall

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Arguments is what a call works with: plain data, by name.
type Arguments struct{ data map[string]any }

// check refuses missing arguments and those of the wrong kind.
func (a Arguments) check(act Action) error {
	for _, name := range act.Needs {
		if v := a.data[name]; v == nil || v == "" {
			return fmt.Errorf("the argument %s is missing", name)
		}
	}
	for _, name := range act.Texts {
		if _, ok := a.data[name].(string); !ok && a.data[name] != nil {
			return fmt.Errorf("the argument %s is no text", name)
		}
	}
	for _, name := range act.Lists {
		items, err := list(a.data[name])
		if err != nil {
			return fmt.Errorf("the argument %s %w", name, err)
		}
		if len(items) == 0 && slices.Contains(act.Needs, name) && !a.Many(name) {
			return fmt.Errorf("the argument %s is missing", name)
		}
	}
	return nil
}

// Data returns an argument as it is.
func (a Arguments) Data(name string) any { return a.data[name] }

// Text returns an argument that is a text, "" when it is not there.
func (a Arguments) Text(name string) string {
	s, _ := a.data[name].(string)
	return s
}

// Flag returns an argument that is true or false.
func (a Arguments) Flag(name string) bool {
	b, _ := a.data[name].(bool)
	return b
}

// Number returns an argument that is a whole number.
func (a Arguments) Number(name string) int {
	switch n := a.data[name].(type) {
	case int:
		return n
	case float64:
		return int(n)
	}
	return 0
}

// List returns the texts of an argument that is a text or a list of texts.
func (a Arguments) List(name string) []string {
	out, _ := list(a.data[name])
	return out
}

// Many reports an argument that is a list, so that its result is one, too.
func (a Arguments) Many(name string) bool {
	_, ok := a.data[name].([]any)
	return ok
}

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
				return nil, errors.New("has an item that is no text")
			}
			out[i] = s
		}
		return out, nil
	}
	return nil, errors.New("is neither a text nor a list of texts")
}
