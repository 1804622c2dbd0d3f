package model

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/weft-engine/weft/engine/chat"
	"github.com/weft-engine/weft/engine/diag"
)

// NewScript reads a script from plain data, a list of entries:
//
//	{node: triage, reply: {classification: ignore}}          the JSON answer, when the node asks for JSON
//	{node: agent, reply: {content: …, tool_calls: [{name: …, args: {…}}]}}
//	{node: agent, text: Hello}                               the same as reply: Hello
//	{node: agent, call: {name: done, args: {}}}              one tool call
//	{node: agent, calls: [{name: …, args: …, id: …}], text: …}
//	{node: agent, error: {status: 429, message: busy}}
//
// An entry without node answers any; repeat: true answers more than once; usage:
// {input_tokens, output_tokens, usd} is counted. Args that are text stand for
// arguments that are not JSON.
func NewScript(data any) (*Script, error) {
	list, ok := data.([]any)
	if !ok {
		return nil, fmt.Errorf("a script is a list of entries, not %s", kindName(data))
	}
	s := &Script{}
	r := scriptReader{}
	for i, item := range list {
		e, err := r.entry(i+1, item)
		if err != nil {
			return nil, fmt.Errorf("script entry %d: %w", i+1, err)
		}
		s.entries = append(s.entries, e)
	}
	return s, nil
}

// scriptReader counts the tool calls of a script, which names them.
type scriptReader struct {
	count int
}

func (r *scriptReader) entry(index int, item any) (*entry, error) {
	e := &entry{index: index, usage: chat.Usage{Requests: 1}}
	fields, err := object(item, "node", "reply", "text", "call", "calls", "error", "usage", "repeat")
	if err != nil {
		return nil, err
	}
	if err := answersOnce(fields); err != nil {
		return nil, err
	}
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		if err := r.field(e, key, fields[key]); err != nil {
			return nil, fmt.Errorf("`%s`: %w", key, err)
		}
	}
	return e, nil
}

// answersOnce checks that an entry says one thing.
func answersOnce(fields map[string]any) error {
	var has []string
	for _, key := range []string{"reply", "text", "call", "calls", "error"} {
		if _, ok := fields[key]; ok {
			has = append(has, key)
		}
	}
	if len(has) == 0 {
		return fmt.Errorf("no answer: give it one of reply, text, call, calls or error")
	}
	spoken := len(has) == 2 && has[0] == "text" && has[1] != "error" // calls with a text
	if len(has) > 1 && !spoken {
		return fmt.Errorf("several answers: keep one of %s", strings.Join(has, ", "))
	}
	return nil
}

func (r *scriptReader) field(e *entry, key string, v any) (err error) {
	switch key {
	case "node":
		e.node, err = text(v)
	case "repeat":
		e.repeat, err = flag(v)
	case "text":
		e.text, err = text(v)
	case "reply":
		return r.reply(e, v)
	case "call":
		e.calls, err = r.calls([]any{v})
	case "calls":
		list, ok := v.([]any)
		if !ok {
			return fmt.Errorf("must be a list of {name, args}, not %s", kindName(v))
		}
		e.calls, err = r.calls(list)
	case "error":
		e.failure, err = scriptError(v)
	case "usage":
		err = scriptUsage(&e.usage, v)
	}
	return err
}

func (r *scriptReader) reply(e *entry, v any) error {
	switch v := v.(type) {
	case string:
		e.text = v
		return nil
	case map[string]any:
		e.object = v
		if fields, err := object(v, "content", "tool_calls"); err == nil && len(v) > 0 {
			return r.message(e, fields)
		}
		return nil
	}
	return fmt.Errorf("must be text or an object, not %s", kindName(v))
}

// message reads a reply as a message; one that is none may still be a JSON answer.
func (r *scriptReader) message(e *entry, fields map[string]any) error {
	m := chat.Message{Role: chat.Assistant}
	if v, ok := fields["content"]; ok {
		s, err := text(v)
		if err != nil {
			return nil //nolint:nilerr // a JSON answer with a field of that name
		}
		m.Content = s
	}
	if v, ok := fields["tool_calls"]; ok {
		list, isList := v.([]any)
		if !isList {
			return nil
		}
		calls, err := r.calls(list)
		if err != nil {
			return fmt.Errorf("tool_calls: %w", err)
		}
		m.ToolCalls = calls
	}
	e.message = &m
	return nil
}

