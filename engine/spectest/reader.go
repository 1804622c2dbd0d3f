package spectest

import (
	"slices"
	"strings"
	"time"

	"github.com/weft-engine/weft/engine/build"
	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/source"
)

// reader reads values of a test file and reports what is wrong with them.
type reader struct {
	list *diag.List
}

// fields reports whether v is a map of these fields only. Unknown fields are reported
// and do not count.
func (r *reader) fields(v *source.Value, what string, known ...string) bool {
	if v.Kind != source.Map {
		r.list.Add(wrongType.At(v.Pos, "%s must be a map, not %s", what, kindName(v)).WithHint("Write some of: %s.", strings.Join(known, ", ")))
		return false
	}
	for _, f := range v.Fields {
		if slices.Contains(known, f.Key) {
			continue
		}
		finding := unknownKey.At(f.Pos, "%s has no field %q", what, f.Key)
		if near := diag.Nearest(f.Key, known); near != "" {
			r.list.Add(finding.WithHint("Did you mean %q?", near))
			continue
		}
		r.list.Add(finding.WithHint("Use one of: %s.", strings.Join(known, ", ")))
	}
	return true
}

// items returns the items of a list, none when v is not written or is no list.
func (r *reader) items(v *source.Value, what string) []*source.Value {
	if v == nil {
		return nil
	}
	if v.Kind != source.List {
		r.list.Add(wrongType.At(v.Pos, "%s must be a list, not %s", what, kindName(v)).WithHint("Write [ … ], or one `- …` a line."))
		return nil
	}
	return v.Items
}

// text returns a text, "" when v is not written or is none.
func (r *reader) text(v *source.Value, what string) string {
	if v == nil {
		return ""
	}
	if v.Kind != source.String {
		r.list.Add(wrongType.At(v.Pos, "%s must be text, not %s", what, kindName(v)).WithHint("Put it in quotes."))
		return ""
	}
	return v.Text
}

// truth checks that v, if it is written, is true or false.
func (r *reader) truth(v *source.Value, what string) {
	if v != nil && v.Kind != source.Bool {
		r.list.Add(wrongType.At(v.Pos, "%s must be true or false, not %s", what, kindName(v)).WithHint("Write true or false."))
	}
}

// object returns a map as data, nil when v is not written or is none.
func (r *reader) object(v *source.Value, what string) map[string]any {
	if v == nil {
		return nil
	}
	if v.Kind != source.Map {
		r.list.Add(wrongType.At(v.Pos, "%s must be a map, not %s", what, kindName(v)).WithHint("Write {name: value}."))
		return nil
	}
	out, _ := v.Go().(map[string]any)
	return out
}

// need reports a field that is not there.
func (r *reader) need(v *source.Value, what, key, hint string) bool {
	if v.Has(key) {
		return true
	}
	r.list.Add(missing.At(v.Pos, "%s has no %q", what, key).WithHint("%s", hint))
	return false
}

func kindName(v *source.Value) string {
	switch v.Kind {
	case source.Null:
		return "nothing"
	case source.Bool:
		return "a truth value"
	case source.Number:
		return "a number"
	case source.String:
		return "text"
	case source.List:
		return "a list"
	case source.Map:
	}
	return "a map"
}

// duration returns a duration, 0 when v is none.
func (r *reader) duration(v *source.Value, what string) time.Duration {
	d, err := build.ParseDuration(r.text(v, what))
	if err != nil && v.Kind == source.String {
		r.list.Add(badValue.At(v.Pos, "%s: %v", what, err).WithHint("Write a duration such as 30s, 72h or P3D."))
	}
	return d
}
