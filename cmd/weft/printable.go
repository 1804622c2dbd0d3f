package main

import (
	"encoding/json"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/weft-engine/weft/engine/diag"
)

// printable returns a text that a terminal only shows: every control character but
// the ends of lines is replaced by its picture.
func printable(text string) string {
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	for i, line := range lines {
		lines[i] = diag.Clean(line)
	}
	return strings.Join(lines, "\n")
}

// indented returns a text with every line indented.
func indented(text, by string) string {
	return by + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n"+by)
}

// compact returns plain data as JSON on one line.
func compact(v any) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err.Error()
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// brief returns plain data on one line of at most n characters.
func brief(v any, n int) string {
	text, ok := v.(string)
	if !ok {
		text = compact(v)
	}
	runes := []rune(diag.Clean(text))
	if len(runes) <= n {
		return string(runes)
	}
	return string(runes[:n-1]) + "…"
}

// asYAML returns plain data as YAML, for people to read and to edit.
func asYAML(v any) string {
	var b strings.Builder
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	if err := enc.Encode(v); err != nil {
		return compact(v) + "\n"
	}
	return b.String()
}
