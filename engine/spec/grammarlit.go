package spec

import (
	"errors"
	"fmt"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/token"
)

// structure compiles a struct literal of the schema.
func (g *grammar) structure(x *ast.StructLit) (*rule, error) {
	r := &rule{op: opMap, want: "a map"}
	var embedded []*rule
	for _, d := range x.Elts {
		switch d := d.(type) {
		case *ast.Ellipsis:
			r.open = true
		case *ast.EmbedDecl:
			e, err := g.expr(d.Expr)
			if err != nil {
				return nil, err
			}
			embedded = append(embedded, e)
		case *ast.Field:
			if err := g.entry(r, d); err != nil {
				return nil, err
			}
		case *ast.CommentGroup:
		default:
			return nil, fmt.Errorf("%T in a struct is not understood", d)
		}
	}
	r.setIndex()
	for _, e := range embedded {
		joined, err := both(e, r)
		if err != nil {
			return nil, err
		}
		r = joined
	}
	return r, nil
}

// entry adds one field or pattern to r.
func (g *grammar) entry(r *rule, d *ast.Field) error {
	value, err := g.expr(d.Value)
	if err != nil {
		return fmt.Errorf("%s: %w", labelName(d.Label), err)
	}
	if want := attribute(d, "want"); want != "" {
		named := *value
		named.want = want
		value = &named
	}
	r.texts = r.texts || value.texts
	if label, ok := d.Label.(*ast.ListLit); ok {
		return g.patternEntry(r, label, value)
	}
	f := field{name: labelName(d.Label), doc: comment(d), required: d.Constraint == token.NOT, rule: value}
	if f.name == "" || d.Constraint == token.ILLEGAL {
		return errors.New("a field must be optional or required")
	}
	for _, tag := range []string{"type", "backend"} {
		if hasAttribute(d, tag) {
			f.tag = tag
		}
	}
	r.fields = append(r.fields, f)
	return nil
}

func (g *grammar) patternEntry(r *rule, label *ast.ListLit, value *rule) error {
	if len(label.Elts) != 1 {
		return errors.New("a pattern has one expression")
	}
	key, err := g.expr(label.Elts[0])
	if err != nil {
		return err
	}
	if key.op != opScalar || key.re == nil {
		return errors.New("a pattern must be a regular expression")
	}
	r.patterns = append(r.patterns, pattern{re: key.re, want: key.want, rule: value})
	return nil
}

// list compiles a list literal of the schema.
func (g *grammar) list(x *ast.ListLit) (*rule, error) {
	r := &rule{op: opList}
	for _, e := range x.Elts {
		dots, ok := e.(*ast.Ellipsis)
		if !ok {
			item, err := g.expr(e)
			if err != nil {
				return nil, err
			}
			r.prefix, r.texts = append(r.prefix, item), r.texts || item.texts
			continue
		}
		r.rest = anything
		if dots.Type != nil {
			rest, err := g.expr(dots.Type)
			if err != nil {
				return nil, err
			}
			r.rest, r.texts = rest, r.texts || rest.texts
		}
	}
	r.want = "a list"
	return r, nil
}
