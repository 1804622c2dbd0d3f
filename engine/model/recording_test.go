package model_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-engine/weft/engine/chat"
	"github.com/weft-engine/weft/engine/model"
	"github.com/weft-engine/weft/engine/secret"
)

func ask(t *testing.T, c chat.Client, req chat.Request) (chat.Response, string) {
	t.Helper()
	var told strings.Builder
	resp, err := c.Complete(t.Context(), req, func(d chat.Delta) { told.WriteString(d.Text) })
	if err != nil {
		return resp, failed(t, err).Message
	}
	if told.String() != resp.Message.Content {
		t.Errorf("told %q, answered %q", told.String(), resp.Message.Content)
	}
	return resp, ""
}

func question(text string) chat.Request {
	req := hello(gpt())
	req.Messages = []chat.Message{{Role: chat.System, Content: "Be kind."}, {Role: chat.User, Content: text}}
	req.Tools = []chat.Tool{{Name: "send", Parameters: map[string]any{"type": "object"}}}
	return req
}

func TestRecordAndReplay(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "new", "recordings")
	rec := &model.Recorder{Dir: dir, Vault: vault(), Client: script(t, `[
		{"text": "first"}, {"text": "second"}, {"call": {"name": "send", "args": {"n": 3, "x": 1.5, "big": 12345678901}}},
		{"error": {"status": 503, "message": "overloaded", "retry_after": "90s"}}, {"call": {"name": "send", "args": "{oops"}}]`)}
	var want []chat.Response
	var wantErr []string
	run := func(c chat.Client) (out []chat.Response, errs []string) {
		for _, text := range []string{"same", "same", "call", "fail", "malformed"} {
			resp, err := ask(t, c, question(text))
			out, errs = append(out, resp), append(errs, err)
		}
		return out, errs
	}
	want, wantErr = run(rec)
	if wantErr[3] != "overloaded" {
		t.Fatal(wantErr)
	}
	for range 2 { // a second player begins anew
		p, err := model.NewReplayer(dir, vault())
		if err != nil {
			t.Fatal(err)
		}
		got, gotErr := run(p)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff(wantErr, gotErr); diff != "" {
			t.Error(diff)
		}
		if _, err := p.Complete(t.Context(), question("same"), nil); !strings.Contains(failed(t, err).Message, "is in the recordings 2 times") {
			t.Error(err)
		}
	}
	p, err := model.NewReplayer(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = p.Complete(t.Context(), question("fail"), nil)
	if diff := cmp.Diff(&chat.Error{Message: "overloaded", Status: 503, Transient: true, RetryAfter: 90 * time.Second}, failed(t, err)); diff != "" {
		t.Error(diff)
	}
	files, _ := os.ReadDir(dir)
	for _, f := range files {
		info, _ := f.Info()
		if info.Mode().Perm() != 0o600 || strings.HasPrefix(f.Name(), ".") {
			t.Errorf("%s has mode %v", f.Name(), info.Mode())
		}
	}
	if len(files) != 5 {
		t.Errorf("%d files", len(files))
	}
}

