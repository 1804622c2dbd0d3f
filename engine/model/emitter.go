package model

import (
	"strings"

	"github.com/weft-engine/weft/engine/chat"
)

// emitter hands on streamed text. When a request is repeated after some of its answer
// was handed on, what comes again is not handed on again; an answer that differs
// begins on a new line.
type emitter struct {
	emit func(chat.Delta)
	sent strings.Builder // of the attempts before and this one
	now  strings.Builder // of this attempt while it repeats what was sent
	live bool            // this attempt goes beyond what was sent
}

// begin starts another attempt.
func (e *emitter) begin() {
	e.live = e.sent.Len() == 0
	e.now.Reset()
}

func (e *emitter) text(s string) {
	if e.emit == nil {
		return
	}
	if e.live {
		e.send(s)
		return
	}
	e.now.WriteString(s)
	got, sent := e.now.String(), e.sent.String()
	switch {
	case strings.HasPrefix(sent, got):
	case strings.HasPrefix(got, sent):
		e.live = true
		e.send(got[len(sent):])
	default:
		e.live = true
		e.sent.Reset()
		e.emit(chat.Delta{Text: "\n"})
		e.send(got)
	}
}

func (e *emitter) send(s string) {
	e.sent.WriteString(s)
	e.emit(chat.Delta{Text: s})
}