func (r *scriptReader) calls(list []any) ([]chat.ToolCall, error) {
	out := make([]chat.ToolCall, 0, len(list))
	for i, item := range list {
		c, err := r.call(item)
		if err != nil {
			return nil, fmt.Errorf("call %d: %w", i+1, err)
		}
		out = append(out, c)
	}
	return out, nil
}

func (r *scriptReader) call(v any) (chat.ToolCall, error) {
	fields, err := object(v, "name", "args", "id")
	if err != nil {
		return chat.ToolCall{}, err
	}
	r.count++
	c := chat.ToolCall{ID: "call_" + strconv.Itoa(r.count), Args: map[string]any{}}
	if c.Name, err = text(fields["name"]); err != nil || c.Name == "" {
		return chat.ToolCall{}, fmt.Errorf("`name` must be the name of a tool")
	}
	if id, ok := fields["id"]; ok {
		if c.ID, err = text(id); err != nil {
			return chat.ToolCall{}, fmt.Errorf("`id`: %w", err)
		}
	}
	switch args := fields["args"].(type) {
	case nil:
	case map[string]any:
		c.Args = args
	case string:
		c.Invalid = args
	default:
		return chat.ToolCall{}, fmt.Errorf("`args` must be an object, not %s", kindName(args))
	}
	return c, nil
}

func scriptError(v any) (*chat.Error, error) {
	fields, err := object(v, "status", "message", "transient", "retry_after")
	if err != nil {
		return nil, err
	}
	out := &chat.Error{Message: "scripted failure"}
	if v, ok := fields["status"]; ok {
		status, ok := v.(int)
		if !ok || status < 0 || status > 999 {
			return nil, fmt.Errorf("`status` must be an HTTP status")
		}
		out.Status, out.Transient = status, transient(status)
		out.Message = fmt.Sprintf("scripted failure with status %d", status)
	}
	if v, ok := fields["message"]; ok {
		if out.Message, err = text(v); err != nil {
			return nil, fmt.Errorf("`message`: %w", err)
		}
	}
	if v, ok := fields["transient"]; ok {
		if out.Transient, err = flag(v); err != nil {
			return nil, fmt.Errorf("`transient`: %w", err)
		}
	}
	if v, ok := fields["retry_after"]; ok {
		d, err := time.ParseDuration(fmt.Sprint(v))
		if err != nil || d < 0 {
			return nil, fmt.Errorf("`retry_after` must be a duration such as 2s")
		}
		out.RetryAfter = d
	}
	return out, nil
}

func scriptUsage(u *chat.Usage, v any) error {
	fields, err := object(v, "input_tokens", "output_tokens", "usd")
	if err != nil {
		return err
	}
	for key, to := range map[string]*int{"input_tokens": &u.InputTokens, "output_tokens": &u.OutputTokens} {
		if v, ok := fields[key]; ok {
			n, ok := v.(int)
			if !ok || n < 0 {
				return fmt.Errorf("`%s` must be a whole number from 0 on", key)
			}
			*to = n
		}
	}
	switch usd := fields["usd"].(type) {
	case nil:
	case int:
		u.USD = float64(usd)
	case float64:
		u.USD = usd
	default:
		return fmt.Errorf("`usd` must be a number")
	}
	if !(u.USD >= 0 && u.USD < 1e12) {
		return fmt.Errorf("`usd` must be a number from 0 on")
	}
	return nil
}

// object returns v's fields when it is an object of these fields only.
func object(v any, known ...string) (map[string]any, error) {
	fields, ok := v.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("must be an object, not %s", kindName(v))
	}
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		if slices.Contains(known, key) {
			continue
		}
		if near := diag.Nearest(key, known); near != "" {
			return nil, fmt.Errorf("unknown field %q: did you mean %q?", clip(key, 40), near)
		}
		return nil, fmt.Errorf("unknown field %q: known are %s", clip(key, 40), strings.Join(known, ", "))
	}
	return fields, nil
}

func text(v any) (string, error) {
	s, ok := v.(string)
	if !ok {
		return "", fmt.Errorf("must be text, not %s", kindName(v))
	}
	return s, nil
}

func flag(v any) (bool, error) {
	b, ok := v.(bool)
	if !ok {
		return false, fmt.Errorf("must be true or false, not %s", kindName(v))
	}
	return b, nil
}

func kindName(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "a boolean"
	case string:
		return "text"
	case []any:
		return "a list"
	case map[string]any:
		return "an object"
	}
	return "a number"
}
