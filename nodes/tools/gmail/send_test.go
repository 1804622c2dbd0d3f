package gmail_test

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/nodes/google/googletest"
	"github.com/weft-engine/weft/nodes/internal/googlecall/calltest"
)

func TestSendAnswersInTheConversation(t *testing.T) {
	w := newWorld(t)
	id := w.Deliver(me, letter(1))
	out, err := w.Call(t, `{"action": "send"}`, answer(id))
	got := calltest.Must(t, out, err)
	sent := w.Mails(me, "SENT")
	if len(sent) != 1 {
		t.Fatalf("%d mails were sent", len(sent))
	}
	m := sent[0]
	want := map[string]any{
		"status": "sent", "id": m.ID, "thread_id": w.Mail(me, id).Thread, "message_id": m.Header("Message-ID"), "to": []any{"ana@partner.example"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if m.Thread != w.Mail(me, id).Thread {
		t.Error("the answer is not in the conversation")
	}
	for name, want := range map[string]string{
		"From": "<" + me + ">", "To": "<ana@partner.example>", "Cc": "", "Subject": "Re: Half an hour?", "In-Reply-To": "<1@partner.example>", "References": "<1@partner.example>",
	} {
		if got := m.Header(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	text := "Hi Ana,\n\nTuesday is fine.\n\nLance\n\n\nOn Mon, 9 Mar 2026 at 11:00 +0100, Ana Costa <ana@partner.example> wrote:\n\n> Hi Lance,\n>\n> Tuesday at two?\n>\n> Ana\n"
	if diff := cmp.Diff(text, m.Text()); diff != "" {
		t.Error(diff)
	}
}

func TestSendRecipients(t *testing.T) {
	for _, c := range []struct {
		name, config string
		args         map[string]any
		to, cc       string
	}{
		{"only those who are named", `{"action": "send"}`, nil, "<ana@partner.example>", ""},
		{"to all when asked", `{"action": "send"}`, map[string]any{"reply_all": true}, "<ana@partner.example>", `"Bo" <bo@company.com>`},
		{"nobody twice", `{"action": "send"}`, map[string]any{"cc": []any{"ANA@partner.example", "c@x.example"}}, "<ana@partner.example>", "<c@x.example>"},
		{"a name of letters", `{"action": "send"}`, map[string]any{"to": []any{"Jörg <j@müller.example>"}}, `Jörg <j@xn--mller-kva.example>`, ""},
		{"those who are allowed", `{"action": "send", "recipients": ["@partner.example"]}`, nil, "<ana@partner.example>", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			args := answer(w.Deliver(me, letter(1)))
			maps.Copy(args, c.args)
			out, err := w.Call(t, c.config, args)
			calltest.Must(t, out, err)
			m := w.Mails(me, "SENT")[0]
			if m.Header("To") != c.to || m.Header("Cc") != c.cc {
				t.Errorf("to %q, cc %q", m.Header("To"), m.Header("Cc"))
			}
		})
	}
}

// TestSendRefuses has nothing leave the mailbox.
func TestSendRefuses(t *testing.T) {
	for _, c := range []struct {
		name, config string
		args         map[string]any
		part         string
	}{
		{"an original that is not there", `{"action": "send"}`, map[string]any{"reply_to": "18f00000ff"}, "is not in the mailbox, so nothing was sent"},
		{"a placeholder", `{"action": "send"}`, map[string]any{"reply_to": "NEW EMAIL"}, "is no id of a mail; leave it out for a new mail"},
		{"a path", `{"action": "send"}`, map[string]any{"reply_to": "../messages/1"}, "is no id of a mail"},
		{"a recipient that is none", `{"action": "send"}`, map[string]any{"to": []any{"ana"}}, "is no mail address"},
		{"a recipient of two lines", `{"action": "send"}`, map[string]any{"to": []any{"ana@x.example\r\nBcc: all@x.example"}}, "is more than one line"},
		{"nobody", `{"action": "send"}`, map[string]any{"to": []any{}}, "no recipient"},
		{"nobody at all", `{"action": "send"}`, map[string]any{"to": nil}, "the argument to is missing"},
		{"no text", `{"action": "send"}`, map[string]any{"body": ""}, "the argument body is missing"},
		{"who is not allowed", `{"action": "send", "recipients": ["@company.com"]}`, nil, "mail may not go to ana@partner.example"},
		{"an allow-list that is empty", `{"action": "send", "recipients": []}`, nil, "mail may not go to ana@partner.example"},
		{"who looks allowed", `{"action": "send", "recipients": ["@company.com"]}`, map[string]any{"to": []any{"x@evil-company.com"}}, "mail may not go to"},
		{"who hides in an answer to all", `{"action": "send", "recipients": ["@partner.example"]}`, map[string]any{"reply_all": true}, "mail may not go to bo@company.com"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			args := answer(w.Deliver(me, letter(1)))
			maps.Copy(args, c.args)
			_, err := w.Call(t, c.config, args)
			calltest.WantFailure(t, err, engine.Permanent, c.part)
			if n := len(w.Mails(me, "SENT")) + len(w.Mails(me, "DRAFT")); n != 0 {
				t.Errorf("%d mails left", n)
			}
		})
	}
}

func TestSendOddOriginals(t *testing.T) {
	for _, c := range []struct{ name, raw, subject, note string }{
		{"without Message-ID", "From: ana@partner.example\r\nSubject: Hello\r\n\r\nhi", "Re: Hello", "The mail that this answers has no Message-ID"},
		{"with another subject", "From: ana@partner.example\r\nMessage-ID: <1@x>\r\nSubject: Hello\r\n\r\nhi", "Something else", "Its subject is not that of the mail it answers"},
		{"without a subject", "From: ana@partner.example\r\nMessage-ID: <1@x>\r\n\r\nhi", "Re: (no subject)", ""},
		{"without a sender", "Message-ID: <1@x>\r\nSubject: Hello\r\n\r\nhi", "Re: Hello", ""},
		{"in letters of its own", "From: =?utf-8?q?J=C3=B6rg?= <j@x.example>\r\nMessage-ID: <1@x>\r\nSubject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=\r\n\r\nhi", "Re: Grüße", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			id := w.Deliver(me, []byte(c.raw))
			args := answer(id)
			args["subject"] = c.subject
			out, err := w.Call(t, `{"action": "send"}`, args)
			got := calltest.Must(t, out, err)
			note, _ := got["note"].(string)
			if c.note == "" && note != "" || !strings.Contains(note, c.note) {
				t.Errorf("note %q", note)
			}
			m := w.Mails(me, "SENT")[0]
			if want := strings.Replace(c.subject, "Re: (no subject)", "Re:", 1); m.Header("Subject") != want {
				t.Errorf("subject %q", m.Header("Subject"))
			}
			if same := m.Thread == w.Mail(me, id).Thread; same != (c.note == "") {
				t.Errorf("in the conversation: %t", same)
			}
		})
	}
}

func TestDraftOnly(t *testing.T) {
	for _, config := range []string{`{"action": "send", "draft_only": true}`, `{"action": "draft"}`} {
		w := newWorld(t)
		id := w.Deliver(me, letter(1))
		out, err := w.Call(t, config, answer(id))
		got := calltest.Must(t, out, err)
		if got["status"] != "draft" || !strings.Contains(got["note"].(string), "not sent") {
			t.Errorf("%v", got)
		}
		drafts := w.Mails(me, "DRAFT")
		if len(drafts) != 1 || len(w.Mails(me, "SENT")) != 0 || drafts[0].Thread != w.Mail(me, id).Thread {
			t.Errorf("%d drafts, %d sent", len(drafts), len(w.Mails(me, "SENT")))
		}
		// Done again by a process that does not know: it is found.
		b := w.Tool(t, config)
		o, _, _ := calltest.Op(b, answer(id))
		p := o.(*engine.Perform)
		_, found, err := p.Handler.(engine.Looker).Lookup(t.Context(), calltest.TheCall(p, "thread/run/1"))
		if !found || err != nil {
			t.Errorf("found %t, %v", found, err)
		}
	}
}

// TestOnce sends under every kind of trouble, and dies at every point. Whatever happens,
// one mail is sent, never two.
func TestOnce(t *testing.T) {
	send := "POST /gmail/v1/users/me/messages/send"
	for _, c := range []struct {
		name   string
		faults []googletest.Fault
		class  engine.Class // "" when the call ends well
		sent   int
	}{
		{"no trouble", nil, "", 1},
		{"asked to slow down", []googletest.Fault{{Match: send, Status: 429, Reason: "rateLimitExceeded", RetryAfter: "3"}}, "", 1},
		{"too many by quota", []googletest.Fault{{Match: send, Status: 403, Reason: "userRateLimitExceeded", Times: 3}}, "", 1},
		{"the answer is lost", []googletest.Fault{{Match: send, Lost: true}}, "", 1},
		{"the request is lost", []googletest.Fault{{Match: send, Cut: true}}, "", 1},
		{"a server that is ill", []googletest.Fault{{Match: send, Status: 503, Reason: "backendError", Times: 2}}, "", 1},
		{"the answer is lost and nobody can look", []googletest.Fault{{Match: send, Lost: true}, {Match: "GET /gmail/v1/users/me/messages?", Status: 500, Reason: "backendError", Times: -1}}, engine.Uncertain, 1},
		{"slow down for ever", []googletest.Fault{{Match: send, Status: 429, Reason: "rateLimitExceeded", Times: -1}}, engine.Transient, 0},
		{"no quota today", []googletest.Fault{{Match: send, Status: 403, Reason: "dailyLimitExceeded", Times: -1}}, engine.Permanent, 0},
		{"the original cannot be read now", []googletest.Fault{{Match: "GET /gmail/v1/users/me/messages/", Status: 503, Reason: "backendError", Times: -1}}, engine.Transient, 0},
	} {
		for _, renames := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, renames %t", c.name, renames), func(t *testing.T) {
				t.Parallel()
				w := newWorld(t)
				w.NewMessageIDs = renames
				id := w.Deliver(me, letter(1))
				for _, f := range c.faults {
					w.Fault(f)
				}
				_, err := w.Call(t, `{"action": "send"}`, answer(id))
				if c.class == "" && err != nil {
					t.Fatal(err)
				}
				if c.class != "" {
					calltest.WantFailure(t, err, c.class, "the mail")
				}
				if n := len(w.Mails(me, "SENT")); n != c.sent {
					t.Errorf("%d mails were sent, want %d", n, c.sent)
				}
				w.Heal()
				again(t, w, id, c.sent == 1)
				if n := len(w.Mails(me, "SENT")); n != 1 {
					t.Errorf("%d mails were sent in the end", n)
				}
			})
		}
	}
}

