package exec

import (
	"bytes"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/weft-engine/weft/engine/source"
)

// errTooMuch stops a program that writes more than allowed.
var errTooMuch = errors.New("too much output")

// bounded keeps what a program writes, up to a limit, and then calls full once.
type bounded struct {
	buf   bytes.Buffer
	limit int
	full  func()
}

// Write refuses what goes over the limit, which closes the program's pipe.
func (b *bounded) Write(p []byte) (int, error) {
	if b.buf.Len()+len(p) > b.limit {
		b.full()
		return 0, errTooMuch
	}
	return b.buf.Write(p)
}

// tail keeps the last bytes of what a program writes.
type tail struct {
	data  []byte
	limit int
}

// Write never fails: the program may complain as long as it likes.
func (t *tail) Write(p []byte) (int, error) {
	n := len(p)
	if n >= t.limit {
		t.data = append(t.data[:0], p[n-t.limit:]...)
		return n, nil
	}
	if over := len(t.data) + n - t.limit; over > 0 {
		t.data = append(t.data[:0], t.data[over:]...)
	}
	t.data = append(t.data, p...)
	return n, nil
}

// String is what was kept, as text.
func (t *tail) String() string {
	return strings.TrimSpace(strings.ToValidUTF8(string(t.data), "\uFFFD"))
}

// decode reads an output that is one JSON document as data, any other as text
// without the newline at its end.
func decode(data []byte) (any, error) {
	if v, err := source.DecodeJSON(data); err == nil {
		return v, nil
	}
	if !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0 {
		return nil, errors.New("its output is neither JSON nor text")
	}
	return strings.TrimSuffix(strings.TrimSuffix(string(data), "\n"), "\r"), nil
}
