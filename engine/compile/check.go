package compile

import (
	"slices"
	"strings"
	"sync"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/shape"
	"github.com/weft-engine/weft/engine/source"
)

// check is what written values of a field must fit when it runs, made once a field.
type check struct {
	once  sync.Once
	shape *shape.Shape
}

// checkOf returns what values for the field must fit: the field's own shape, or the
// part of it that its reducer takes. Nil when the reducer itself refuses what is wrong.
func (c *compilation) checkOf(g *graph, f *engine.Field) *shape.Shape {
	k := g.checks[f.Name]
	k.once.Do(func() { k.shape = c.newCheck(g, f) })
	return k.shape
}

func (c *compilation) newCheck(g *graph, f *engine.Field) *shape.Shape {
	def := c.resolve(g.Value.Get("state").Get(f.Name))
	switch f.Reduce {
	case engine.Append, engine.ByID, engine.Union:
		items := def.Get("items")
		if items == nil {
			return nil
		}
		list := object(pair("type", word("array")), pair("items", items))
		return c.spec.Library().Compile(object(pair("anyOf", &source.Value{Kind: source.List, Items: []*source.Value{list, items}})), &diag.List{})
	case engine.Merge:
		return c.spec.Library().Compile(without(def, "required", "default", "minProperties"), &diag.List{})
	case engine.Sum:
		return nil
	case engine.Replace, engine.Min, engine.Max:
	}
	return f.Shape
}

// resolve follows references to the spec's types.
func (c *compilation) resolve(v *source.Value) *source.Value {
	for range 16 {
		name, ok := strings.CutPrefix(text(v.Get("$ref")), "#/types/")
		if !ok || len(v.Fields) > 1 && !v.Has("reduce") {
			return v
		}
		t := c.root.Get("types").Get(name)
		if t == nil {
			return v
		}
		v = t
	}
	return v
}

func object(fields ...source.Field) *source.Value {
	return &source.Value{Kind: source.Map, Fields: fields}
}

func pair(key string, v *source.Value) source.Field { return source.Field{Key: key, Value: v} }

func word(s string) *source.Value { return &source.Value{Kind: source.String, Text: s} }

func without(v *source.Value, keys ...string) *source.Value {
	out := *v
	out.Fields = nil
	for _, f := range v.Fields {
		if !slices.Contains(keys, f.Key) {
			out.Fields = append(out.Fields, f)
		}
	}
	return &out
}

// typeKeywords is the keywords of schemas that types know everything about.
var typeKeywords = map[string]bool{
	"type": true, "enum": true, "title": true, "description": true, "default": true, "reduce": true,
	"untrusted": true, "examples": true, "items": true,
}

// settled reports whether the types alone prove that values fit, so that nothing has
// to be checked when it runs.
func (c *compilation) settled(g *graph, f *engine.Field, got *shape.Type) bool {
	if got == f.Shape.Type() && f.Reduce == engine.Replace {
		return true
	}
	return c.plain(g.Value.Get("state").Get(f.Name), 0)
}

// plain reports whether a schema says nothing that its type does not.
func (c *compilation) plain(v *source.Value, depth int) bool {
	v = c.resolve(v)
	if v == nil || v.Kind != source.Map || depth > 8 {
		return v == nil
	}
	for _, f := range v.Fields {
		if !typeKeywords[f.Key] {
			return false
		}
	}
	if t := v.Get("type"); t != nil && t.Kind == source.String && t.Text == "object" {
		return true // no properties are declared
	}
	return c.plain(v.Get("items"), depth+1)
}