// again is what a new process does with a call in doubt: it looks it up, and makes it
// only when it was not made.
func again(t *testing.T, w *world, id string, want bool) {
	t.Helper()
	w.Restart()
	w.Clock.Advance(3 * time.Hour)
	o, _, err := calltest.Op(w.Tool(t, `{"action": "send"}`), answer(id))
	if err != nil {
		t.Fatal(err)
	}
	p := o.(*engine.Perform)
	res, found, err := p.Handler.(engine.Looker).Lookup(t.Context(), calltest.TheCall(p, "thread/run/1"))
	if err != nil || found != want {
		t.Fatalf("found %t, want %t: %v", found, want, err)
	}
	if found {
		if sent := w.Mails(me, "SENT"); res.Value.(map[string]any)["id"] != sent[0].ID {
			t.Errorf("found %v", res.Value)
		}
		return
	}
	if _, err := p.Handler.Handle(t.Context(), calltest.TheCall(p, "thread/run/1")); err != nil {
		t.Fatal(err)
	}
}

// TestKilled ends a process at each request of a call, before and after Google has seen
// it, and has another one go on.
func TestKilled(t *testing.T) {
	runs := 0
	for _, after := range []bool{false, true} {
		for point := range 12 {
			for _, match := range []string{"", "/send", "GET "} {
				w := newWorld(t)
				id := w.Deliver(me, letter(1))
				ctx, kill := context.WithCancel(t.Context())
				w.Accounts.HTTP = &calltest.Killer{Match: match, Point: point, After: after, Kill: kill}
				_, err := w.Keyed(ctx, t, `{"action": "send"}`, "thread/run/1", answer(id))
				kill()
				n := len(w.Mails(me, "SENT"))
				if err == nil && n != 1 || n > 1 {
					t.Fatalf("point %d: %d sent, %v", point, n, err)
				}
				again(t, w, id, n == 1)
				if n := len(w.Mails(me, "SENT")); n != 1 {
					t.Fatalf("point %d: %d mails were sent in the end", point, n)
				}
				runs++
			}
		}
	}
	t.Logf("%d runs", runs)
}

// TestTwoCallsAreTwoMails holds that the identity is the call's and not the mail's.
func TestTwoCallsAreTwoMails(t *testing.T) {
	w := newWorld(t)
	id := w.Deliver(me, letter(1))
	for _, key := range []string{"thread/run/1", "thread/run/2"} {
		if _, err := w.Keyed(t.Context(), t, `{"action": "send"}`, key, answer(id)); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(w.Mails(me, "SENT")); n != 2 {
		t.Errorf("%d mails were sent", n)
	}
}
