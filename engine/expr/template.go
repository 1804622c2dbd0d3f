package expr

import (
	"fmt"
	"strings"

	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/shape"
	"github.com/weft-engine/weft/engine/source"
)

// piece writes one part of a template.
type piece func(m *machine, w *writer) error

// builder compiles a template.
type builder struct {
	site
	src     *source.Value
	text    string
	tags    []tag
	next    int // of tags
	pos     int // how far text is read
	depth   int
	refs    []Ref
	tainted []Ref
	parts   []string // names of the texts that are included
	inside  []string // names of the texts that this one is included in, itself last
	volume  *int     // bytes that are included
	broken  bool
}

// block is the tag that ends a part of a template.
type block struct {
	tag  tag
	word string
	at   int    // of what follows the word
	rest string // what follows the word
}

func (b *builder) report(at int, message, hint string) {
	b.broken = true
	f := ruleText.At(b.loc.At(at), "%s", message)
	if hint != "" {
		f = f.WithHint("%s", hint)
	}
	b.list.Add(f)
}

// template compiles the whole text.
func (b *builder) template() []piece {
	pieces, end := b.pieces()
	for end != nil {
		b.unexpected(end)
		var more []piece
		more, end = b.pieces()
		pieces = append(pieces, more...)
	}
	return pieces
}

// pieces compiles up to a tag that ends or continues a block, nil at the end of text.
func (b *builder) pieces() (out []piece, end *block) {
	for b.next < len(b.tags) {
		t := b.tags[b.next]
		b.next++
		out = b.literal(out, t.start)
		b.pos = t.end
		switch t.kind {
		case '{':
			out = append(out, b.insertion(t))
		case '#':
			out = append(out, func(_ *machine, w *writer) error { w.tagged = true; return nil })
		default:
			p, end := b.block(t)
			if end != nil {
				return out, end
			}
			out = append(out, p)
		}
	}
	return b.literal(out, len(b.text)), nil
}

func (b *builder) literal(out []piece, end int) []piece {
	if b.pos >= end {
		return out
	}
	c := newChunk(b.text[b.pos:end])
	b.pos = end
	return append(out, func(_ *machine, w *writer) error { return w.chunk(&c) })
}

// expr compiles an expression of a tag.
func (b *builder) expr(at int, text string) *Expr {
	x := b.compile(snippet{b.src, at, text})
	b.refs = append(b.refs, x.refs...)
	b.broken = b.broken || x.broken
	return x
}

func (b *builder) insertion(t tag) piece {
	x := b.expr(t.from, b.text[t.from:t.to])
	b.tainted = append(b.tainted, x.tainted...)
	if b.lenient {
		return b.placeholder(x)
	}
	return func(m *machine, w *writer) error {
		v, err := x.raw(m)
		if err != nil {
			return err
		}
		s, err := m.textOf(v)
		if err == nil {
			err = w.insert(s)
		}
		if err != nil {
			return x.locate(blame(x.op.from, "", err))
		}
		return nil
	}
}

