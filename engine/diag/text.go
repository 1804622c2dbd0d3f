package diag

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Text prints findings for people: place, message and code, the source line with a
// caret, the hint and the related places. source returns a file's text, nil when it
// is not known. Nothing in a message or a source line can reach the terminal as a
// control sequence, and what reads like a credential is struck out.
func Text(w io.Writer, findings []Finding, source func(file string) []byte) error {
	p := &textPrinter{w: bufio.NewWriter(w), lines: newLines(source)}
	for i, f := range findings {
		if i > 0 {
			p.printf("\n")
		}
		p.finding(f)
	}
	return p.w.Flush()
}

// textPrinter keeps the first error in its writer.
type textPrinter struct {
	w     *bufio.Writer
	lines *lines
}

func (p *textPrinter) printf(format string, args ...any) { _, _ = fmt.Fprintf(p.w, format, args...) }

func (p *textPrinter) finding(f Finding) {
	severity := ""
	if f.Severity == Warning {
		severity = "warning: "
	}
	p.printf("%s%s%s [%s]\n", prefix(f.Pos), severity, clean(f.Message), clean(string(f.Code)))
	p.snippet(f.Pos)
	if f.Hint != "" {
		p.printf("hint: %s\n", clean(f.Hint))
	}
	for _, r := range f.Related {
		p.printf("%s%s\n", prefix(r.Pos), clean(r.Message))
		p.snippet(r.Pos)
	}
}

// prefix is the place at the begin of a line, "" when there is none.
func prefix(p Pos) string {
	if s := clean(p.String()); s != "" {
		return s + ": "
	}
	return ""
}

// snippet prints the source line of p with a caret below.
func (p *textPrinter) snippet(pos Pos) {
	line, ok := p.lines.get(pos)
	if !ok {
		return
	}
	shown, caret := window(concealLine(line), pos.Col-1)
	number := fmt.Sprint(pos.Line)
	p.printf(" %s | %s\n", number, strings.TrimRight(shown, " "))
	p.printf(" %s | %s^\n", strings.Repeat(" ", len(number)), strings.Repeat(" ", caret))
}

// The part of a long line that is shown, in columns.
const (
	windowWidth  = 100
	windowBefore = 60 // columns before the caret, at most
)

// surrounding is how many bytes around the caret are looked at.
const surrounding = 1000

// window returns the part of a line around byte offset at, as it may be printed, and
// the column of that byte in it.
func window(line string, at int) (shown string, caret int) {
	at = max(0, min(at, len(line)))
	start, end := max(0, at-surrounding), min(len(line), at+surrounding)
	for start > 0 && !utf8.RuneStart(line[start]) {
		start--
	}
	cells, mark, total := cut(line[start:end], at-start)
	if start == 0 && end == len(line) && total <= windowWidth {
		return join(cells), width(cells[:mark])
	}
	from, back := mark, 0
	for from > 0 && back+cells[from-1].width <= windowBefore {
		from--
		back += cells[from].width
	}
	to, ahead := from, 0
	for to < len(cells) && ahead+cells[to].width <= windowWidth {
		ahead += cells[to].width
		to++
	}
	shown, caret = join(cells[from:to]), back
	if from > 0 || start > 0 {
		shown, caret = "…"+shown, caret+1
	}
	if to < len(cells) || end < len(line) {
		shown += "…"
	}
	return shown, caret
}

// cut splits a line into cells. mark is the cell of byte offset at, total the width.
func cut(line string, at int) (cells []cell, mark, total int) {
	mark = -1
	for i := 0; i < len(line); {
		r, size := utf8.DecodeRuneInString(line[i:])
		if mark < 0 && at < i+size {
			mark = len(cells)
		}
		c := show(r)
		cells, total = append(cells, c), total+c.width
		i += size
	}
	if mark < 0 {
		mark = len(cells)
	}
	return cells, mark, total
}

func join(cells []cell) string {
	var b strings.Builder
	for _, c := range cells {
		b.WriteString(c.text)
	}
	return b.String()
}

func width(cells []cell) int {
	n := 0
	for _, c := range cells {
		n += c.width
	}
	return n
}
