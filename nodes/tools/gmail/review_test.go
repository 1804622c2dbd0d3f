package gmail_test

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/nodes/internal/googlecall/calltest"
	"github.com/weft-engine/weft/nodes/internal/nodetest"
	"github.com/weft-engine/weft/nodes/tools/gmail"
)

// look reviews a draft without any account.
func look(t testing.TB, config string, args map[string]any) map[string]any {
	t.Helper()
	s, list := calltest.Scope(t)
	b := gmail.Type(gmail.Deps{}).Build(s, &engine.Tool{Name: "x", Params: calltest.Open(t)}, nodetest.Tree(t, config))
	if list.Len() > 0 {
		t.Fatalf("%v", list.Sorted())
	}
	o, out, err := calltest.Op(b, args)
	if o != nil {
		t.Fatal("a review asks somebody")
	}
	plain, errPlain := engine.Plain(out)
	if errPlain != nil {
		t.Fatal(errPlain)
	}
	return calltest.Must(t, plain, err)
}

func TestReview(t *testing.T) {
	args := answer("m1")
	args["cc"] = []any{"eve@evil.example"}
	args["call_id"] = "c7"
	args["user"] = map[string]any{"name": "Lance Martin", "address": me}
	args["email"] = map[string]any{
		"id": "m1", "from": "Ana Costa <ana@partner.example>", "to": me, "subject": "Half an hour?", "body": "Hi Lance,\n\nTuesday at two?", "date": "2026-03-09T12:00:00Z",
		"attachments": []any{map[string]any{"name": "a.pdf", "type": "application/pdf", "size": 2048}},
	}
	want := map[string]any{
		"id": "c7", "kind": "answer", "from": "Lance Martin <" + me + ">", "to": []any{"ana@partner.example"}, "cc": []any{"eve@evil.example"}, "bcc": []any{},
		"subject": "Re: Half an hour?", "body": "Hi Ana,\n\nTuesday is fine.\n\nLance", "draft_only": true, "note": "", "problem": "",
		"quoted": "On Mon, 9 Mar 2026 at 12:00 +0000, Ana Costa <ana@partner.example> wrote:\n\n> Hi Lance,\n>\n> Tuesday at two?",
		"flags": []any{
			map[string]any{"kind": "not_allowed", "value": "eve@evil.example", "text": "Mail may not go to eve@evil.example: the spec does not list it under recipients. It will be refused."},
			map[string]any{"kind": "new_domain", "value": "eve@evil.example", "text": "eve@evil.example was not in this conversation, and nobody of evil.example was."},
			map[string]any{"kind": "attachment", "value": "a.pdf", "text": "The mail carries a.pdf (application/pdf, 2 KB). It was not read."},
		},
	}
	got := look(t, `{"action": "review", "draft_only": true, "recipients": ["@partner.example"]}`, args)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestReviewOfOddDrafts(t *testing.T) {
	for _, c := range []struct {
		name         string
		change       func(args map[string]any)
		field, part  string
		quoted, kind string
	}{
		{"a new mail", func(a map[string]any) { delete(a, "reply_to") }, "problem", "", "", "new"},
		{"an answer to another mail than the one at hand", func(a map[string]any) { a["reply_to"] = "m2" }, "note", "", "", "answer"},
		{"another subject", func(a map[string]any) { a["subject"] = "Lunch" }, "note", "begins a conversation of its own", "Ana", "answer"},
		{"a recipient that is none", func(a map[string]any) { a["to"] = []any{"ana"} }, "problem", `"ana" is no mail address`, "", "answer"},
		{"nobody", func(a map[string]any) { a["to"] = []any{} }, "problem", "no recipient", "", "answer"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			args := answer("m1")
			args["email"] = map[string]any{"id": "m1", "from": "Ana <ana@partner.example>", "to": me, "subject": "Half an hour?", "body": "Hi"}
			c.change(args)
			got := look(t, `{"action": "review"}`, args)
			if text := got[c.field].(string); !strings.Contains(text, c.part) || c.part == "" && text != "" || got["kind"] != c.kind {
				t.Errorf("%v", got)
			}
			if quoted := got["quoted"].(string); (c.quoted == "") != (quoted == "") {
				t.Errorf("quoted %q", quoted)
			}
		})
	}
}

// TestReviewIsWhatIsSent compares a review with the mail that goes out.
func TestReviewIsWhatIsSent(t *testing.T) {
	w := newWorld(t)
	id := w.Deliver(me, letter(1))
	email, err := w.Call(t, `{"action": "fetch"}`, map[string]any{"id": id})
	if err != nil {
		t.Fatal(err)
	}
	args := answer(id)
	args["reply_all"] = true
	shown := map[string]any{"email": email, "user": map[string]any{"address": me}}
	maps.Copy(shown, args)
	seen := look(t, `{"action": "review"}`, shown)
	if _, err := w.Call(t, `{"action": "send"}`, args); err != nil {
		t.Fatal(err)
	}
	m := w.Mails(me, "SENT")[0]
	to, _ := json.Marshal([]any{seen["to"], seen["cc"]})
	if string(to) != `[["ana@partner.example"],["bo@company.com"]]` || m.Header("Cc") != `"Bo" <bo@company.com>` || seen["subject"] != m.Header("Subject") {
		t.Errorf("%s, sent to %s, %s", to, m.Header("To"), m.Header("Cc"))
	}
	// The date is when it came in here, and what the mail says there.
	body := seen["body"].(string) + "\n\n\n" + seen["quoted"].(string) + "\n"
	if want := strings.Replace(body, "12:00 +0000", "11:00 +0100", 1); m.Text() != want {
		t.Error(cmp.Diff(want, m.Text()))
	}
}
