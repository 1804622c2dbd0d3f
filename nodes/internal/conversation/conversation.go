// Package conversation is what node types do with a list of messages: read it from
// plain data and write it back, cut it to its end, make it acceptable to a model
// provider, and render it for someone who is told about it. It speaks to no model.
package conversation

import (
	"fmt"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/chat"
)

// Parse reads messages from plain data: a list of `#/types/Message`. An error names
// the message and what is wrong with it.
func Parse(data any) ([]chat.Message, error) {
	items, ok := data.([]any)
	if !ok && data != nil {
		return nil, fmt.Errorf("messages must be a list, not %s", engine.KindOf(data))
	}
	out := make([]chat.Message, len(items))
	for i, item := range items {
		m, err := ParseOne(item)
		if err != nil {
			return nil, fmt.Errorf("messages[%d]: %w", i, err)
		}
		out[i] = m
	}
	return out, nil
}

// ParseOne reads one message from plain data: a `#/types/Message`.
func ParseOne(data any) (chat.Message, error) {
	fields, ok := data.(map[string]any)
	if !ok {
		return chat.Message{}, fmt.Errorf("a message must be an object, not %s", engine.KindOf(data))
	}
	var m chat.Message
	for _, f := range []struct {
		name string
		to   *string
	}{{"id", &m.ID}, {"role", &m.Role}, {"content", &m.Content}, {"tool_call_id", &m.ToolCallID}, {"name", &m.Name}} {
		if err := text(fields, f.name, f.to); err != nil {
			return m, err
		}
	}
	switch m.Role {
	case chat.System, chat.User, chat.Assistant, chat.ToolRole:
	default:
		return m, fmt.Errorf("role is %q: it must be system, user, assistant or tool", m.Role)
	}
	calls, err := ParseCalls(fields["tool_calls"])
	if err != nil {
		return m, err
	}
	m.ToolCalls = calls
	return m, nil
}

// ParseCalls reads tool calls from plain data: a list of `#/types/ToolCall`.
func ParseCalls(data any) ([]chat.ToolCall, error) {
	items, ok := data.([]any)
	if !ok && data != nil {
		return nil, fmt.Errorf("tool calls must be a list, not %s", engine.KindOf(data))
	}
	if len(items) == 0 {
		return nil, nil
	}
	out := make([]chat.ToolCall, len(items))
	for i, item := range items {
		c, err := parseCall(item)
		if err != nil {
			return nil, fmt.Errorf("tool call %d: %w", i, err)
		}
		out[i] = c
	}
	return out, nil
}

// parseCall takes a call whose arguments are text as one that the model got wrong:
// it is for the tool node to tell the model, not a reason to end the run.
func parseCall(data any) (chat.ToolCall, error) {
	fields, ok := data.(map[string]any)
	if !ok {
		return chat.ToolCall{}, fmt.Errorf("a call must be an object, not %s", engine.KindOf(data))
	}
	var c chat.ToolCall
	for _, f := range []struct {
		name string
		to   *string
	}{{"id", &c.ID}, {"name", &c.Name}, {"invalid", &c.Invalid}} {
		if err := text(fields, f.name, f.to); err != nil {
			return c, err
		}
	}
	switch args := fields["args"].(type) {
	case nil:
	case map[string]any:
		c.Args = args
	case string:
		c.Invalid = args
	default:
		c.Invalid = fmt.Sprint(args)
	}
	return c, nil
}

func text(fields map[string]any, name string, to *string) error {
	switch v := fields[name].(type) {
	case nil:
		return nil
	case string:
		*to = v
		return nil
	default:
		return fmt.Errorf("%s must be a text, not %s", name, engine.KindOf(v))
	}
}

// Data returns a message as plain data.
func Data(m chat.Message) map[string]any {
	out := map[string]any{"role": m.Role, "content": m.Content}
	for name, value := range map[string]string{"id": m.ID, "tool_call_id": m.ToolCallID, "name": m.Name} {
		if value != "" {
			out[name] = value
		}
	}
	if len(m.ToolCalls) > 0 {
		out["tool_calls"] = CallsData(m.ToolCalls)
	}
	return out
}

// CallsData returns tool calls as plain data.
func CallsData(calls []chat.ToolCall) []any {
	out := make([]any, len(calls))
	for i, c := range calls {
		out[i] = CallData(c)
	}
	return out
}

// CallData returns a tool call as plain data.
func CallData(c chat.ToolCall) map[string]any {
	args := c.Args
	if args == nil {
		args = map[string]any{}
	}
	out := map[string]any{"id": c.ID, "name": c.Name, "args": args}
	if c.Invalid != "" {
		out["invalid"] = c.Invalid
	}
	return out
}
