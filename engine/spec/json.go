package spec

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/source"
)

// jsonReader turns one JSON document into a tree with positions.
type jsonReader struct {
	*text
	src    string
	dec    *json.Decoder
	list   *diag.List
	budget *budget
}

// readJSON returns nil after findings.
func readJSON(t *text, b *budget, list *diag.List) *source.Value {
	r := &jsonReader{text: t, src: string(t.data), list: list, budget: b, dec: json.NewDecoder(bytes.NewReader(t.data))}
	r.dec.UseNumber()
	before := list.Len()
	v, err := r.value(0)
	if err == nil {
		err = r.end()
	}
	switch {
	case errors.Is(err, errStop), list.Len() > before:
		return nil
	case err != nil:
		r.syntax(err)
		return nil
	}
	return v
}

// end reports text behind the document.
func (r *jsonReader) end() error {
	start := r.next()
	if _, err := r.dec.Token(); errors.Is(err, io.EOF) {
		return nil
	}
	r.list.Add(ruleSyntax.At(r.at(start), "there is text behind the JSON document").WithHint("Keep one document in a file."))
	return errStop
}

func (r *jsonReader) syntax(err error) {
	offset := len(r.data)
	if se, ok := errors.AsType[*json.SyntaxError](json.Unmarshal(r.data, new(any))); ok {
		err, offset = se, int(se.Offset)-1
	} else if se, ok := errors.AsType[*json.SyntaxError](err); ok {
		offset = int(se.Offset) - 1
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || strings.HasPrefix(err.Error(), "unexpected end") {
		offset = len(r.data)
		err = errors.New("it ends in the middle")
	}
	r.list.Add(ruleSyntax.At(r.at(offset), "the file is not JSON: %s", err).
		WithHint("Check quotes, commas and brackets; comments and trailing commas are not allowed in JSON."))
}

// next returns where the next token begins.
func (r *jsonReader) next() int {
	at := int(r.dec.InputOffset())
	for at < len(r.data) && (isBlank(r.data[at]) || r.data[at] == ',' || r.data[at] == ':') {
		at++
	}
	return at
}

func (r *jsonReader) value(depth int) (*source.Value, error) {
	start := r.next()
	if depth > maxDepth {
		r.list.Add(ruleTooLarge.At(r.at(start), "values are nested more than %d levels deep", maxDepth).WithHint("Flatten the structure."))
		return nil, errStop
	}
	if !r.budget.take(1) {
		r.list.Add(ruleTooLarge.At(r.at(start), "the spec has more than %d values", maxValues).WithHint("Split the spec, or keep data outside of it."))
		return nil, errStop
	}
	token, err := r.dec.Token()
	if err != nil {
		return nil, err
	}
	v := &source.Value{Pos: r.at(start)}
	switch x := token.(type) {
	case json.Delim:
		if x == '{' {
			return v, r.object(v, depth)
		}
		return v, r.array(v, depth)
	case string:
		v.Kind, v.Text, v.Raw = source.String, x, r.src[start:r.dec.InputOffset()]
	case json.Number:
		v.Kind = source.Number
		literal, ok := numberLiteral(x.String())
		if !ok {
			r.list.Add(ruleSyntax.At(v.Pos, "%s is not a number that a program can hold", quoted(x.String())).WithHint("Write a smaller number."))
		}
		v.Text = literal
	case bool:
		v.Kind, v.Bool = source.Bool, x
	}
	return v, nil
}

func (r *jsonReader) array(v *source.Value, depth int) error {
	v.Kind = source.List
	for r.dec.More() {
		item, err := r.value(depth + 1)
		if err != nil {
			return err
		}
		v.Items = append(v.Items, item)
	}
	_, err := r.dec.Token()
	return err
}

func (r *jsonReader) object(v *source.Value, depth int) error {
	v.Kind = source.Map
	seen := map[string]int{}
	for r.dec.More() {
		pos := r.at(r.next())
		token, err := r.dec.Token()
		if err != nil {
			return err
		}
		key, _ := token.(string)
		item, err := r.value(depth + 1)
		if err != nil {
			return err
		}
		if i, twice := seen[key]; twice {
			r.list.Add(ruleDuplicate.At(pos, "the key %q is here twice", key).WithHint("Delete or rename one of the two.").
				WithRelated(v.Fields[i].Pos, "the first %q", key))
			continue
		}
		seen[key] = len(v.Fields)
		v.Fields = append(v.Fields, source.Field{Key: key, Pos: pos, Value: item})
	}
	_, err := r.dec.Token()
	return err
}
