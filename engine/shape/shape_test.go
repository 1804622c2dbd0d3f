package shape_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/shape"
	"github.com/weft-engine/weft/engine/source"
)

// tree reads JSON as a positioned tree: the column of a value is its byte offset.
func tree(t testing.TB, text string) *source.Value {
	t.Helper()
	v, err := parse(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

func parse(text string) (*source.Value, error) {
	p := &treeReader{text: text, dec: json.NewDecoder(strings.NewReader(text))}
	p.dec.UseNumber()
	return p.value()
}

type treeReader struct {
	text string
	dec  *json.Decoder
}

func (p *treeReader) next() (json.Token, diag.Pos, error) {
	at := int(p.dec.InputOffset())
	for at < len(p.text) && strings.ContainsRune(" \t\r\n,:", rune(p.text[at])) {
		at++
	}
	tok, err := p.dec.Token()
	return tok, diag.Pos{File: "spec.json", Line: 1, Col: at + 1}, err
}

func (p *treeReader) value() (*source.Value, error) {
	tok, pos, err := p.next()
	if err != nil {
		return nil, err
	}
	v := &source.Value{Pos: pos}
	switch tok := tok.(type) {
	case bool:
		v.Kind, v.Bool = source.Bool, tok
	case json.Number:
		v.Kind, v.Text = source.Number, tok.String()
	case string:
		v.Kind, v.Text = source.String, tok
	case json.Delim:
		return v, p.inside(v, tok)
	}
	return v, nil
}

func (p *treeReader) inside(v *source.Value, open json.Delim) error {
	v.Kind = source.Map
	if open == '[' {
		v.Kind = source.List
	}
	seen := map[string]bool{}
	for p.dec.More() {
		var f source.Field
		if open == '{' {
			tok, pos, err := p.next()
			if err != nil {
				return err
			}
			f.Key, f.Pos = tok.(string), pos
		}
		item, err := p.value()
		if err != nil {
			return err
		}
		switch {
		case open == '[':
			v.Items = append(v.Items, item)
		case !seen[f.Key]:
			seen[f.Key] = true
			f.Value = item
			v.Fields = append(v.Fields, f)
		}
	}
	_, _, err := p.next()
	return err
}

func data(t testing.TB, text string) any {
	t.Helper()
	v, err := source.DecodeJSON([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

func compile(t testing.TB, types, schema string) *shape.Shape {
	t.Helper()
	var list diag.List
	s := shape.NewLibrary(optional(t, types), &list).Compile(tree(t, schema), &list)
	if err := list.Err(); err != nil {
		t.Fatal(err)
	}
	return s
}

func optional(t testing.TB, text string) *source.Value {
	if text == "" {
		return nil
	}
	return tree(t, text)
}

const email = `{"Email": {"type": "object", "required": ["id", "subject"], "additionalProperties": false,
	"properties": {"id": {"type": "string"}, "subject": {"type": "string", "untrusted": true}, "to": {"type": "array", "items": {"type": "string"}}}},
	"Tree": {"type": "object", "properties": {"value": {"type": "integer"}, "children": {"type": "array", "items": {"$ref": "#/types/Tree"}}}},
	"List": {"type": "object", "required": ["head"], "properties": {"head": {"type": "integer"}, "tail": {"anyOf": [{"$ref": "#/types/List"}, {"type": "null"}]}}}}`
