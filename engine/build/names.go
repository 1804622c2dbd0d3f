package build

import (
	"strings"

	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/source"
)

// section is one of the spec's sections: definitions by name, in the order written.
type section struct {
	fields []source.Field
	index  map[string]int
	names  []string
}

func newSection(v *source.Value) section {
	s := section{index: map[string]int{}}
	if v == nil {
		return s
	}
	for i, f := range v.Fields {
		s.index[f.Key] = i
		s.names = append(s.names, f.Key)
	}
	s.fields = v.Fields
	return s
}

func (s *section) get(name string) (source.Field, bool) {
	i, ok := s.index[name]
	if !ok {
		return source.Field{}, false
	}
	return s.fields[i], true
}

// Unknown is the finding about a name that nothing has: there is no WHAT called V.
func Unknown(rule diag.Rule, what string, v *source.Value, names []string) diag.Finding {
	f := rule.At(v.Pos, "there is no %s %q", what, v.Text)
	if near := diag.Nearest(v.Text, names); near != "" {
		return f.WithHint("Did you mean %q?", near)
	}
	return f.WithHint("%s", listed(what, names))
}

// listed is the hint that lists what there is.
func listed(what string, names []string) string {
	switch {
	case len(names) == 0:
		return "Define it: the spec has no " + what + " at all."
	case len(names) > 12:
		return "Define it, or use one of those that are defined."
	}
	return "Define it, or use one of: " + strings.Join(names, ", ") + "."
}

// text returns the text of a string value, "" for anything else.
func text(v *source.Value) string {
	if v == nil || v.Kind != source.String {
		return ""
	}
	return v.Text
}

// integer returns a whole number, or dflt when v holds none.
func integer(v *source.Value, dflt int) int {
	if n, ok := v.Go().(int); ok {
		return n
	}
	return dflt
}

// decimal returns a number, 0 when v holds none.
func decimal(v *source.Value) float64 {
	switch n := v.Go().(type) {
	case int:
		return float64(n)
	case float64:
		return n
	}
	return 0
}

// truth returns a boolean, or dflt when v holds none.
func truth(v *source.Value, dflt bool) bool {
	if b, ok := v.Go().(bool); ok {
		return b
	}
	return dflt
}
