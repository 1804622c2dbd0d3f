package diag_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/weft-engine/weft/engine/diag"
)

// What reads like a credential is in no finding: neither in the line that is shown, nor
// in its words. The line keeps its columns, and what is no credential stays.
func TestCredentialsAreStruckOut(t *testing.T) {
	const token = "sk-abcdefghijklmnopqrstuvwx"
	for line, want := range map[string]string{
		`api_key: hunter2`:                          `api_key: *******`,
		`m: {api_key: hunter2, model: x}`:           `m: {api_key: *******, model: x}`,
		`"api-key": "hunter, 2", "model": "x"`:      `"api-key": ***********, "model": "x"`,
		`PASSWORD='hunter2'`:                        `PASSWORD=*********`,
		`Authorization: Bearer 12345678  # mine`:    `Authorization: ***********************`,
		`apikey: hunter2: x`:                        `apikey: **********`,
		`note: use ` + token + ` here`:              `note: use *************************** here`,
		`url: https://me:pass@example.com`:          `url: ****************example.com`,
		`api_key: {env: NAME}`:                      `api_key: {env: NAME}`,
		`api_key: *shared`:                          `api_key: *shared`,
		`password: {type: string, minLength: 8}`:    `password: {type: string, minLength: 8}`,
		`token: "{{ input.token }}"`:                `token: "{{ input.token }}"`,
		`max_tokens: 4096, token: 5, secret: false`: `max_tokens: 4096, token: 5, secret: false`,
		`cache: {key: '"k" + id'}`:                  `cache: {key: '"k" + id'}`,
		`required: [token, secret]`:                 `required: [token, secret]`,
	} {
		var b bytes.Buffer
		source := func(string) []byte { return []byte(line) }
		if err := diag.Text(&b, []diag.Finding{rules[0].At(diag.Pos{File: "a", Line: 1, Col: 1}, "wrong")}, source); err != nil {
			t.Fatal(err)
		}
		shown := strings.TrimPrefix(strings.Split(b.String(), "\n")[1], " 1 | ")
		if shown != want {
			t.Errorf("%s\n is shown as %s\n       want %s", line, shown, want)
		}
	}
	f := rules[0].At(diag.Pos{}, "%q is wrong", token).WithHint("not %s", token).WithRelated(diag.Pos{}, "see %s", token)
	for name, print := range map[string]func(*bytes.Buffer) error{
		"json":   func(b *bytes.Buffer) error { return diag.JSON(b, []diag.Finding{f}) },
		"text":   func(b *bytes.Buffer) error { return diag.Text(b, []diag.Finding{f}, nil) },
		"github": func(b *bytes.Buffer) error { return diag.GitHub(b, []diag.Finding{f}) },
	} {
		var b bytes.Buffer
		if err := print(&b); err != nil || strings.Contains(b.String(), token) || !strings.Contains(b.String(), "***") {
			t.Errorf("%s: %v\n%s", name, err, b.String())
		}
	}
}
