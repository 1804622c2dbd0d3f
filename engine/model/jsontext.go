package model

import (
	"encoding/json"
	"fmt"

	"github.com/weft-engine/weft/engine/source"
)

func (e *encoder) raw(s string) { e.buf = append(e.buf, s...) }

func (e *encoder) comma(i int) {
	if i > 0 {
		e.buf = append(e.buf, ',')
	}
}

// text appends s as a JSON string.
func (e *encoder) text(s string) { e.buf = source.AppendText(e.buf, s) }

// data appends plain data; objects have their fields sorted. Data that is not as plain
// as it should be goes through encoding/json.
func (e *encoder) data(v any) {
	start := len(e.buf)
	buf, err := source.AppendJSON(e.buf, v)
	if err == nil {
		e.buf = buf
		return
	}
	data, err := json.Marshal(v)
	if err != nil && e.err == nil {
		e.err = fmt.Errorf("encode the request: %w", err)
	}
	e.buf = append(e.buf[:start], data...)
}

// quoted appends plain data as a JSON string that has it as JSON.
func (e *encoder) quoted(v any) {
	var room [256]byte
	inner := encoder{buf: room[:0]}
	inner.data(v)
	if e.err == nil {
		e.err = inner.err
	}
	e.text(string(inner.buf))
}