func TestReplayIgnoresWhatNoProviderSees(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	req := question("x")
	req.Key, req.Messages[0].ID = "run1/3", "m1"
	if _, err := ask(t, &model.Recorder{Dir: dir, Client: script(t, `[{"text": "yes"}]`)}, req); err != "" {
		t.Fatal(err)
	}
	p, err := model.NewReplayer(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Key, req.Node, req.Messages[0].ID = "run2/5", "elsewhere", "m2"
	req.Model = &chat.Model{Name: "renamed", Provider: "openai", Model: "gpt-4.1", Timeout: time.Hour}
	if resp, err := ask(t, p, req); resp.Message.Content != "yes" {
		t.Error(err)
	}
}

func TestReplayMiss(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	rec := &model.Recorder{Dir: dir, Client: script(t, `[{"repeat": true, "text": "yes"}]`)}
	long := strings.Repeat("All work and no play. ", 10)
	near := question(long + "The end.")
	ask(t, rec, near)
	ask(t, rec, hello(gpt()))
	tests := []struct {
		name   string
		change func(*chat.Request)
		want   string
	}{
		{
			"content", func(r *chat.Request) { r.Messages[1].Content = long + "THE END." },
			`messages[1].content differs: recorded "…work and no play. The end.", asked "…work and no play. THE END."`,
		},
		{"role", func(r *chat.Request) { r.Messages[0].Role = chat.User }, `messages[0].role differs: recorded "system", asked "user"`},
		{"one more message", func(r *chat.Request) {
			r.Messages = append(r.Messages, chat.Message{Role: chat.ToolRole, Content: "ok"})
		}, `messages[2] is missing: asked is {"content":"ok","role":"tool"}`},
		{"one message less", func(r *chat.Request) { r.Messages = r.Messages[:1] }, `messages[1] is recorded and not asked: {"content":"All work`},
		{"tool", func(r *chat.Request) { r.Tools[0].Name = "sent" }, `tools[0].name differs: recorded "send", asked "sent"`},
		{
			"schema of a tool", func(r *chat.Request) { r.Tools[0].Parameters = map[string]any{"type": []any{"object"}} },
			`tools[0].parameters.type differs: recorded "object", asked ["object"]`,
		},
		{"limit", func(r *chat.Request) { r.MaxTokens = 5 }, `max_tokens is missing: asked is 5`},
		{"model", func(r *chat.Request) { r.Model.Model = "gpt-5" }, `model.model differs: recorded "gpt-4.1", asked "gpt-5"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p, err := model.NewReplayer(dir, nil)
			if err != nil {
				t.Fatal(err)
			}
			req := question(long + "The end.")
			tt.change(&req)
			_, err = p.Complete(t.Context(), req, nil)
			e := failed(t, err)
			if e.Transient || !strings.Contains(e.Message, `no recording answers this request of node "g/agent"; the nearest is `) || !strings.Contains(e.Message, tt.want) {
				t.Error(e)
			}
		})
	}
}

func TestRecordingsHaveNoSecrets(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	v := vault()
	if _, err := v.Resolve(secret.Ref{Env: "API_KEY"}); err != nil {
		t.Fatal(err)
	}
	client := script(t, `[{"text": "your key is `+apiKey+`"}, {"error": {"message": "bad key `+apiKey+`"}}]`)
	rec := &model.Recorder{Dir: dir, Client: client, Vault: v}
	req := question("my key is " + apiKey)
	req.Tools[0].Parameters = map[string]any{apiKey: "x"}
	resp, _ := ask(t, rec, req)
	if !strings.Contains(resp.Message.Content, apiKey) {
		t.Error("the answer itself was changed")
	}
	ask(t, rec, question("again"))
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) != 2 {
		t.Fatal(files, err)
	}
	for _, f := range files {
		data, _ := os.ReadFile(f)
		if strings.Contains(string(data), apiKey) || !strings.Contains(string(data), secret.Mark) {
			t.Errorf("%s: %s", f, data)
		}
	}
	p, err := model.NewReplayer(dir, v)
	if err != nil {
		t.Fatal(err)
	}
	if resp, msg := ask(t, p, req); resp.Message.Content != "your key is "+secret.Mark {
		t.Error(resp, msg)
	}
}

func TestRecorderTrouble(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, msg := ask(t, &model.Recorder{Dir: file, Client: script(t, `[{"text": "x"}]`)}, question("x"))
	if !strings.Contains(msg, `the exchange of node "g/agent" cannot be recorded`) {
		t.Error(msg)
	}
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := (&model.Recorder{Dir: dir, Client: script(t, `[{"text": "x"}]`)}).Complete(ctx, question("x"), nil)
	if files, _ := os.ReadDir(dir); err == nil || len(files) > 0 {
		t.Errorf("a stopped request was recorded: %v %v", err, files)
	}
}

func TestReplayerTrouble(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, content, want string }{
		{"empty.json", ``, "recording empty.json: EOF"},
		{"list.json", `[]`, "recording list.json: not an object"},
		{"cut.json", `{"version": 1`, "recording cut.json: unexpected EOF"},
		{"newer.json", `{"version": 2, "response": {}}`, "recording newer.json: version 2, and this program reads version 1: record it again"},
		{"nothing.json", `{"version": 1}`, "recording nothing.json: must have a response or an error"},
		{"types.json", `{"version": "1"}`, "recording types.json: json: cannot unmarshal string into Go struct field recording.version of type int"},
		{"notes.txt", `x`, "there are no recordings in "},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, tt.name), []byte(tt.content), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := model.NewReplayer(dir, nil); err == nil || !strings.HasPrefix(err.Error(), tt.want) {
				t.Error(err)
			}
		})
	}
	if _, err := model.NewReplayer(filepath.Join(t.TempDir(), "none"), nil); err == nil || !strings.HasPrefix(err.Error(), "read recordings: ") {
		t.Error(err)
	}
}

func FuzzRecording(f *testing.F) {
	f.Add([]byte(`{"version": 1, "node": "g/a", "use": 1, "request": {"messages": [{"role": "user", "content": "Hello"}]}, "response": {"message": {"role": "assistant", "content": "", "tool_calls": [{"id": "a", "name": "b", "args": {"n": 1}}]}, "usage": {}}}`))
	f.Add([]byte(`{"version": 1, "use": -1, "request": [1, {"a": null}], "error": {"message": "x", "retry_after": 5}}`))
	f.Add([]byte(`{"version": 1, "request": null, "response": {"message": {"tool_calls": [{"args": null}, {}]}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		rec, err := model.ReadRecording("x.json", data)
		if err != nil {
			return
		}
		p := model.ReplayerOf(t, rec)
		_, err = p.Complete(t.Context(), question("x"), nil)
		if err == nil {
			t.Fatal("answered what was not asked")
		}
		if msg := failed(t, err).Message; len(msg) > 2000 {
			t.Fatalf("%d bytes of message", len(msg))
		}
	})
}

var (
	_ chat.Client = (*model.Recorder)(nil)
	_ chat.Client = (*model.Replayer)(nil)
)
