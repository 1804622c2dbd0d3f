package source

import "strings"

// blockOffset is rawOffset for the block scalars of YAML: | and >.
func (v *Value) blockOffset(offset int) int {
	head := strings.IndexByte(v.Raw, '\n')
	if head < 0 {
		return len(v.Raw)
	}
	b := block{raw: v.Raw, text: v.Text, at: head + 1, indent: v.Indent, folded: v.Raw[0] == '>'}
	if b.indent <= 0 {
		b.indent = margin(v.Raw[head+1:]) - margin(v.Text)
	}
	return b.find(offset)
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

// block walks the lines of a block scalar and its text side by side.
type block struct {
	raw, text string
	at, done  int // how far in raw and in text
	indent    int
	folded    bool
}

func (b *block) find(offset int) int {
	for b.at < len(b.raw) {
		b.skipIndent()
		end := lineEnd(b.raw, b.at)
		if n := end - b.at; offset <= b.done+n {
			return b.at + offset - b.done
		}
		b.done += end - b.at
		b.at = end
		if !b.lineBreak(offset) {
			break
		}
	}
	return min(b.at, len(b.raw))
}

func (b *block) skipIndent() {
	for n := 0; n < b.indent && b.at < len(b.raw) && b.raw[b.at] == ' '; n++ {
		b.at++
	}
}

func lineEnd(s string, at int) int {
	if n := strings.IndexAny(s[at:], "\r\n"); n >= 0 {
		return at + n
	}
	return len(s)
}

// lineBreak steps over the line end at b.at. A folded one stands for a space, or it
// and the blank lines behind it for as many line ends as the text has there.
func (b *block) lineBreak(offset int) bool {
	b.skipBreak()
	if !b.folded {
		b.done++
		return true
	}
	kept := 0
	for b.done+kept < len(b.text) && b.text[b.done+kept] == '\n' {
		kept++
	}
	for line := 1; ; line++ { // the blank lines behind the first line end
		if line <= kept && b.done+line > offset {
			return false
		}
		next := b.at + len(b.raw[b.at:]) - len(strings.TrimLeft(b.raw[b.at:], " \t"))
		if next >= len(b.raw) || b.raw[next] != '\n' && b.raw[next] != '\r' {
			break
		}
		b.at = next
		b.skipBreak()
	}
	b.done += max(kept, 1)
	return true
}

func (b *block) skipBreak() {
	if strings.HasPrefix(b.raw[b.at:], "\r\n") {
		b.at++
	}
	b.at = min(b.at+1, len(b.raw))
}

// cueBlockOffset is rawOffset for CUE's strings of several lines: the line ends next to
// the quotes and the indentation of the closing quotes do not belong to the text.
func cueBlockOffset(raw string, hashes, offset int) int {
	start := strings.IndexByte(raw, '\n') + 1
	closing := strings.LastIndexByte(raw, '\n') + 1
	indent := raw[closing : closing+len(raw[closing:])-len(strings.TrimLeft(raw[closing:], " \t"))]
	end, done := max(closing-1, start), 0
	for at := start; at < end; {
		at += len(raw[at:]) - len(strings.TrimPrefix(raw[at:], indent))
		for at < end {
			size, n := 1, 1
			switch {
			case raw[at] == '\\':
				size, n = escapeUnit(raw[at:], hashes)
			case strings.HasPrefix(raw[at:], "\r\n"):
				size = 2
			}
			if done+n > offset {
				return at
			}
			lineEnded := raw[at] == '\n' || raw[at] == '\r'
			at, done = at+size, done+n
			if lineEnded {
				break
			}
		}
	}
	return end
}
