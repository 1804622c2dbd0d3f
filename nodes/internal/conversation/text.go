package conversation

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/weft-engine/weft/engine/chat"
)

// Text renders a conversation for someone who is told about it rather than takes
// part in it: one paragraph a message, its text indented so that no message can pass
// for another. When it is longer than limit bytes, the oldest messages are left out.
func Text(messages []chat.Message, limit int) string {
	var parts []string
	size := 0
	for i, message := range slices.Backward(messages) {
		p := paragraph(message, limit)
		size += len(p) + 1
		if size > limit && len(parts) > 0 {
			parts = append(parts, fmt.Sprintf("[%d earlier messages left out]\n", i+1))
			break
		}
		parts = append(parts, p)
	}
	var b strings.Builder
	for _, part := range slices.Backward(parts) {
		b.WriteString(part)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func paragraph(m chat.Message, limit int) string {
	var b strings.Builder
	head := m.Role
	if m.Role == chat.ToolRole {
		head = "result of " + m.Name
	}
	if m.Content != "" {
		fmt.Fprintf(&b, "%s:\n%s\n", head, indent(Cut(m.Content, limit)))
	}
	for _, c := range m.ToolCalls {
		fmt.Fprintf(&b, "%s calls %s:\n%s\n", m.Role, c.Name, indent(Cut(Compact(callArgs(c)), limit)))
	}
	return b.String()
}

func callArgs(c chat.ToolCall) any {
	if c.Invalid != "" {
		return c.Invalid
	}
	if c.Args == nil {
		return map[string]any{}
	}
	return c.Args
}

func indent(s string) string {
	return "  " + strings.ReplaceAll(strings.TrimRight(s, "\n"), "\n", "\n  ")
}

// Compact returns plain data as text: a text as it is, anything else as compact JSON.
func Compact(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return fmt.Sprint(v)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// Cut returns at most about limit bytes of s, and says so when something is missing.
func Cut(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	end := limit
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return fmt.Sprintf("%s\n[cut: %d of %d bytes shown]", s[:end], end, len(s))
}
