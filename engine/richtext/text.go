package richtext

import (
	"bufio"
	"bytes"
	"html"
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	goldmarkhtml "github.com/yuin/goldmark/renderer/html"
	gmtext "github.com/yuin/goldmark/text"
)

// Text returns the plain text of Markdown: links with their addresses, lists with their
// marks, and everything else as it reads.
func Text(text string) string {
	if isPlainLine(text) || tooLong(text) {
		return strings.TrimSpace(text)
	}
	w := &plainWriter{source: []byte(text)}
	w.blocks(newReader().Parser().Parse(gmtext.NewReader(w.source)), "")
	return strings.TrimSpace(w.out.String())
}

// plainWriter writes the text of a Markdown document.
type plainWriter struct {
	source []byte
	out    strings.Builder
	depth  int
}

// maxQuotes bounds how many quotes and lists inside each other are told apart.
const maxQuotes = 20

// blocks writes the blocks inside n, each line after prefix.
func (w *plainWriter) blocks(n ast.Node, prefix string) {
	if w.depth++; w.depth > maxQuotes {
		w.lines(w.inline(n), prefix)
		return
	}
	defer func() { w.depth-- }()
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		switch c := c.(type) {
		case *ast.List:
			w.list(c, prefix)
		case *ast.Blockquote:
			w.blocks(c, prefix+"> ")
		case *ast.CodeBlock, *ast.FencedCodeBlock:
			w.lines(string(c.Lines().Value(w.source)), prefix)
		case *ast.ThematicBreak:
			w.lines("---", prefix)
		case *extast.Table:
			w.table(c, prefix)
		default:
			w.lines(w.inline(c), prefix)
		}
		if c.NextSibling() != nil && !isTight(n) {
			w.out.WriteString(strings.TrimRight(prefix, " ") + "\n")
		}
	}
}

// isTight reports an item of a list without empty lines.
func isTight(n ast.Node) bool {
	list, ok := n.Parent().(*ast.List)
	return ok && list.IsTight
}

func (w *plainWriter) lines(s, prefix string) {
	for line := range strings.SplitSeq(strings.TrimRight(s, "\n"), "\n") {
		w.out.WriteString(strings.TrimRight(prefix+line, " ") + "\n")
	}
}

// list writes the items, the lines after the first indented below the first.
func (w *plainWriter) list(list *ast.List, prefix string) {
	number := list.Start
	for item := list.FirstChild(); item != nil; item = item.NextSibling() {
		mark := "- "
		if list.IsOrdered() {
			mark = strconv.Itoa(number) + ". "
			number++
		}
		inner := &plainWriter{source: w.source, depth: w.depth}
		inner.blocks(item, "")
		for i, line := range strings.Split(strings.TrimRight(inner.out.String(), "\n"), "\n") {
			if i > 0 {
				mark = strings.Repeat(" ", len(mark))
			}
			w.out.WriteString(strings.TrimRight(prefix+mark+line, " ") + "\n")
		}
	}
}

func (w *plainWriter) table(table ast.Node, prefix string) {
	for row := table.FirstChild(); row != nil; row = row.NextSibling() {
		var cells []string
		for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
			cells = append(cells, w.inline(cell))
		}
		w.lines(strings.Join(cells, " | "), prefix)
	}
}

// inline returns the text inside n.
func (w *plainWriter) inline(n ast.Node) string {
	var b bytes.Buffer
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		switch c := c.(type) {
		case *ast.Text:
			b.WriteString(unescaped(c, w.source))
			if c.SoftLineBreak() || c.HardLineBreak() {
				b.WriteByte('\n')
			}
		case *ast.String:
			b.Write(c.Value)
		case *ast.AutoLink:
			b.Write(c.Label(w.source))
		case *ast.Link:
			b.WriteString(linked(w.inline(c), string(c.Destination)))
		case *ast.Image:
			b.WriteString(linked(w.inline(c), string(c.Destination)))
		default:
			b.WriteString(w.inline(c))
		}
	}
	return b.String()
}

// unescaped is the text as a reader sees it: without backslashes and entities.
func unescaped(n *ast.Text, source []byte) string {
	value := n.Value(source)
	if n.IsRaw() || bytes.IndexByte(value, '\\') < 0 && bytes.IndexByte(value, '&') < 0 {
		return string(value)
	}
	var b bytes.Buffer
	w := bufio.NewWriter(&b)
	goldmarkhtml.DefaultWriter.Write(w, value)
	if err := w.Flush(); err != nil {
		return string(value)
	}
	return html.UnescapeString(b.String())
}

func linked(text, address string) string {
	switch text {
	case "", address:
		return address
	}
	return text + " (" + address + ")"
}
