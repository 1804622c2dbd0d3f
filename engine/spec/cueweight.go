package spec

import (
	"cmp"
	"strconv"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/token"

	"github.com/weft-engine/weft/engine/source"
)

// CUE files are programs, and CUE's evaluator cannot be stopped. So what they may
// compute is estimated first, in values: a reference costs what it refers to, a
// comprehension its body times what it ranges over. A name stands for the heaviest
// field of that name, so the estimate errs on the high side; recursion counts once.

// weigher estimates the CUE files of one spec.
type weigher struct {
	named   map[string][]ast.Expr // what fields, lets and aliases of a name hold
	weights map[string]int
	counts  map[string]int
	ways    map[string]int // alternatives of a name
	series  map[string]bool
	data    int // values of the plain data, which any open field may hold
	number  int // the largest whole number that is written
}

// light reports whether the CUE files are small enough to evaluate.
func (l *loader) light(data *source.Value) bool {
	w := &weigher{
		named: map[string][]ast.Expr{}, weights: map[string]int{}, counts: map[string]int{}, ways: map[string]int{},
		series: map[string]bool{}, data: 1, number: 1,
	}
	if data != nil {
		w.data = countValues(data)
	}
	var first string
	for _, p := range l.parts {
		for _, f := range p.cue {
			w.collect(f)
			first = cmp.Or(first, f.Filename)
		}
	}
	total, ways := 0, map[string]int{}
	for _, p := range l.parts {
		for _, f := range p.cue {
			total = plus(total, w.decls(f.Decls))
			w.branches(f.Decls, nil, ways)
		}
	}
	for _, n := range ways {
		total = plus(total, times(n, wayWeight))
	}
	if total <= maxCUEWeight {
		return true
	}
	l.list.Add(ruleTooLarge.At(begin(first), "the CUE files compute too much: more than %d values, by estimate", maxCUEWeight).
		WithHint("Repeat less: check comprehensions, list.Range, disjunctions and values that are built from each other."))
	return false
}

func countValues(v *source.Value) int {
	n := 1
	for _, item := range v.Items {
		n += countValues(item)
	}
	for _, f := range v.Fields {
		n += countValues(f.Value)
	}
	return n
}

// collect notes what names stand for.
func (w *weigher) collect(f *ast.File) {
	ast.Walk(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Field:
			if name := labelName(n.Label); name != "" && n.Value != nil {
				w.named[name] = append(w.named[name], n.Value)
			}
			if a, ok := n.Value.(*ast.Alias); ok {
				w.named[a.Ident.Name] = append(w.named[a.Ident.Name], a.Expr)
			}
		case *ast.LetClause:
			w.named[n.Ident.Name] = append(w.named[n.Ident.Name], n.Expr)
		case *ast.BasicLit:
			if i, ok := whole(n); ok {
				w.number = max(w.number, i)
			}
		}
		return true
	}, nil)
}

func whole(x ast.Expr) (int, bool) {
	lit, ok := x.(*ast.BasicLit)
	if !ok || lit.Kind != token.INT {
		return 0, false
	}
	i, err := strconv.ParseInt(strings.ReplaceAll(lit.Value, "_", ""), 0, 64)
	if err != nil {
		return maxCUEWeight + 1, true
	}
	return int(min(i, maxCUEWeight+1)), true
}

// plus and times stop above the limit.
func plus(a, b int) int { return min(a+b, maxCUEWeight+1) }

func times(a, b int) int {
	if a != 0 && b > (maxCUEWeight+1)/a {
		return maxCUEWeight + 1
	}
	return a * b
}

func (w *weigher) decls(ds []ast.Decl) int {
	n := 1
	for _, d := range ds {
		switch d := d.(type) {
		case *ast.Field:
			k := w.expr(d.Value)
			if _, pattern := d.Label.(*ast.ListLit); pattern {
				k = times(k, w.fields())
			}
			n = plus(n, k)
		case *ast.EmbedDecl:
			n = plus(n, w.expr(d.Expr))
		case *ast.Comprehension:
			n = plus(n, w.comprehension(d))
		case *ast.LetClause:
			n = plus(n, w.expr(d.Expr))
		case *ast.Alias:
			n = plus(n, w.expr(d.Expr))
		}
	}
	return n
}

// fields estimates how many fields a pattern may match.
func (w *weigher) fields() int { return max(w.data/4, len(w.named)) }

func (w *weigher) comprehension(c *ast.Comprehension) int {
	n := w.expr(c.Value)
	for _, clause := range c.Clauses {
		switch clause := clause.(type) {
		case *ast.ForClause:
			n = plus(times(n, max(w.count(clause.Source), 1)), w.expr(clause.Source))
		case *ast.IfClause:
			n = plus(n, w.expr(clause.Condition))
		case *ast.LetClause:
			n = plus(n, w.expr(clause.Expr))
		}
	}
	return n
}

func (w *weigher) expr(x ast.Expr) int {
	switch x := x.(type) {
	case *ast.BasicLit:
		return 1 + len(x.Value)/32
	case *ast.StructLit:
		return w.decls(x.Elts)
	case *ast.ListLit:
		return w.list(x.Elts)
	case *ast.Interpolation:
		return w.list(x.Elts)
	case *ast.Comprehension:
		return w.comprehension(x)
	case *ast.Ident:
		return w.name(x.Name)
	case *ast.SelectorExpr:
		return w.name(labelName(x.Sel))
	case *ast.IndexExpr:
		return plus(w.expr(x.X), w.expr(x.Index))
	case *ast.SliceExpr:
		return w.expr(x.X)
	case *ast.ParenExpr:
		return w.expr(x.X)
	case *ast.UnaryExpr:
		return w.expr(x.X)
	case *ast.Alias:
		return w.expr(x.Expr)
	case *ast.Ellipsis:
		if x.Type != nil {
			return w.expr(x.Type)
		}
	case *ast.BinaryExpr:
		return w.binary(x)
	case *ast.CallExpr:
		return w.call(x)
	}
	return 1
}

