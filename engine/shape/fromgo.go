package shape

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/source"
)

// fromGo makes a tree without positions of plain data.
func fromGo(v any) *source.Value {
	switch v := v.(type) {
	case bool:
		return &source.Value{Kind: source.Bool, Bool: v}
	case string:
		return &source.Value{Kind: source.String, Text: v}
	case []any:
		out := &source.Value{Kind: source.List}
		for _, item := range v {
			out.Items = append(out.Items, fromGo(item))
		}
		return out
	case map[string]any:
		out := &source.Value{Kind: source.Map}
		for _, key := range sortedKeys(v) {
			out.Fields = append(out.Fields, source.Field{Key: key, Value: fromGo(v[key])})
		}
		return out
	case nil:
		return &source.Value{}
	}
	literal, err := json.Marshal(v)
	if err != nil {
		return &source.Value{}
	}
	return &source.Value{Kind: source.Number, Text: string(literal)}
}

// FromSchema makes a shape of a JSON Schema that came at run time, for example of a
// tool of another program. It is read kindly: keywords that are not known are passed
// over, as are patterns and defaults that cannot be used, and references may go to
// any part of the schema itself. Nothing is ever loaded.
func FromSchema(schema map[string]any) (*Shape, error) {
	if p := measure(schema); p != nil {
		return nil, fmt.Errorf("read schema: it %s", p.Message)
	}
	t := tidier{doc: schema, names: map[string]string{}, types: map[string]any{}}
	root := t.schema(schema)
	if t.err != nil {
		return nil, fmt.Errorf("read schema: %w", t.err)
	}
	var list diag.List
	lib := newLibrary(fromGo(t.types), &list, true)
	s := lib.Compile(fromGo(root), &list)
	for _, f := range list.Sorted() {
		if f.Severity == diag.Error {
			return nil, fmt.Errorf("read schema: %s", strings.TrimSpace(f.Message+" "+f.Hint))
		}
	}
	return s, nil
}
