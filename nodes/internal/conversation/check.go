package conversation

import (
	"fmt"
	"strings"

	"github.com/weft-engine/weft/engine/chat"
)

// NotRun is what a model reads for a call of an earlier turn that nothing answered.
const NotRun = "This call was not carried out."

// Complete returns the conversation as providers accept it: behind every assistant
// message stand the answers to all its calls, and nothing else answers. Providers
// refuse anything else, so a thread that broke this would be broken for good.
//
//   - A call of an earlier turn without an answer, as a run leaves behind that was
//     cancelled while a human decided, gets the answer NotRun.
//   - An unanswered call in the last turn is an error: the graph has not handled it.
//   - An answer to no call is an error: part of the conversation is missing.
//
// Calls with equal ids are told apart by how many answers there are. A conversation
// that lacks nothing is returned as it is.
func Complete(messages []chat.Message) ([]chat.Message, error) {
	if whole(messages) {
		return messages, nil
	}
	out := make([]chat.Message, 0, len(messages))
	var open []chat.ToolCall
	for i, m := range messages {
		if m.Role != chat.ToolRole {
			out = answer(out, open)
			open = append([]chat.ToolCall(nil), m.ToolCalls...)
			out = append(out, m)
			continue
		}
		at := find(open, m.ToolCallID)
		if at < 0 {
			return nil, fmt.Errorf("messages[%d] is the result of call %q, which the assistant message before it does not make: "+
				"keep the whole conversation (a state field of messages needs `reduce: append`) and cut it with `history`", i, m.ToolCallID)
		}
		open = append(open[:at], open[at+1:]...)
		out = append(out, m)
	}
	if len(open) > 0 {
		return nil, fmt.Errorf("the model has called %s and has no answer yet: handle its calls with a `tool` node "+
			"(`calls: \"{{ tool_calls(messages) }}\"`) and append output.messages before the model is asked again", names(open))
	}
	return out, nil
}

// whole reports whether every call is answered by the message in its place behind it,
// as a conversation is that was never cut or cancelled.
func whole(messages []chat.Message) bool {
	for i := 0; i < len(messages); {
		calls := messages[i].ToolCalls
		if messages[i].Role == chat.ToolRole || len(messages)-i-1 < len(calls) {
			return false
		}
		i++
		for _, c := range calls {
			if messages[i].Role != chat.ToolRole || messages[i].ToolCallID != c.ID {
				return false
			}
			i++
		}
	}
	return true
}

func answer(messages []chat.Message, open []chat.ToolCall) []chat.Message {
	for _, c := range open {
		messages = append(messages, chat.Message{Role: chat.ToolRole, ToolCallID: c.ID, Name: c.Name, Content: NotRun})
	}
	return messages
}

func find(calls []chat.ToolCall, id string) int {
	for i, c := range calls {
		if c.ID == id {
			return i
		}
	}
	return -1
}

// maxNames is how many calls an error names.
const maxNames = 4

func names(calls []chat.ToolCall) string {
	var quoted []string
	for _, c := range calls[:min(len(calls), maxNames)] {
		quoted = append(quoted, fmt.Sprintf("%q", c.Name))
	}
	out := strings.Join(quoted, ", ")
	if more := len(calls) - maxNames; more > 0 {
		out += fmt.Sprintf(" and %d more", more)
	}
	return out
}

// Last returns the last n messages, all when n is 0. Calls and their results stay
// together: results whose call would be cut off are cut off too. A last turn that is
// longer than n stays whole.
func Last(messages []chat.Message, n int) []chat.Message {
	if n <= 0 || len(messages) <= n {
		return messages
	}
	start := len(messages) - n
	for start < len(messages) && messages[start].Role == chat.ToolRole {
		start++
	}
	if start < len(messages) {
		return messages[start:]
	}
	for start = len(messages) - 1; start > 0 && messages[start].Role == chat.ToolRole; start-- {
	}
	return messages[start:]
}
