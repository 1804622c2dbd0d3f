package shape

import "github.com/weft-engine/weft/engine/source"

// builtins are the types that every spec has: chat.Message and chat.ToolCall as data.
func builtins() []source.Field {
	str := map[string]any{"type": "string"}
	call := map[string]any{
		"type": "object", "description": "A model's wish to call a tool.",
		"required": []any{"id", "name", "args"}, "additionalProperties": false,
		"properties": map[string]any{
			"id": str, "name": str, "args": map[string]any{"type": "object"}, "invalid": str,
		},
	}
	message := map[string]any{
		"type": "object", "description": "One turn of a conversation.",
		"required": []any{"role", "content"}, "additionalProperties": false,
		"properties": map[string]any{
			"id": str, "content": str, "tool_call_id": str, "name": str,
			"role":       map[string]any{"enum": []any{"system", "user", "assistant", "tool"}},
			"tool_calls": map[string]any{"type": "array", "items": map[string]any{"$ref": "#/types/ToolCall"}},
		},
	}
	return []source.Field{{Key: "Message", Value: fromGo(message)}, {Key: "ToolCall", Value: fromGo(call)}}
}
