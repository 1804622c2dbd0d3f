package expr

import (
	"slices"

	"github.com/weft-engine/weft/engine/shape"
)

func chatFunctions() []*function {
	return []*function{
		{
			Function: Function{
				Signature: "tool_calls(messages list) list",
				Doc:       "Returns the tool calls {id, name, args} of the last message of the assistant that no later tool message answers.",
				Example:   `tool_calls([{role: "assistant", tool_calls: [{id: "1", name: "done", args: {}}]}])[0].name == "done"`,
			},
			typ:  func([]operand) *shape.Type { return listOf(callType) },
			call: func(_ *machine, a []any) (any, error) { return openCalls(list(a, 0)), nil },
		},
		{
			Function: Function{
				Signature: "last_message(messages list[, role string]) any",
				Doc:       "Returns the last message, of the role if one is given; null when there is none.",
				Example:   `last_message([{role: "user", content: "Hi"}, {role: "tool", content: "ok"}], "user").content == "Hi"`,
			},
			typ: func(args []operand) *shape.Type {
				if t := itemOf(args); kindOf(t) == shape.Object {
					return t
				}
				return messageType
			},
			call: func(_ *machine, a []any) (any, error) { return lastMessage(list(a, 0), text(a, 1)), nil },
		},
		{
			Function: Function{
				Signature: "markdown_to_html(text string) string", Doc: "Renders Markdown as HTML that is safe to show, as message_html does; every paragraph stands in a <p>.",
				Example: `markdown_to_html("**Hi**") == "<p><strong>Hi</strong></p>\n"`,
			},
			call: markdownToHTML, cost: 100,
		},
		{
			Function: Function{
				Signature: "html_to_text(html string) string", Doc: "Turns HTML into readable text with its links; scripts and styles are dropped.",
				Example: `html_to_text("<p>See <a href='https://weft.dev'>this</a></p>") == "See [this](https://weft.dev)"`,
			},
			call: htmlToText, cost: 200,
		},
	}
}

func openCalls(messages []any) []any {
	answered := map[any]bool{}
	for _, v := range slices.Backward(messages) {
		message, _ := canonical(v).(map[string]any)
		switch message["role"] {
		case "tool":
			if id, ok := message["tool_call_id"].(string); ok {
				answered[id] = true
			}
		case "assistant":
			calls, _ := asList(canonical(message["tool_calls"]))
			open := make([]any, 0, len(calls))
			for _, c := range calls {
				c = canonical(c)
				call, ok := c.(map[string]any)
				if id, _ := call["id"].(string); ok && !answered[id] {
					open = append(open, c)
				}
			}
			return open
		}
	}
	return []any{}
}

func lastMessage(messages []any, role string) any {
	for _, v := range slices.Backward(messages) {
		v = canonical(v)
		message, _ := v.(map[string]any)
		if role == "" || message["role"] == role {
			return v
		}
	}
	return nil
}