// block compiles a block that begins at t, or returns t as the end of another.
func (b *builder) block(t tag) (piece, *block) {
	inner := b.text[t.from:t.to]
	trimmed := strings.TrimLeft(inner, " \t\r\n")
	word := trimmed[:len(trimmed)-len(strings.TrimLeft(trimmed, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-"))]
	head := &block{tag: t, word: word, at: t.from + len(inner) - len(trimmed) + len(word), rest: trimmed[len(word):]}
	switch word {
	case "if", "for":
		return b.nested(head), nil
	case "include":
		return b.include(head), nil
	case "elif", "else", "endif", "endfor":
		return nil, head
	}
	hint := "The tags are if, elif, else, endif, for, endfor and include."
	switch {
	case strings.HasPrefix(word, "-") || strings.HasSuffix(word, "-"):
		hint = "Remove the hyphen: a line that is empty but for its tags disappears by itself."
	case word == "elseif" || word == "elsif":
		hint = "Write elif."
	case word == "end":
		hint = "Write endif or endfor."
	default:
		if near := diag.Nearest(word, []string{"if", "elif", "else", "endif", "for", "endfor", "include"}); near != "" {
			hint = fmt.Sprintf("Did you mean %q?", near)
		}
	}
	b.report(t.start, fmt.Sprintf("unknown tag %q", strings.TrimSpace(inner)), hint)
	return func(*machine, *writer) error { return errBroken }, nil
}

func (b *builder) nested(head *block) piece {
	b.depth++
	defer func() { b.depth-- }()
	if b.depth > maxBlocks {
		b.broken = true
		b.list.Add(ruleTooLarge.At(b.loc.At(head.tag.start), "the blocks nest more than %d levels deep", maxBlocks).
			WithHint("Split the template."))
		b.next, b.pos = len(b.tags), len(b.text)
		return func(*machine, *writer) error { return errBroken }
	}
	if head.word == "if" {
		return b.conditional(head)
	}
	return b.loop(head)
}

func (b *builder) unexpected(end *block) {
	hint := "Remove it, or open the block before it."
	switch end.word {
	case "else", "elif":
		hint = "It belongs into {% if … %} … {% endif %}."
	case "endif":
		hint = "Remove it, or write {% if … %} before it."
	case "endfor":
		hint = "Remove it, or write {% for x in … %} before it."
	}
	b.report(end.tag.start, fmt.Sprintf("there is no block that {%% %s %%} belongs to", end.word), hint)
}

// branch is one part of an if: without a condition the else.
type branch struct {
	test func(m *machine) (bool, error)
	body []piece
}

func (b *builder) conditional(head *block) piece {
	var branches []branch
	for cur := head; ; {
		br := branch{}
		if cur.word != "else" {
			br.test = b.test(cur)
		} else if !isBlank(cur.rest) {
			b.report(cur.tag.start, "else takes no condition", "Write {% elif … %}.")
		}
		body, end := b.pieces()
		br.body = body
		branches = append(branches, br)
		switch {
		case end == nil:
			b.report(head.tag.start, "the block {% if %} is not closed", "Close it with {% endif %}.")
			return choose(branches)
		case end.word == "endif":
			return choose(branches)
		case end.word == "endfor":
			b.report(end.tag.start, "{% endfor %} closes no {% for %}: an {% if %} is still open", "Close the if with {% endif %} first.")
			return choose(branches)
		case cur.word == "else":
			b.report(end.tag.start, fmt.Sprintf("{%% %s %%} follows {%% else %%}", end.word), "Put the else last.")
		}
		cur = end
	}
}

// test is what an if goes by: any value will do.
func (b *builder) test(head *block) func(m *machine) (bool, error) {
	x := b.expr(head.at, head.rest)
	if b.lenient {
		return func(m *machine) (bool, error) { return x.holds(m), nil }
	}
	if x.op.cond != nil {
		return x.check
	}
	return func(m *machine) (bool, error) {
		v, err := x.raw(m)
		return Truthy(v) && err == nil, err
	}
}

func choose(branches []branch) piece {
	return func(m *machine, w *writer) error {
		w.tagged = true
		for _, br := range branches {
			if br.test != nil {
				if ok, err := br.test(m); err != nil {
					return err
				} else if !ok {
					continue
				}
			}
			if err := write(br.body, m, w); err != nil {
				return err
			}
			break
		}
		w.tagged = true
		return nil
	}
}

func write(pieces []piece, m *machine, w *writer) error {
	for _, p := range pieces {
		if err := p(m, w); err != nil {
			return err
		}
	}
	return nil
}

func (b *builder) loop(head *block) piece {
	names, at, ok := b.loopHead(head)
	x := brokenExpr(b.src)
	if ok {
		x = b.expr(at, b.text[at:head.tag.to])
	}
	key, elem := b.loopTypes(x)
	slot := len(b.locals)
	for i, name := range names {
		t := elem
		if len(names) == 2 && i == 0 {
			t = key
		}
		b.locals = append(b.locals, local{name: name, slot: slot + i, loop: t})
	}
	body, end := b.pieces()
	b.locals = b.locals[:slot]
	switch {
	case end == nil:
		b.report(head.tag.start, "the block {% for %} is not closed", "Close it with {% endfor %}.")
	case end.word == "else" || end.word == "elif":
		b.report(end.tag.start, fmt.Sprintf("{%% %s %%} stands in a {%% for %%}", end.word), "Close the for with {% endfor %} first, or open an {% if %} inside.")
	case end.word == "endif":
		b.report(end.tag.start, "{% endif %} closes no {% if %}: a {% for %} is still open", "Close the for with {% endfor %} first.")
	}
	l := &loopPiece{x: x, slot: slot, pair: len(names) == 2, body: body, lenient: b.lenient}
	return l.write
}

// loopHead reads "x in" or "i, x in", and returns where the expression begins.
func (b *builder) loopHead(head *block) (names []string, at int, ok bool) {
	rest := head.rest
	i := indexWord(rest, "in")
	if i < 0 {
		b.report(head.tag.start, "the for does not say what it goes over", "Write {% for x in list %} or {% for key, value in object %}.")
		return nil, 0, false
	}
	for name := range strings.SplitSeq(rest[:i], ",") {
		name = strings.TrimSpace(name)
		if !isName(name) {
			b.report(head.tag.start, fmt.Sprintf("%q is no name for what the for goes over", name), "Use letters, digits and underscores.")
			return nil, 0, false
		}
		names = append(names, name)
	}
	if len(names) > 2 || len(names) == 2 && names[0] == names[1] {
		b.report(head.tag.start, "a for has one name, or two different ones", "Write {% for x in list %} or {% for key, value in object %}.")
		return nil, 0, false
	}
	return names, head.at + i + len("in"), true
}

func indexWord(s, word string) int {
	for i := range s {
		if hasWord(s, i, word) {
			return i
		}
	}
	return -1
}

var reserved = map[string]bool{"true": true, "false": true, "nil": true, "in": true, "not": true, "and": true, "or": true, "let": true, "if": true, "else": true}

func isName(s string) bool {
	for i, r := range s {
		if r >= 0x80 || !isWord(byte(r)) || i == 0 && r >= '0' && r <= '9' {
			return false
		}
	}
	return s != "" && !reserved[s]
}

func (b *builder) loopTypes(x *Expr) (key, elem *shape.Type) {
	switch kindOf(x.op.typ) {
	case shape.Any:
		return anyType, untrustedIf(x.op.typ.Untrusted, anyType)
	case shape.Null:
		return anyType, anyType
	case shape.List:
		return intType, elemOf(x.op.typ)
	case shape.Object:
		return stringType, elemOf(x.op.typ)
	default:
	}
	if !x.broken {
		b.broken = true
		b.list.Add(ruleType.At(x.pos(x.op.from), "a for goes over a list or an object, but this is %s", describe(x.op.typ)).
			WithHint("Give a list or an object."))
	}
	return anyType, anyType
}

// loopPiece is a for.
type loopPiece struct {
	x    *Expr
	slot int
	pair bool // the key is wanted too
	body []piece

	lenient bool // what is no list has no items
}

func (l *loopPiece) write(m *machine, w *writer) error {
	w.tagged = true
	v, err := l.x.raw(m)
	if err != nil && !l.lenient {
		return err
	}
	switch v := v.(type) {
	case nil:
	case []any:
		for i, item := range v {
			if err := l.once(m, w, i, item); err != nil {
				return err
			}
		}
	case map[string]any:
		for _, k := range sortedKeys(v) {
			if err := l.once(m, w, k, v[k]); err != nil {
				return err
			}
		}
	default:
		if l.lenient {
			return nil
		}
		return l.x.locate(failAt(l.x.op.from, "a for goes over a list or an object, but this is %s", describeValue(v)))
	}
	return nil
}

func (l *loopPiece) once(m *machine, w *writer, key, item any) error {
	if err := m.spend(1 + len(l.body)); err != nil {
		return l.x.locate(blame(l.x.op.from, "the loop", err))
	}
	slot := l.slot
	if l.pair {
		m.setVar(slot, key)
		slot++
	}
	m.setVar(slot, canonical(item))
	w.tagged = true
	if err := write(l.body, m, w); err != nil {
		return err
	}
	w.tagged = true
	return nil
}
