package decision_test

import (
	"strings"
	"testing"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/build"
	"github.com/weft-engine/weft/engine/chat"
	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/source"
	"github.com/weft-engine/weft/nodes/internal/decision"
)

func policy(t *testing.T, title, description string) *engine.Policy {
	t.Helper()
	list := &diag.List{}
	s := build.New(&source.Value{Kind: source.Map}, build.Types{}, list).NewScope(nil, list).With("call", nil).With("who", nil)
	text := func(v string) *engine.Text { return s.Text(&source.Value{Kind: source.String, Text: v, Raw: v}) }
	p := &engine.Policy{Allow: []engine.Response{engine.Ignore}, Title: text(title), Description: text(description)}
	if list.Len() > 0 {
		t.Fatal(list.Sorted())
	}
	return p
}

func TestQuestion(t *testing.T) {
	call := chat.ToolCall{ID: "c", Name: "send", Args: map[string]any{"to": "bo"}}
	for _, tc := range []struct{ name, title, description, wantTitle, wantDescription string }{
		{"rendered", "{{ call.name }} to {{ call.args.to }}", "For {{ who }}", "send to bo", "For al"},
		{"no title", "", "x", "send", "x"},
		{"many lines", "a\n\n b\tc ", "a\nb", "a b c", "a\nb"},
		{"long", strings.Repeat("é", 300), "", strings.Repeat("é", 199) + "…", ""},
		{"title fails", "{{ call.args.to.x.y }}", "x", "send", "x"},
	} {
		ask := decision.Question(map[string]any{"who": "al"}, policy(t, tc.title, tc.description), call, nil)
		if ask.Request.Title != tc.wantTitle || ask.Request.Description != tc.wantDescription {
			t.Errorf("%s: got %q, %q", tc.name, ask.Request.Title, ask.Request.Description)
		}
	}
	ask := decision.Question(map[string]any{}, policy(t, "x", "{{ call.args.to.x.y }}"), call, nil)
	if !strings.Contains(ask.Request.Description, "cannot be shown") {
		t.Errorf("got %q", ask.Request.Description)
	}
	long := decision.Question(map[string]any{"who": strings.Repeat("x", 1<<20)}, policy(t, "x", "{{ who }}"), call, nil)
	if n := len(long.Request.Description); n > 300<<10 {
		t.Errorf("the description has %d bytes", n)
	}
}

// A policy that says nothing of an answer goes on with accept and edit only.
func TestOn(t *testing.T) {
	for response, runs := range map[engine.Response]bool{engine.Accept: true, engine.Edit: true, engine.Respond: false, engine.Ignore: false} {
		m := decision.Made{Policy: &engine.Policy{}, Answer: &engine.Answer{Response: response}}
		if got := m.On(); got.Run != runs || got.Stop {
			t.Errorf("%s: %+v", response, got)
		}
	}
}
