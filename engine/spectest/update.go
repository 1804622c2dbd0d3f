package spectest

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/weft-engine/weft/engine/source"
)

// Update rewrites what failed tests expect to what came of them, in their files, and
// returns how many tests it changed. Conditions (`when`), memories and answers that
// were left over are not for a program to change: those tests go on failing.
func Update(report *Report) (int, error) {
	changed := 0
	byFile := map[string][]*Outcome{}
	var files []string
	for _, o := range report.Outcomes {
		if o.Passed() || o.actual == nil {
			continue
		}
		file := o.Test.Pos.File
		if byFile[file] == nil {
			files = append(files, file)
		}
		byFile[file] = append(byFile[file], o)
	}
	for _, file := range files {
		n, err := updateFile(file, byFile[file])
		if err != nil {
			return changed, err
		}
		changed += n
	}
	return changed, nil
}

// updateFile rewrites tests from the last to the first, so that positions hold.
func updateFile(file string, outcomes []*Outcome) (int, error) {
	name := filepath.FromSlash(file)
	data := outcomes[0].Suite.Source(file)
	info, err := os.Stat(name)
	if err != nil {
		return 0, fmt.Errorf("update tests: %w", err)
	}
	slices.SortFunc(outcomes, func(a, b *Outcome) int { return b.Test.Pos.Compare(a.Test.Pos) })
	changed := 0
	for _, o := range outcomes {
		if out := updated(data, o); out != nil && !bytes.Equal(out, data) {
			data = out
			changed++
		}
	}
	if changed == 0 {
		return 0, nil
	}
	if err := os.WriteFile(name, data, info.Mode().Perm()); err != nil {
		return 0, fmt.Errorf("update tests: %w", err)
	}
	return changed, nil
}

// updated returns the file with one test's expectation rewritten.
func updated(data []byte, o *Outcome) []byte {
	old := o.Test.lines
	next := o.expectation(old)
	start := offset(data, old.Pos.Line, old.Pos.Col)
	if start < 0 || start >= len(data) {
		return nil
	}
	if data[start] == '{' {
		end := flowEnd(data, start)
		if end < 0 {
			return nil
		}
		return splice(data, start, end, flow(next))
	}
	return updateBlock(data, o, next)
}

// expectation returns what the test should expect.
func (o *Outcome) expectation(old *source.Value) *source.Value {
	next := &source.Value{Kind: source.Map}
	failed := map[string]bool{}
	for _, m := range o.Mismatches {
		what, _, _ := strings.Cut(m.What, ".")
		what, _, _ = strings.Cut(what, "[")
		failed[what] = true
	}
	if failed["status"] && !old.Has("status") {
		next.Fields = append(next.Fields, source.Field{Key: "status", Value: tree(o.actual.status)})
	}
	for _, f := range old.Fields {
		value := f.Value
		if failed[f.Key] {
			got, ok := o.actual.expected(f.Key, f.Value)
			if !ok && f.Key == "error" {
				continue
			}
			if ok {
				value = got
			}
		}
		next.Fields = append(next.Fields, source.Field{Key: f.Key, Pos: f.Pos, Value: value})
	}
	return next
}

// updateBlock rewrites the fields that changed, each with the lines it takes; from the
// last to the first.
func updateBlock(data []byte, o *Outcome, next *source.Value) []byte {
	old := o.Test.lines
	for _, f := range slices.Backward(old.Fields) {
		value := next.Get(f.Key)
		if value == f.Value {
			continue
		}
		from, to := fieldLines(data, f.Pos.Line, f.Pos.Col)
		text := ""
		if value != nil {
			text = strings.Repeat(" ", f.Pos.Col-1) + f.Key + ": " + flow(value) + "\n"
		}
		data = splice(data, from, to, text)
	}
	if next.Has("status") && !old.Has("status") {
		at := offset(data, old.Pos.Line, 1)
		data = splice(data, at, at, strings.Repeat(" ", old.Pos.Col-1)+"status: "+flow(next.Get("status"))+"\n")
	}
	return data
}

// fieldLines returns where the lines of a block field begin and end.
func fieldLines(data []byte, line, col int) (from, to int) {
	from = offset(data, line, 1)
	to = lineEnd(data, from)
	for at := to; at < len(data); {
		end := lineEnd(data, at)
		text := bytes.TrimRight(data[at:end], " \t\r\n")
		indent := len(text) - len(bytes.TrimLeft(text, " "))
		deeper := indent > col-1 || indent == col-1 && bytes.HasPrefix(text[indent:], []byte("- "))
		if len(text) > 0 && !deeper {
			break
		}
		at = end
		if len(text) > 0 {
			to = end
		}
	}
	return from, to
}

// offset returns where a place is in data, -1 when it is not there.
func offset(data []byte, line, col int) int {
	at := 0
	for range line - 1 {
		next := bytes.IndexByte(data[at:], '\n')
		if next < 0 {
			return -1
		}
		at += next + 1
	}
	return at + col - 1
}

func lineEnd(data []byte, at int) int {
	if n := bytes.IndexByte(data[at:], '\n'); n >= 0 {
		return at + n + 1
	}
	return len(data)
}

// flowEnd returns the end of the flow value that begins at a bracket, -1 when there is none.
func flowEnd(data []byte, start int) int {
	depth, before := 0, byte(',')
	for at := start; at < len(data); at++ {
		switch c := data[at]; {
		case (c == '"' || c == '\'') && bytes.IndexByte([]byte("{[,:"), before) >= 0:
			if at = quoteEnd(data, at); at < 0 {
				return -1
			}
		case c == '#' && at > start && isBlank(data[at-1]):
			at = lineEnd(data, at) - 1
			continue
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			if depth--; depth == 0 {
				return at + 1
			}
		}
		if !isBlank(data[at]) {
			before = data[at]
		}
	}
	return -1
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// quoteEnd returns where the closing quote is, -1 when there is none.
func quoteEnd(data []byte, at int) int {
	quote := data[at]
	for at++; at < len(data); at++ {
		switch {
		case quote == '"' && data[at] == '\\':
			at++
		case data[at] == quote && quote == '\'' && at+1 < len(data) && data[at+1] == quote:
			at++
		case data[at] == quote:
			return at
		}
	}
	return -1
}

func splice(data []byte, from, to int, text string) []byte {
	return slices.Concat(data[:from], []byte(text), data[to:])
}
