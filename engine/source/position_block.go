package source

import "strings"

// blockUnit reads the block scalars of YAML: | and >.
func (l *Locator) blockUnit() unit {
	head := strings.IndexByte(l.raw, '\n') + 1
	if head == 0 {
		head = len(l.raw)
	}
	b := block{text: l.v.Text, head: head, indent: l.v.Indent, folded: l.raw[0] == '>'}
	if b.indent <= 0 {
		b.indent = max(margin(l.raw[head:])-margin(b.text), 0)
	}
	return after(head, b.unit)
}

// margin is how far the first line that is not blank is indented.
func margin(s string) int {
	for line := range strings.Lines(s) {
		if text := strings.TrimLeft(line, " "); strings.TrimRight(text, "\r\n") != "" {
			return len(line) - len(text)
		}
	}
	return 0
}

// block reads the lines of a block scalar: their indentation, their text, their end.
type block struct {
	text   string
	head   int
	indent int
	folded bool
}

func (b block) unit(raw string, m mark) (size, n int) {
	if m.at == b.head || raw[m.at-1] == '\n' || raw[m.at-1] == '\r' && raw[m.at] != '\n' {
		for size < b.indent && m.at+size < len(raw) && raw[m.at+size] == ' ' {
			size++
		}
		if size > 0 {
			return size, 0
		}
	}
	if end := strings.IndexAny(raw[m.at:], "\r\n"); end != 0 {
		if end < 0 {
			end = len(raw) - m.at
		}
		return end, end
	}
	return b.lineBreak(raw, m)
}

// lineBreak is a line end. A folded one stands for a space, or it and the blank lines
// behind it for as many line ends as the text has there.
func (b block) lineBreak(raw string, m mark) (size, n int) {
	size = breakSize(raw[m.at:])
	if !b.folded {
		return size, 1
	}
	for m.done+n < len(b.text) && b.text[m.done+n] == '\n' {
		n++
	}
	for {
		rest := raw[m.at+size:]
		next := len(rest) - len(strings.TrimLeft(rest, " \t"))
		k := breakSize(rest[next:])
		if k == 0 {
			return size, max(n, 1)
		}
		size += next + k
	}
}

// breakSize returns how many bytes the line end at the beginning of s has.
func breakSize(s string) int {
	switch {
	case strings.HasPrefix(s, "\r\n"):
		return 2
	case s != "" && (s[0] == '\n' || s[0] == '\r'):
		return 1
	}
	return 0
}

// cueBlockUnit reads CUE's strings of several lines: the line ends next to the quotes
// and the indentation of the closing quotes do not belong to the text.
func cueBlockUnit(raw string, hashes int) unit {
	start := strings.IndexByte(raw, '\n') + 1
	closing := strings.LastIndexByte(raw, '\n') + 1
	indent := raw[closing : closing+len(raw[closing:])-len(strings.TrimLeft(raw[closing:], " \t"))]
	end := max(closing-1, start)
	return after(start, func(raw string, m mark) (size, n int) {
		rest := raw[min(m.at, end):end]
		switch {
		case rest == "":
			return 0, 0
		case indent != "" && raw[m.at-1] == '\n' && strings.HasPrefix(rest, indent):
			return len(indent), 0
		case rest[0] == '\\':
			return escapeUnit(rest, hashes)
		case strings.HasPrefix(rest, "\r\n"):
			return 2, 1
		}
		return 1, 1
	})
}
