package spec

import (
	"bytes"
	"sort"
	"unicode/utf8"

	"github.com/weft-engine/weft/engine/diag"
)

// text is a file's bytes with what is needed to name places in it.
type text struct {
	file  string
	data  []byte
	lines []int // where each line begins; lines end with \n
}

func newText(file string, data []byte) *text {
	t := &text{file: file, data: data, lines: make([]int, 1, 1+bytes.Count(data, []byte{'\n'}))}
	for i, c := range data {
		if c == '\n' {
			t.lines = append(t.lines, i+1)
		}
	}
	return t
}

// at returns the position of the byte at offset.
func (t *text) at(offset int) diag.Pos {
	offset = max(0, min(offset, len(t.data)))
	line := sort.SearchInts(t.lines, offset+1) - 1
	return diag.Pos{File: t.file, Line: line + 1, Col: offset - t.lines[line] + 1}
}

// firstOf returns the position of the first byte of a line that is no blank; line counts from 1.
func (t *text) firstOf(line int) diag.Pos {
	line = max(1, min(line, len(t.lines)))
	offset := t.lines[line-1]
	for offset < len(t.data) && (t.data[offset] == ' ' || t.data[offset] == '\t') {
		offset++
	}
	return t.at(offset)
}

// within returns the place in the file that is nearest to p.
func (t *text) within(p diag.Pos) diag.Pos {
	p.Line = max(1, min(p.Line, len(t.lines)))
	end := len(t.data)
	if p.Line < len(t.lines) {
		end = t.lines[p.Line] - 1
	}
	p.Col = max(1, min(p.Col, end-t.lines[p.Line-1]+1))
	return p
}

// begin is the position of a file as a whole.
func begin(file string) diag.Pos { return diag.Pos{File: file, Line: 1, Col: 1} }

var byteOrderMark = []byte("\xef\xbb\xbf")

// checkEncoding reports a file that is not UTF-8 text without NUL bytes.
func checkEncoding(t *text, list *diag.List) bool {
	if i := bytes.IndexByte(t.data, 0); i >= 0 {
		list.Add(ruleEncoding.At(t.at(i), "the file has a NUL byte").WithHint("Save the file as UTF-8 text."))
		return false
	}
	for i := 0; i < len(t.data); {
		r, size := utf8.DecodeRune(t.data[i:])
		if r == utf8.RuneError && size == 1 {
			list.Add(ruleEncoding.At(t.at(i), "the file is not UTF-8").WithHint("Save the file as UTF-8 text."))
			return false
		}
		i += size
	}
	return true
}
