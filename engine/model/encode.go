package model

import (
	"math"
	"strconv"
	"strings"

	"github.com/weft-engine/weft/engine/chat"
)

// encoder writes requests as the providers read them. It is written out, since a
// conversation is encoded again with each turn: encoding/json takes four times as
// long, and go-openai's types cannot say temperature 0 or an empty text.
type encoder struct {
	buf []byte
	err error
}

func encode(m *chat.Model, req *chat.Request, stream bool) ([]byte, error) {
	e := &encoder{buf: make([]byte, 0, 512+sizeHint(req))}
	e.raw(`{"model":`)
	e.text(m.Model)
	e.raw(`,"messages":[`)
	for i := range req.Messages {
		e.comma(i)
		e.message(&req.Messages[i])
	}
	e.raw(`]`)
	e.tools(req)
	e.response(req.Response)
	e.limits(m, req)
	if stream {
		e.raw(`,"stream":true,"stream_options":{"include_usage":true}`)
	}
	e.raw(`}`)
	return e.buf, e.err
}

func sizeHint(req *chat.Request) int {
	n := 1024 * len(req.Tools)
	for i := range req.Messages {
		n += 128 + len(req.Messages[i].Content) + 256*len(req.Messages[i].ToolCalls)
	}
	return n
}

func (e *encoder) message(m *chat.Message) {
	e.raw(`{"role":`)
	e.text(m.Role)
	if m.Content != "" || len(m.ToolCalls) == 0 {
		e.raw(`,"content":`)
		e.text(m.Content)
	}
	if m.Name != "" {
		e.raw(`,"name":`)
		e.text(m.Name)
	}
	if m.ToolCallID != "" {
		e.raw(`,"tool_call_id":`)
		e.text(m.ToolCallID)
	}
	if len(m.ToolCalls) > 0 {
		e.raw(`,"tool_calls":[`)
		for i := range m.ToolCalls {
			e.comma(i)
			e.call(&m.ToolCalls[i])
		}
		e.raw(`]`)
	}
	e.raw(`}`)
}

func (e *encoder) call(c *chat.ToolCall) {
	e.raw(`{"id":`)
	e.text(c.ID)
	e.raw(`,"type":"function","function":{"name":`)
	e.text(c.Name)
	e.raw(`,"arguments":`)
	if len(c.Args) == 0 {
		// Arguments that were no JSON are not sent back: some providers refuse them.
		// The tool message says what was wrong with them.
		e.raw(`"{}"`)
	} else {
		e.quoted(c.Args)
	}
	e.raw(`}}`)
}

func (e *encoder) tools(req *chat.Request) {
	if len(req.Tools) == 0 {
		return
	}
	e.raw(`,"tools":[`)
	for i := range req.Tools {
		t := &req.Tools[i]
		e.comma(i)
		e.raw(`{"type":"function","function":{"name":`)
		e.text(t.Name)
		if t.Description != "" {
			e.raw(`,"description":`)
			e.text(t.Description)
		}
		e.raw(`,"parameters":`)
		if len(t.Parameters) == 0 {
			e.raw(`{"type":"object","properties":{}}`)
		} else {
			e.data(t.Parameters)
		}
		e.raw(`}}`)
	}
	e.raw(`]`)
	switch req.ToolChoice {
	case "":
	case "auto", "required", "none":
		e.raw(`,"tool_choice":`)
		e.text(req.ToolChoice)
	default:
		e.raw(`,"tool_choice":{"type":"function","function":{"name":`)
		e.text(req.ToolChoice)
		e.raw(`}}`)
	}
}

func (e *encoder) response(r *chat.ResponseSchema) {
	if r == nil {
		return
	}
	e.raw(`,"response_format":{"type":"json_schema","json_schema":{"name":`)
	e.text(schemaName(r.Name))
	e.raw(`,"schema":`)
	e.data(r.Schema)
	e.raw(`,"strict":`)
	e.buf = strconv.AppendBool(e.buf, strict(r.Schema))
	e.raw(`}}`)
}

func (e *encoder) limits(m *chat.Model, req *chat.Request) {
	temperature := req.Temperature
	if temperature == nil {
		temperature = m.Temperature
	}
	if temperature != nil && !math.IsNaN(*temperature) && !math.IsInf(*temperature, 0) {
		e.raw(`,"temperature":`)
		e.buf = strconv.AppendFloat(e.buf, *temperature, 'g', -1, 64)
	}
	limit := req.MaxTokens
	if limit == 0 {
		limit = m.MaxTokens
	}
	if limit > 0 {
		e.raw(`,"` + limitField(m.Model) + `":`)
		e.buf = strconv.AppendInt(e.buf, int64(limit), 10)
	}
}

// limitField is how a model calls the limit of its answer: reasoning models of OpenAI
// refuse the old name, and most other providers do not know the new one.
func limitField(name string) string {
	for _, prefix := range []string{"o1", "o3", "o4", "gpt-5", "gpt-6"} {
		if strings.HasPrefix(name, prefix) {
			return "max_completion_tokens"
		}
	}
	return "max_tokens"
}

// schemaName makes a name that providers accept.
func schemaName(name string) string {
	name = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-' {
			return r
		}
		return '_'
	}, name)
	if name == "" {
		return "answer"
	}
	return name[:min(len(name), 64)]
}
