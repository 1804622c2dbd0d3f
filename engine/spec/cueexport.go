package spec

import (
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/token"

	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/source"
)

// exporter turns a concrete CUE value into a tree. The twin of a value is what YAML and
// JSON files say at the same place; where there is one, it gives the position.
type exporter struct {
	*loader
	depth int
	full  bool // the limits were reached and reported
}

func (l *loader) export(v cue.Value, twin *source.Value) *source.Value {
	return (&exporter{loader: l}).value(v, twin, diag.Pos{})
}

// value exports v; near is the position of what v is in, for values without one.
func (x *exporter) value(v cue.Value, twin *source.Value, near diag.Pos) *source.Value {
	if d, ok := v.Default(); ok {
		v = d
	}
	out := &source.Value{Pos: x.valuePos(v, near)}
	if !x.room(out.Pos) {
		return out
	}
	x.depth++
	defer func() { x.depth-- }()
	switch kind := v.Kind(); {
	case kind == cue.BoolKind:
		out.Kind = source.Bool
		out.Bool, _ = v.Bool()
	case kind&cue.NumberKind != 0:
		out.Kind, out.Text = source.Number, x.number(v, out.Pos)
	case kind == cue.StringKind:
		out.Kind = source.String
		out.Text, _ = v.String()
		out.Raw, out.Indent = cueRaw(v)
	case kind == cue.ListKind:
		x.list(out, v, twin)
	case kind == cue.StructKind:
		x.fields(out, v, twin)
	case kind == cue.BytesKind:
		x.bytes(out.Pos)
	}
	if twin != nil && twin.Kind == out.Kind {
		out.Pos, out.Raw, out.Indent = twin.Pos, twin.Raw, twin.Indent
	}
	return out
}

func (x *exporter) bytes(pos diag.Pos) {
	x.loader.list.Add(ruleType.At(pos, "bytes cannot stand in a spec").WithHint("Write a text in double quotes."))
}

// room reports whether one more value may be exported.
func (x *exporter) room(pos diag.Pos) bool {
	if x.full {
		return false
	}
	if x.depth <= maxDepth && x.budget.take(1) {
		return true
	}
	x.full = true
	x.loader.list.Add(ruleTooLarge.At(pos, "the CUE files make more than %d values or %d levels", maxValues, maxDepth).WithHint("Compute less."))
	return false
}

func (x *exporter) number(v cue.Value, pos diag.Pos) string {
	data, err := v.MarshalJSON()
	text, ok := numberLiteral(string(data))
	if err != nil || !ok {
		x.loader.list.Add(ruleValue.At(pos, "the number cannot be written as JSON").WithHint("Use a smaller number."))
		return "0"
	}
	return text
}

func (x *exporter) list(out *source.Value, v cue.Value, twin *source.Value) {
	out.Kind = source.List
	it, err := v.List()
	if err != nil {
		return
	}
	for i := 0; it.Next(); i++ {
		var t *source.Value
		if twin != nil && i < len(twin.Items) {
			t = twin.Items[i]
		}
		out.Items = append(out.Items, x.value(it.Value(), t, out.Pos))
	}
}

func (x *exporter) fields(out *source.Value, v cue.Value, twin *source.Value) {
	out.Kind = source.Map
	it, err := v.Fields()
	if err != nil {
		return
	}
	for it.Next() {
		key := it.Selector().Unquoted()
		t := twin.Get(key)
		pos := x.keyPos(it.Value(), out.Pos)
		if t != nil {
			pos = twin.KeyPos(key)
		}
		out.Fields = append(out.Fields, source.Field{Key: key, Pos: pos, Value: x.value(it.Value(), t, pos)})
	}
}

// valuePos is where a value is written, as far as CUE knows.
func (x *exporter) valuePos(v cue.Value, near diag.Pos) diag.Pos {
	pos := v.Pos()
	if f, ok := v.Source().(*ast.Field); ok {
		pos = f.Value.Pos()
	}
	if p := x.cuePos(pos); p.Known() {
		return p
	}
	return near
}

func (x *exporter) keyPos(v cue.Value, near diag.Pos) diag.Pos {
	pos := v.Pos()
	if f, ok := v.Source().(*ast.Field); ok {
		pos = f.Label.Pos()
	}
	if p := x.cuePos(pos); p.Known() {
		return p
	}
	return near
}

// cueRaw returns a string literal as it is written, and the indentation of a
// multi-line one. A computed string has none.
func cueRaw(v cue.Value) (string, int) {
	n := v.Source()
	if f, ok := n.(*ast.Field); ok {
		n = f.Value
	}
	lit, ok := n.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return "", 0
	}
	if !strings.HasPrefix(strings.TrimLeft(lit.Value, "#"), `"""`) {
		return lit.Value, 0
	}
	last := lit.Value[strings.LastIndexByte(lit.Value, '\n')+1:]
	return lit.Value, len(last) - len(strings.TrimLeft(last, " \t"))
}
