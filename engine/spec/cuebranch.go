package spec

import (
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/token"
)

// Disjunctions that meet at one field multiply: three times `a | b | c` are 27 ways.

// branches adds, for each field that is written out, the product of its alternatives.
func (w *weigher) branches(ds []ast.Decl, path []string, ways map[string]int) {
	for _, d := range ds {
		switch d := d.(type) {
		case *ast.Field:
			label := labelName(d.Label)
			if label == "" {
				label = "*"
			}
			w.branch(d.Value, append(path, label), ways)
		case *ast.EmbedDecl:
			w.branch(d.Expr, path, ways)
		case *ast.Comprehension:
			if s, ok := d.Value.(*ast.StructLit); ok {
				w.branches(s.Elts, path, ways)
			}
		}
	}
}

func (w *weigher) branch(x ast.Expr, path []string, ways map[string]int) {
	if s, ok := x.(*ast.StructLit); ok {
		w.branches(s.Elts, path, ways)
		return
	}
	if n := w.alternatives(x); n > 1 {
		key := strings.Join(path, "\x00")
		ways[key] = times(max(ways[key], 1), n)
	}
}

// alternatives returns how many ways there are to read x.
func (w *weigher) alternatives(x ast.Expr) int {
	switch x := x.(type) {
	case *ast.ParenExpr:
		return w.alternatives(x.X)
	case *ast.UnaryExpr:
		return w.alternatives(x.X)
	case *ast.Ident:
		return w.namedAlternatives(x.Name)
	case *ast.SelectorExpr:
		return w.namedAlternatives(labelName(x.Sel))
	case *ast.BinaryExpr:
		a, b := w.alternatives(x.X), w.alternatives(x.Y)
		if x.Op == token.OR {
			return plus(a, b)
		}
		if x.Op == token.AND {
			return times(a, b)
		}
	}
	return 1
}

func (w *weigher) namedAlternatives(name string) int {
	if n, ok := w.ways[name]; ok {
		return n
	}
	w.ways[name] = 1
	n := 1
	for _, x := range w.named[name] {
		n = max(n, w.alternatives(x))
	}
	w.ways[name] = n
	return n
}
