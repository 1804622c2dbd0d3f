package expr

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/expr-lang/expr/ast"

	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/shape"
	"github.com/weft-engine/weft/engine/source"
)

// size says how much a value may be beyond the data in scope.
type size uint8

const (
	scalar size = iota // no list and no object
	shared             // parts of the data in scope, each at most as often as it is named
	built              // anything: its parts may repeat without bound
)

// operand is a lowered part of an expression.
type operand struct {
	eval     eval
	cond     cond // the same for what gives true or false
	typ      *shape.Type
	from, to int   // the letters it consists of, as far as known
	place    int   // 1 + its index in places: a name with constant fields
	constant bool  // a literal
	value    any   // of a literal
	tainted  []int // places with untrusted text that went into it
	size     size  // of what it gives
	times    bool  // may contain a time or duration
	fixed    bool  // the same whatever is in scope
}

// place is a name that is read, with its constant fields.
type place struct {
	path  []string
	at    int
	local bool // of a let, a predicate or a loop, not of the environment
}

// local is a name of a let or of a template's loop.
type local struct {
	name string
	slot int
	op   operand // of a let: its value
	loop *shape.Type
}

// lowering turns one syntax tree into closures, and checks it on the way.
type lowering struct {
	snippet
	loc     *source.Locator
	letters []int // where each letter of text begins, nil when all are of one byte
	env     *Env
	list    *diag.List
	locals  []local
	slots   int // in use by the locals of the surrounding template
	pred    []scope
	places  []place
	visits  int
	depth   int
	lenient bool // of a response: any value is true or false
	broken  bool
}

// scope is what # means inside a predicate.
type scope struct {
	elem   operand
	acc    *shape.Type
	hasAcc bool
}

// snippet is the text of an expression and where it is written.
type snippet struct {
	src  *source.Value
	base int // where text begins in the text of src
	text string
}

// pos returns the place of a letter of the text.
func (s *snippet) pos(at int) diag.Pos { return s.src.At(s.base + byteOffset(s.text, at)) }

// pos is that of snippet, made for many places.
func (c *lowering) pos(at int) diag.Pos { return c.loc.At(c.base + c.byteOf(at)) }

// byteOf returns where the nth letter of the text begins.
func (c *lowering) byteOf(at int) int {
	if c.letters == nil {
		return min(max(at, 0), len(c.text))
	}
	return c.letters[min(max(at, 0), len(c.letters)-1)]
}

// letterTable returns where each letter begins, nil when all are of one byte.
func letterTable(text string) []int {
	if utf8.RuneCountInString(text) == len(text) {
		return nil
	}
	out := make([]int, 0, len(text)+1)
	for i := range text {
		out = append(out, i)
	}
	return append(out, len(text))
}

// byteOffset returns where the nth letter of text begins.
func byteOffset(text string, n int) int {
	for i := range text {
		if n <= 0 {
			return i
		}
		n--
	}
	return len(text)
}

func (c *lowering) report(rule diag.Rule, at int, message, hint string) {
	c.broken = true
	f := rule.At(c.pos(at), "%s", message)
	if hint != "" {
		f = f.WithHint("%s", hint)
	}
	c.list.Add(f)
}

// cut returns the text of letters, shortened, as messages quote it.
func (c *lowering) cut(from, to int) string {
	const most = 60
	i := c.byteOf(from)
	text := strings.TrimSpace(c.text[i:max(c.byteOf(to), i)])
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}

func (c *lowering) show(op operand) string { return "`" + c.cut(op.from, op.to) + "`" }

var errBroken = errors.New("the expression has errors")

// nothing stands for a part that has findings: of unknown type, and failing.
func nothing(from, to int) operand {
	return operand{
		eval: func(*machine) (any, error) { return nil, errBroken },
		typ:  anyType, from: from, to: to,
	}
}

func literal(v any, t *shape.Type, n ast.Node) operand {
	return operand{
		eval: func(*machine) (any, error) { return v, nil },
		typ:  t, from: n.Location().From, to: n.Location().To, constant: true, value: v, fixed: true,
	}
}

// lower checks and compiles one node. Syntax trees may share nodes, so it counts its
// own steps.
func (c *lowering) lower(n ast.Node) operand {
	c.visits++
	c.depth++
	defer func() { c.depth-- }()
	if c.visits > maxNodes || c.depth > maxDepth {
		return c.tooLarge(n)
	}
	switch n := n.(type) {
	case *ast.NilNode:
		return literal(nil, nullType, n)
	case *ast.BoolNode:
		op := literal(n.Value, boolType, n)
		op.cond = func(*machine) (bool, error) { return n.Value, nil }
		return op
	case *ast.IntegerNode:
		return literal(n.Value, &shape.Type{Kind: shape.Int, Enum: []any{n.Value}}, n)
	case *ast.FloatNode:
		return literal(n.Value, numberType, n)
	case *ast.StringNode:
		return literal(n.Value, &shape.Type{Kind: shape.String, Enum: []any{n.Value}}, n)
	case *ast.UnaryNode:
		return c.unary(n)
	case *ast.BinaryNode:
		return c.binary(n)
	case *ast.ConditionalNode:
		return c.conditional(n)
	case *ast.ArrayNode:
		return c.array(n)
	case *ast.MapNode:
		return c.object(n)
	case *ast.BuiltinNode:
		return c.call(n.Name, n.Arguments, n)
	case *ast.CallNode:
		return c.callee(n)
	default:
		return c.lowerName(n)
	}
}