func (w *weigher) list(xs []ast.Expr) int {
	n := 1
	for _, x := range xs {
		n = plus(n, w.expr(x))
	}
	return n
}

// binary also weighs repetition: "x" * 1000.
func (w *weigher) binary(x *ast.BinaryExpr) int {
	a, b := w.expr(x.X), w.expr(x.Y)
	if x.Op == token.MUL && (!isNumber(x.X) || !isNumber(x.Y)) && (w.isSeries(x.X) || w.isSeries(x.Y)) {
		return times(plus(a, b), max(w.largest(x.X), w.largest(x.Y)))
	}
	return plus(a, b)
}

func isNumber(x ast.Expr) bool {
	lit, ok := x.(*ast.BasicLit)
	return ok && (lit.Kind == token.INT || lit.Kind == token.FLOAT)
}

// isSeries reports whether x may be something that can be repeated, a text or a list,
// as far as one can see.
func (w *weigher) isSeries(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.BasicLit:
		return x.Kind == token.STRING
	case *ast.ParenExpr:
		return w.isSeries(x.X)
	case *ast.BinaryExpr:
		return w.isSeries(x.X) || w.isSeries(x.Y)
	case *ast.Ident:
		return w.namesSeries(x.Name)
	case *ast.SelectorExpr:
		return w.namesSeries(labelName(x.Sel))
	case *ast.CallExpr:
		sel, ok := x.Fun.(*ast.SelectorExpr)
		pkg, _ := cmp.Or(sel, &ast.SelectorExpr{}).X.(*ast.Ident)
		return ok && (pkg == nil || pkg.Name != "math")
	case *ast.UnaryExpr:
		return false
	}
	return true
}

func (w *weigher) namesSeries(name string) bool {
	if series, ok := w.series[name]; ok {
		return series
	}
	w.series[name] = false
	series := len(w.named[name]) == 0 && w.data > 1 // plain data may stand under the name
	for _, x := range w.named[name] {
		series = series || w.isSeries(x)
	}
	w.series[name] = series
	return series
}

// largest is the largest number that x can be, as far as one can see.
func (w *weigher) largest(x ast.Expr) int {
	if i, ok := whole(x); ok {
		return i
	}
	if _, ok := x.(*ast.BasicLit); ok {
		return 1
	}
	return w.number
}

// call weighs the functions that make more than they are given.
func (w *weigher) call(x *ast.CallExpr) int {
	n := 1
	for _, a := range x.Args {
		n = plus(n, w.expr(a))
	}
	sel, ok := x.Fun.(*ast.SelectorExpr)
	if !ok {
		return n
	}
	switch labelName(sel.Sel) {
	case "Range":
		return plus(n, w.count(x))
	case "Repeat":
		if len(x.Args) == 2 {
			return times(n, w.largest(x.Args[1]))
		}
	}
	return n
}

// name returns the weight of the heaviest thing of a name. Inside of itself it is 1.
func (w *weigher) name(name string) int {
	if n, ok := w.weights[name]; ok {
		return n
	}
	w.weights[name] = 1
	n := 1
	for _, x := range w.named[name] {
		n = max(n, w.expr(x))
	}
	w.weights[name] = n
	return n
}

// count returns how many items a comprehension finds in x.
func (w *weigher) count(x ast.Expr) int {
	switch x := x.(type) {
	case *ast.ParenExpr:
		return w.count(x.X)
	case *ast.ListLit:
		n := 0
		for _, e := range x.Elts {
			n = plus(n, w.items(e))
		}
		return n
	case *ast.StructLit:
		n := 0
		for _, d := range x.Elts {
			k := 1
			if c, ok := d.(*ast.Comprehension); ok {
				k = w.items(c)
			}
			n = plus(n, k)
		}
		return n
	case *ast.Ident:
		return w.countName(x.Name)
	case *ast.SelectorExpr:
		return w.countName(labelName(x.Sel))
	case *ast.CallExpr:
		return w.countCall(x)
	}
	return w.expr(x)
}

func (w *weigher) items(x ast.Node) int {
	c, ok := x.(*ast.Comprehension)
	if !ok {
		return 1
	}
	n := 1
	if s, ok := c.Value.(*ast.StructLit); ok {
		n = max(n, len(s.Elts))
	}
	for _, clause := range c.Clauses {
		if f, ok := clause.(*ast.ForClause); ok {
			n = times(n, max(w.count(f.Source), 1))
		}
	}
	return n
}

func (w *weigher) countName(name string) int {
	if n, ok := w.counts[name]; ok {
		return n
	}
	w.counts[name] = 1
	n := w.data // plain data may stand under the same name
	for _, x := range w.named[name] {
		n = max(n, w.count(x))
	}
	w.counts[name] = n
	return n
}

func (w *weigher) countCall(x *ast.CallExpr) int {
	sel, ok := x.Fun.(*ast.SelectorExpr)
	if !ok {
		return w.expr(x)
	}
	switch name := labelName(sel.Sel); {
	case name == "Range" && len(x.Args) == 3:
		low, ok := whole(x.Args[0])
		if !ok {
			low = 0
		}
		return max(w.largest(x.Args[1])-low, 1) // a step of 1 or more at most; fractions are for no spec
	case name == "Repeat" && len(x.Args) == 2:
		return times(w.count(x.Args[0]), w.largest(x.Args[1]))
	}
	return w.call(x)
}
