package model

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/weft-engine/weft/engine/chat"
)

// Script answers from a written list, for tests and demonstrations. A request takes
// the first entry that is not used up and fits the node that asks. It is safe for
// concurrent use.
type Script struct {
	mu      sync.Mutex
	entries []*entry
}

// entry is one written answer.
type entry struct {
	index  int    // from 1
	node   string // empty: any
	repeat bool
	used   int

	text    string
	object  map[string]any // a JSON answer, or {content, tool_calls}
	message *chat.Message  // object read as {content, tool_calls}
	calls   []chat.ToolCall
	usage   chat.Usage
	failure *chat.Error
}

// Complete answers with the next entry that fits.
func (s *Script) Complete(ctx context.Context, req chat.Request, emit func(chat.Delta)) (chat.Response, error) {
	if err := ctx.Err(); err != nil {
		return chat.Response{}, &chat.Error{Message: "stopped: " + err.Error(), Transient: true}
	}
	e, use := s.take(req.Node)
	if e == nil {
		return chat.Response{}, s.miss(&req)
	}
	resp, err := e.answer(&req, use)
	if err != nil {
		return chat.Response{}, err
	}
	if emit != nil && resp.Message.Content != "" {
		emit(chat.Delta{Text: resp.Message.Content})
	}
	return resp, nil
}

// Unused describes the entries that nothing has asked for, in the order written.
func (s *Script) Unused() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []string
	for _, e := range s.entries {
		if e.used == 0 && !e.repeat {
			out = append(out, e.String())
		}
	}
	return out
}

// String names the entry for people.
func (e *entry) String() string {
	if e.node == "" {
		return fmt.Sprintf("entry %d (any node)", e.index)
	}
	return fmt.Sprintf("entry %d (node %s)", e.index, e.node)
}

func (s *Script) take(node string) (*entry, int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range s.entries {
		if (e.used == 0 || e.repeat) && fits(e.node, node) {
			e.used++
			return e, e.used
		}
	}
	return nil, 0
}

// fits reports whether an entry for a node answers the node that asks: the entry may
// leave out the graphs around it and the index of its item.
func fits(want, node string) bool {
	if want == "" || want == node || strings.HasSuffix(node, "/"+want) {
		return true
	}
	at := strings.LastIndexByte(node, '[')
	return at > 0 && strings.HasSuffix(node, "]") && fits(want, node[:at])
}

func (s *Script) miss(req *chat.Request) *chat.Error {
	last := "it has no messages"
	if n := len(req.Messages); n > 0 {
		last = fmt.Sprintf("its last message is of %s: %q", req.Messages[n-1].Role, clip(req.Messages[n-1].Content, 120))
	}
	left := s.Unused()
	rest := "nothing is left in it"
	if len(left) > 0 {
		const most = 10
		more := ""
		if len(left) > most {
			more = fmt.Sprintf(" and %d more", len(left)-most)
			left = left[:most]
		}
		rest = "left in it: " + strings.Join(left, ", ") + more
	}
	return &chat.Error{Message: fmt.Sprintf("the script has no answer for node %q (%s); %s", req.Node, last, rest)}
}

func (e *entry) answer(req *chat.Request, use int) (chat.Response, error) {
	if e.failure != nil {
		failed := *e.failure
		return chat.Response{}, &failed
	}
	message := chat.Message{Role: chat.Assistant, Content: e.text, ToolCalls: e.calls}
	if e.object != nil {
		switch {
		case req.Response != nil:
			text, err := readable(e.object)
			if err != nil {
				return chat.Response{}, &chat.Error{Message: fmt.Sprintf("script %s: %v", e, err)}
			}
			message.Content = text
		case e.message != nil:
			message = *e.message
		default:
			return chat.Response{}, &chat.Error{Message: fmt.Sprintf(
				"script %s: node %q does not ask for JSON, so its reply must be text or {content, tool_calls}", e, req.Node)}
		}
	}
	message.ToolCalls = fresh(message.ToolCalls, use)
	u := e.usage
	if req.Model != nil {
		u.Model = req.Model.Name
		if u.USD == 0 {
			u.USD = req.Model.Prices.USD(u)
		}
	}
	return chat.Response{Message: message, Usage: u, Finish: finish("", len(message.ToolCalls))}, nil
}

// readable prints data as JSON for people and models, < and > as they are.
func readable(v any) (string, error) {
	var out strings.Builder
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return strings.TrimSuffix(out.String(), "\n"), err
}

// fresh copies calls, so that each answer has its own; the ids of a repeated entry
// count its uses.
func fresh(calls []chat.ToolCall, use int) []chat.ToolCall {
	if len(calls) == 0 {
		return nil
	}
	out := make([]chat.ToolCall, len(calls))
	for i, c := range calls {
		if use > 1 {
			c.ID += "_" + strconv.Itoa(use)
		}
		c.Args, _ = copied(c.Args).(map[string]any)
		out[i] = c
	}
	return out
}

// copied returns a copy of plain data.
func copied(v any) any {
	switch v := v.(type) {
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = copied(v[i])
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for k := range v {
			out[k] = copied(v[k])
		}
		return out
	}
	return v
}
