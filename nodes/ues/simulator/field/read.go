package field

import "github.com/weft-engine/weft/nodes/ues/simulator/ordered"

// Reader reads the fields of one object and collects what is wrong with them. It is made
// by Read, ReadQuery and Model. Fields that nobody asks for are ignored.
type Reader struct {
	find  func(name string) (any, bool)
	doc   *ordered.Map // what a missing field's error shows; nil for a query
	place Place
}

// Place is where a value stands; a Type reports there what is wrong with it.
type Place struct {
	up    *Place // nil at the root
	loc   []any  // the location of the root
	name  string
	index int
	list  bool // index counts, not name
	errs  *[]Error
}

// Type turns a JSON value into a T, or reports at a place why it cannot (the result then
// does not matter).
type Type[T any] func(v any, at *Place) T

// Read reads the members of an object; locations begin with loc.
func Read(doc *ordered.Map, loc ...any) *Reader {
	return &Reader{find: doc.Get, doc: doc, place: Place{up: &Place{loc: loc, errs: new([]Error)}}}
}

// ReadQuery reads the parameters of a query string; locations begin with "query".
func ReadQuery(find func(name string) (string, bool)) *Reader {
	return &Reader{
		find: func(name string) (any, bool) {
			s, ok := find(name)
			return s, ok
		},
		place: Place{up: &Place{loc: []any{"query"}, errs: new([]Error)}},
	}
}

// Errors are the errors so far, in the order of the calls.
func (r *Reader) Errors() []Error { return *r.place.root().errs }

// Fail reports an error of a custom rule at a field, or at the object itself when the
// name is empty.
func (r *Reader) Fail(name, text string, input any) {
	r.place.name = name
	at := &r.place
	if name == "" {
		at = r.place.up
	}
	at.report(Wrong(text, input))
}

// Need reads a field that must be there.
func Need[T any](r *Reader, name string, t Type[T]) T {
	r.place.name = name
	v, ok := r.find(name)
	if !ok {
		var none T
		e := Error{Type: "missing", Msg: "Field required"}
		if r.doc != nil {
			e.Input = r.doc
		}
		r.place.report(e)
		return none
	}
	return t(v, &r.place)
}

// Or reads a field that has a default; null is no value for it.
func Or[T any](r *Reader, name string, t Type[T], absent T) T {
	v, ok := r.find(name)
	if !ok {
		return absent
	}
	r.place.name = name
	return t(v, &r.place)
}

// Maybe reads a field that may be absent or null, both of which give nil.
func Maybe[T any](r *Reader, name string, t Type[T]) *T {
	v, ok := r.find(name)
	if !ok || v == nil {
		return nil
	}
	r.place.name = name
	x := t(v, &r.place)
	return &x
}

// MaybeOr reads a field that may be absent or null, both of which give the default.
func MaybeOr[T any](r *Reader, name string, t Type[T], absent T) T {
	v, ok := r.find(name)
	if !ok || v == nil {
		return absent
	}
	r.place.name = name
	return t(v, &r.place)
}

// Fail reports what is wrong at the place. The ctx may be left out.
func (p *Place) Fail(kind, msg string, input any, ctx ...ordered.Member) {
	p.report(Error{Type: kind, Msg: msg, Input: input, Ctx: ctx})
}

// Inside is the place of a part of a value, such as a branch of a union.
func (p *Place) Inside(name string) *Place { return &Place{up: p, name: name} }

// Item is the place of an item of a list.
func (p *Place) Item(i int) *Place { return &Place{up: p, index: i, list: true} }

// Refuse reports that a custom rule is broken: "Value error, " and the text.
func (p *Place) Refuse(text string, input any) { p.report(Wrong(text, input)) }

func (p *Place) report(e Error) {
	e.Loc = append(p.path(0), e.Loc...)
	root := p.root()
	*root.errs = append(*root.errs, e)
}

func (p *Place) root() *Place {
	for p.up != nil {
		p = p.up
	}
	return p
}

// path is the location of the place, with room for more.
func (p *Place) path(more int) []any {
	if p.up == nil {
		return append(make([]any, 0, len(p.loc)+more), p.loc...)
	}
	loc := p.up.path(more + 1)
	if p.list {
		return append(loc, p.index)
	}
	return append(loc, p.name)
}

// count is the number of errors so far.
func (p *Place) count() int { return len(*p.root().errs) }