// tooLarge reports that there is no end to the tree, once, and stops at n.
func (c *lowering) tooLarge(n ast.Node) operand {
	if c.visits < 2*maxNodes {
		c.report(ruleTooLarge, n.Location().From, fmt.Sprintf("the expression has more than %d parts or %d levels", maxNodes, maxDepth),
			"Split it, or compute parts of it in a node of their own.")
		c.visits = 2 * maxNodes
	}
	return nothing(n.Location().From, n.Location().To)
}

// lowerName is lower for names and what is reached from them.
func (c *lowering) lowerName(n ast.Node) operand {
	switch n := n.(type) {
	case *ast.IdentifierNode:
		return c.identifier(n)
	case *ast.PointerNode:
		return c.pointer(n)
	case *ast.MemberNode:
		return c.member(n)
	case *ast.ChainNode:
		return c.chained(n)
	case *ast.SliceNode:
		return c.slice(n)
	case *ast.VariableDeclaratorNode:
		return c.let(n)
	case *ast.SequenceNode:
		var last operand
		for _, n := range n.Nodes {
			last = c.lower(n)
		}
		return last
	case *ast.PredicateNode:
		return c.lower(n.Node)
	case *ast.BytesNode:
		c.report(ruleType, n.Location().From, "there are no byte strings", "Remove the b before the quote.")
		return nothing(n.Location().From, n.Location().To)
	}
	c.report(ruleSyntax, n.Location().From, "this is not part of the language of expressions", "")
	return nothing(n.Location().From, n.Location().To)
}

// fold computes what is the same in every scope once, here. What fails or is large is left
// to where it is needed.
func (c *lowering) fold(op operand) operand {
	if c.broken {
		op.fixed = false
		return op
	}
	v, err := op.eval(&machine{})
	if err != nil {
		op.fixed = false
		return op
	}
	op.eval = func(*machine) (any, error) { return v, nil }
	return op
}

// sources returns the places of the untrusted text in op.
func (c *lowering) sources(op operand) []int {
	switch {
	case !carries(op.typ):
		return nil
	case op.place > 0:
		return []int{op.place - 1}
	}
	return op.tainted
}

func (c *lowering) timesIn(op operand) bool { return op.times || timed(op.typ) }

// derive makes the operand of something computed from parts, of type t. Untrusted text
// in the parts makes the result untrusted, unless it cannot carry text.
func (c *lowering) derive(t *shape.Type, parts ...operand) operand {
	out := operand{typ: t}
	for i, p := range parts {
		if i == 0 || p.from < out.from {
			out.from = p.from
		}
		out.to = max(out.to, p.to)
		out.tainted = addNew(out.tainted, c.sources(p))
	}
	if len(out.tainted) > 0 && !carries(t) {
		out.typ = untrusted(t)
	}
	switch kindOf(t) {
	case shape.Any, shape.List, shape.Object:
		out.size = shared
		for _, p := range parts {
			out.size = max(out.size, p.size)
			out.times = out.times || c.timesIn(p)
		}
	default:
	}
	return out
}

func addNew(to, from []int) []int {
	for _, i := range from {
		if !slices.Contains(to, i) {
			to = append(to, i)
		}
	}
	return to
}

// condition returns op as a cond. Null counts as false.
func (c *lowering) condition(op operand) cond {
	if op.cond != nil {
		return op.cond
	}
	at, what, run := op.from, c.show(op), op.eval
	if c.lenient {
		return func(m *machine) (bool, error) {
			v, err := run(m)
			return Truthy(v) && err == nil, err
		}
	}
	return func(m *machine) (bool, error) {
		v, err := run(m)
		if err != nil {
			return false, err
		}
		switch v := v.(type) {
		case bool:
			return v, nil
		case nil:
			return false, nil
		}
		return false, failAt(at, "%s is %s, not true or false", what, describeValue(v))
	}
}

// wantBool reports an operand that can never be true or false.
func (c *lowering) wantBool(op operand, where string) {
	if c.lenient {
		return
	}
	switch kindOf(op.typ) {
	case shape.Any, shape.Bool, shape.Null:
	default:
		c.report(ruleType, op.from, fmt.Sprintf("%s wants true or false, but %s is %s", where, c.show(op), describe(op.typ)),
			boolHint(op.typ))
	}
}

func boolHint(t *shape.Type) string {
	switch kindOf(t) {
	case shape.String:
		return `Compare it, for example with == or != "".`
	case shape.List, shape.Object:
		return "Compare its length, for example len(…) > 0."
	case shape.Int, shape.Number:
		return "Compare it, for example with > 0."
	default:
		return "Compare it with something, for example != nil."
	}
}

// truth makes an operand of true or false from parts.
func (c *lowering) truth(f cond, parts ...operand) operand {
	op := c.derive(boolType, parts...)
	op.cond = f
	op.eval = func(m *machine) (any, error) {
		b, err := f(m)
		if err != nil {
			return nil, err
		}
		return b, nil
	}
	return op
}
