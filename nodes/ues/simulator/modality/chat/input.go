// Package chat is the chat modality of the simulator: conversations between the user and
// an assistant.
package chat

import (
	"strconv"
	"strings"

	"github.com/weft-engine/weft/nodes/ues/simulator/field"
	"github.com/weft-engine/weft/nodes/ues/simulator/modality"
	"github.com/weft-engine/weft/nodes/ues/simulator/ordered"
)

const (
	name                = "chat"
	defaultConversation = "default"

	opSend   = "send_message"
	opDelete = "delete_message"
	opClear  = "clear_conversation"

	user      = "user"
	assistant = "assistant"
)

// Input is a payload of contract section 6.3. Nil is null.
type Input struct {
	modality.Head
	Operation      string
	Role           *string
	Content        any // a string, a []any of objects, or nil
	MessageID      *string
	ConversationID string
	Metadata       *ordered.Map
}

// Decode reads a payload. A message to be sent gets its id here.
func Decode(data *ordered.Map, m modality.Moment) (modality.Input, []field.Error) {
	r := field.Read(data)
	in := &Input{
		Head:           modality.ReadHead(r, name, m),
		Operation:      field.Or(r, "operation", field.OneOf(opSend, opDelete, opClear), opSend),
		Role:           field.Maybe(r, "role", role),
		Content:        field.MaybeOr(r, "content", checkedContent, nil),
		MessageID:      field.Maybe(r, "message_id", field.String),
		ConversationID: field.Or(r, "conversation_id", checkedConversation, defaultConversation),
		Metadata:       field.Or(r, "metadata", field.Object, &ordered.Map{}),
	}
	in.name(m)
	return in, r.Errors()
}

// name gives a message to be sent its id.
func (in *Input) name(m modality.Moment) {
	if in.Operation == opSend && in.MessageID == nil {
		id := m.NewID()
		in.MessageID = &id
	}
}

func role(v any, at *field.Place) string { return field.OneOf(user, assistant)(v, at) }

// content takes a text or a list of objects.
func content(v any, at *field.Place) any {
	const listBranch = "list[dict[str,any]]"
	switch v := v.(type) {
	case string:
		return v
	case []any:
		for i, x := range v {
			if _, ok := x.(*ordered.Map); !ok {
				at.Inside("str").Fail("string_type", "Input should be a valid string", v)
				at.Inside(listBranch).Item(i).Fail("dict_type", "Input should be a valid dictionary", x)
				return nil
			}
		}
		return v
	}
	at.Inside("str").Fail("string_type", "Input should be a valid string", v)
	at.Inside(listBranch).Fail("list_type", "Input should be a valid list", v)
	return nil
}

// checkedContent takes a text that is not blank, or a list of well-formed blocks.
func checkedContent(v any, at *field.Place) any {
	c := content(v, at)
	if text := contentProblem(c); text != "" {
		at.Refuse(text, v)
	}
	return c
}

func checkedConversation(v any, at *field.Place) string {
	id := field.String(v, at)
	if _, ok := v.(string); ok && strings.TrimSpace(id) == "" {
		at.Refuse("Conversation ID cannot be empty", v)
	}
	return id
}

// contentProblem says which rule of contract section 5.9 a content breaks; empty: none.
func contentProblem(c any) string {
	switch c := c.(type) {
	case string:
		if strings.TrimSpace(c) == "" {
			return "Content cannot be empty"
		}
	case []any:
		if len(c) == 0 {
			return "Content list cannot be empty"
		}
		for i, x := range c {
			block, _ := x.(*ordered.Map)
			if text := blockProblem(block); text != "" {
				return "Content block " + strconv.Itoa(i) + " " + text
			}
		}
	}
	return ""
}

func blockProblem(block *ordered.Map) string {
	kind, found := block.Get("type")
	if !found {
		return "must have a 'type' field"
	}
	lacks := func(member string) bool { _, found := block.Get(member); return !found }
	switch kind {
	case "text":
		if lacks("text") {
			return "of type 'text' must have a 'text' field"
		}
	case "image", "audio", "video":
		source, found := block.Get("source")
		switch {
		case !found:
			return "of type " + field.Repr(kind) + " must have a 'source' field"
		case source == "url" && lacks("url"):
			return "with source 'url' must have a 'url' field"
		case source == "base64" && lacks("data"):
			return "with source 'base64' must have a 'data' field"
		}
	}
	return ""
}

// Check is the rule level of contract section 6.3.
func (in *Input) Check() error {
	switch {
	case in.Operation == opSend && in.Role == nil:
		return modality.Refuse("Operation '%s' requires role", in.Operation)
	case in.Operation == opSend && in.Content == nil:
		return modality.Refuse("Operation '%s' requires content", in.Operation)
	case in.Operation == opDelete && modality.IsEmpty(in.MessageID):
		return modality.Refuse("Operation '%s' requires message_id", in.Operation)
	}
	return nil
}

// AppendJSON writes the payload.
func (in *Input) AppendJSON(dst []byte) []byte {
	o := in.Open(dst, name)
	o.String("operation", in.Operation)
	modality.AppendNullable(&o, "role", in.Role)
	o.Member("content", func(dst []byte) []byte { return ordered.Append(dst, in.Content) })
	modality.AppendNullable(&o, "message_id", in.MessageID)
	o.String("conversation_id", in.ConversationID)
	o.Member("metadata", in.Metadata.AppendJSON)
	return o.Close()
}
