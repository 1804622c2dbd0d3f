package shape

import (
	"maps"
	"net/url"
	"strings"

	"github.com/weft-engine/weft/engine/source"
)

// exporter turns schemas as written into plain data.
type exporter struct {
	ref  func(name string) string
	drop map[string]bool // keywords to leave out
	used map[string]bool // names referred to, when not nil
}

// forValidator writes schemas as the validator reads them.
var forValidator = exporter{
	ref:  func(name string) string { return typesURL + "#" + locator("$defs", name) },
	drop: annotations,
}

// locator is a JSON pointer as a validator's location has it.
func locator(tokens ...string) string {
	var b strings.Builder
	for _, t := range tokens {
		b.WriteString("/" + url.PathEscape(escape(t)))
	}
	return b.String()
}

func (l *Library) definitions(names []string, e exporter) map[string]any {
	defs := make(map[string]any, len(names))
	for _, name := range names {
		defs[name] = true
		if n := l.types[name]; !n.bad {
			defs[name] = export(n.src, e)
		}
	}
	return defs
}

// export returns a schema as plain data.
func export(v *source.Value, e exporter) any {
	if v.Kind != source.Map {
		return v.Go()
	}
	out := make(map[string]any, len(v.Fields))
	for _, f := range v.Fields {
		if !e.drop[f.Key] {
			out[f.Key] = e.keyword(f)
		}
	}
	return out
}

func (e exporter) keyword(f source.Field) any {
	switch keywords[f.Key] {
	case aSchema:
		return export(f.Value, e)
	case schemaList:
		items := make([]any, len(f.Value.Items))
		for i, item := range f.Value.Items {
			items[i] = export(item, e)
		}
		return items
	case schemaMap, patternMap:
		members := make(map[string]any, len(f.Value.Fields))
		for _, m := range f.Value.Fields {
			members[m.Key] = export(m.Value, e)
		}
		return members
	case reference:
		name := unescape(f.Value.Text[len("#/types/"):])
		if e.used != nil {
			e.used[name] = true
		}
		return e.ref(name)
	default:
		return f.Value.Go()
	}
}

// Schema returns the shape as one self-contained JSON Schema: the types it uses are
// under $defs, and Weft's own annotations are left out. It is for model APIs and
// other programs, so a shape that is only a reference is written out. The same shape
// gives the same data; the caller must not change it.
func (s *Shape) Schema() map[string]any {
	if s == nil || s.root == nil || s.root.bad {
		return map[string]any{}
	}
	s.exportOnce.Do(func() { s.exported = s.lib.standalone(s.root) })
	return s.exported
}

func (l *Library) standalone(root *node) map[string]any {
	e := exporter{drop: private, used: map[string]bool{}, ref: func(name string) string { return "#" + locator("$defs", name) }}
	out := l.inlined(root, e)
	defs := map[string]any{}
	for {
		grown := false
		for _, name := range sortedKeys(e.used) {
			if _, done := defs[name]; !done {
				defs[name], grown = l.exported(name, e), true
			}
		}
		if !grown {
			break
		}
	}
	if len(defs) > 0 {
		out["$defs"] = defs
	}
	return out
}

func (l *Library) exported(name string, e exporter) any {
	n := l.types[name]
	if n == nil || n.bad {
		return true
	}
	return export(n.src, e)
}

// inlined exports a root schema; while it is only a reference, what it refers to
// stands in its place.
func (l *Library) inlined(root *node, e exporter) map[string]any {
	if root.never {
		return map[string]any{"not": map[string]any{}}
	}
	if root.onlyRef() && !root.refTo.bad && root.plain() {
		out := l.inlined(root.refTo, e)
		for _, f := range root.src.Fields {
			if f.Key != "$ref" && !e.drop[f.Key] {
				out[f.Key] = f.Value.Go()
			}
		}
		return out
	}
	out, ok := export(root.src, e).(map[string]any)
	if !ok {
		return map[string]any{}
	}
	return maps.Clone(out)
}

// plain reports whether n has annotations only, beside its $ref.
func (n *node) plain() bool {
	for _, f := range n.src.Fields {
		if f.Key != "$ref" && !annotations[f.Key] {
			return false
		}
	}
	return true
}
