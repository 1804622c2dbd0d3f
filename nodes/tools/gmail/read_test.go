package gmail_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/nodes/google/googletest"
	"github.com/weft-engine/weft/nodes/internal/googlecall/calltest"
)

func TestFetch(t *testing.T) {
	w := newWorld(t)
	id := w.Deliver(me, letter(1))
	out, err := w.Call(t, `{"action": "fetch"}`, map[string]any{"id": id})
	want := map[string]any{
		"id": id, "thread_id": id, "message_id": "<1@partner.example>", "from": "Ana Costa <ana@partner.example>", "to": "Lance <lance@company.com>",
		"cc": "Bo <bo@company.com>", "subject": "Half an hour?", "date": "2026-03-09T12:00:00Z", "body": "Hi Lance,\n\nTuesday at two?\n\nAna",
		"labels": []any{"INBOX", "UNREAD"},
	}
	if diff := cmp.Diff(want, calltest.Must(t, out, err)); diff != "" {
		t.Error(diff)
	}
}

// TestLabelledMails reads the 16 labelled mails as Gmail has them.
func TestLabelledMails(t *testing.T) {
	data, err := os.ReadFile("../../../testdata/email/dataset.json")
	if err != nil {
		t.Fatal(err)
	}
	var set struct {
		Emails []struct{ ID, Author, To, Subject, Thread string }
	}
	if err := json.Unmarshal([]byte(strings.ReplaceAll(string(data), `"email_thread"`, `"Thread"`)), &set); err != nil || len(set.Emails) != 16 {
		t.Fatalf("%d mails, %v", len(set.Emails), err)
	}
	w := newWorld(t)
	for _, m := range set.Emails {
		raw := fmt.Sprintf("From: %s\r\nTo: %s\r\nSubject: %s\r\nMessage-ID: <%s@x.example>\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n\r\n%s",
			m.Author, m.To, m.Subject, m.ID, base64.StdEncoding.EncodeToString([]byte(m.Thread)))
		id := w.Deliver(me, []byte(raw))
		out, err := w.Call(t, `{"action": "fetch"}`, map[string]any{"id": id})
		got := calltest.Must(t, out, err)
		if got["from"] != m.Author || got["to"] != m.To || got["subject"] != m.Subject || got["body"] != strings.TrimSpace(m.Thread) {
			if strings.Join(strings.Fields(got["body"].(string)), " ") != strings.Join(strings.Fields(m.Thread), " ") {
				t.Errorf("%s reads %v", m.ID, got)
			}
		}
	}
}

// TestLargeMail reads a mail of 25 MB, as a file and as text.
func TestLargeMail(t *testing.T) {
	w := newWorld(t)
	file := "From: a@x.example\r\nSubject: file\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nSee the file.\r\n--b\r\nContent-Type: application/zip; name=all.zip\r\nContent-Transfer-Encoding: base64\r\n\r\n" +
		base64.StdEncoding.EncodeToString(make([]byte, 18<<20)) + "\r\n--b--\r\n"
	out, err := w.Call(t, `{"action": "fetch"}`, map[string]any{"id": w.Deliver(me, []byte(file))})
	got := calltest.Must(t, out, err)
	want := []any{map[string]any{"name": "all.zip", "type": "application/zip", "size": 18 << 20}}
	if diff := cmp.Diff(want, got["attachments"]); diff != "" || got["body"] != "See the file." {
		t.Errorf("%s %q", diff, got["body"])
	}
	text := "From: a@x.example\r\nSubject: text\r\nMessage-ID: <big@x.example>\r\n\r\n" + strings.Repeat("All work and no play. ", 25<<20/22)
	id := w.Deliver(me, []byte(text))
	out, err = w.Call(t, `{"action": "fetch"}`, map[string]any{"id": id})
	got = calltest.Must(t, out, err)
	if body := got["body"].(string); len(body) > 1000 || !strings.Contains(body, "too large to be read") || got["subject"] != "text" || got["from"] != "a@x.example" {
		t.Errorf("%v", got["subject"])
	}
	// Of one that is not as large the beginning is read.
	long := "From: a@x.example\r\nSubject: long\r\n\r\n" + strings.Repeat("All work and no play. ", 2_400_000/22)
	out, err = w.Call(t, `{"action": "fetch"}`, map[string]any{"id": w.Deliver(me, []byte(long))})
	got = calltest.Must(t, out, err)
	if body := got["body"].(string); len(body) < 200_000 || len(body) > 300_000 || !strings.Contains(body, "more bytes of this mail are not shown") || got["shortened"] != true {
		t.Errorf("%d bytes, shortened %v", len(body), got["shortened"])
	}
	// It can be answered all the same.
	args := answer(id)
	args["subject"] = "Re: text"
	out, err = w.Call(t, `{"action": "send"}`, args)
	calltest.Must(t, out, err)
	if m := w.Mails(me, "SENT")[0]; m.Header("In-Reply-To") != "<big@x.example>" || len(m.Raw) > 10_000 {
		t.Errorf("%d bytes answer %s", len(m.Raw), m.Header("In-Reply-To"))
	}
}

func TestManyMails(t *testing.T) {
	w := newWorld(t)
	a, b := w.Deliver(me, letter(1)), w.Deliver(me, letter(2))
	out, err := w.Call(t, `{"action": "fetch"}`, map[string]any{"id": []any{a, "18f0aaaaaa", b, "no/id"}})
	got := calltest.Must(t, out, err)
	done := got["done"].([]any)
	if len(done) != 2 || done[0].(map[string]any)["id"] != a || done[1].(map[string]any)["id"] != b {
		t.Errorf("done %v", done)
	}
	want := []any{
		map[string]any{"id": "18f0aaaaaa", "problem": "there is no mail 18f0aaaaaa in this mailbox"},
		map[string]any{"id": "no/id", "problem": `"no/id" is no id of a mail`},
	}
	if diff := cmp.Diff(want, got["failed"]); diff != "" {
		t.Error(diff)
	}
	_, err = w.Call(t, `{"action": "fetch"}`, map[string]any{"id": []any{"18f0aaaaaa"}})
	calltest.WantFailure(t, err, engine.Permanent, "there is no mail")
}

func TestSearch(t *testing.T) {
	w := newWorld(t)
	for i := range 15 {
		w.Clock.Advance(time.Second)
		w.Deliver(me, letter(i))
	}
	w.Deliver(me, []byte("From: x@y.example\r\nSubject: other\r\n\r\nx"))
	out, err := w.Call(t, `{"action": "search"}`, map[string]any{"query": "from:ana"})
	list, _ := out.([]any)
	if err != nil || len(list) != 10 || list[0].(map[string]any)["message_id"] != "<14@partner.example>" || list[0].(map[string]any)["body"] != "Hi Lance, Tuesday at two? Ana" {
		t.Fatalf("%d found, %v", len(list), err)
	}
	if out, _ = w.Call(t, `{"action": "search", "limit": 3}`, map[string]any{"query": "from:ana"}); len(out.([]any)) != 3 {
		t.Errorf("%d found", len(out.([]any)))
	}
	if out, err = w.Call(t, `{"action": "search"}`, map[string]any{"query": "from:nobody"}); err != nil || len(out.([]any)) != 0 {
		t.Errorf("%v %v", out, err)
	}
}

func TestThread(t *testing.T) {
	w := newWorld(t)
	id := w.Deliver(me, letter(1))
	out, err := w.Call(t, `{"action": "thread"}`, map[string]any{"id": id})
	if got := calltest.Must(t, out, err); got["answered"] != false || len(got["mails"].([]any)) != 1 {
		t.Errorf("%v", got)
	}
	w.Clock.Advance(time.Minute)
	if _, err := w.Call(t, `{"action": "send"}`, answer(id)); err != nil {
		t.Fatal(err)
	}
	out, err = w.Call(t, `{"action": "thread"}`, map[string]any{"id": id})
	got := calltest.Must(t, out, err)
	mails := got["mails"].([]any)
	if got["answered"] != true || len(mails) != 2 || mails[1].(map[string]any)["from"] != me || got["left_out"] != 0 {
		t.Errorf("%v", got)
	}
	_, err = w.Call(t, `{"action": "thread"}`, map[string]any{"id": "18f0aaaaaa"})
	calltest.WantFailure(t, err, engine.Permanent, "there is no conversation")
}

func TestLabels(t *testing.T) {
	for _, c := range []struct {
		name, config string
		args         map[string]any
		want         []string
		part         string
	}{
		{"read", `{"action": "mark_read"}`, nil, []string{"INBOX"}, ""},
		{"archived", `{"action": "archive"}`, nil, []string{"UNREAD"}, ""},
		{"starred", `{"action": "label"}`, map[string]any{"add": "starred", "remove": []any{"UNREAD"}}, []string{"INBOX", "STARRED"}, ""},
		{"a label that is made", `{"action": "label", "create_labels": true}`, map[string]any{"add": "Weft/done"}, []string{"INBOX", "UNREAD", "Weft/done"}, ""},
		{"a label that is not there", `{"action": "label"}`, map[string]any{"add": "Weft/done"}, nil, `has no label "Weft/done": make it in Gmail, or set create_labels`},
		{"nothing", `{"action": "label"}`, nil, nil, "nothing to add"},
		{"where people do not look", `{"action": "label"}`, map[string]any{"add": "trash"}, nil, "the label TRASH cannot be put on"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			id := w.Deliver(me, letter(1))
			args := map[string]any{"id": id}
			maps.Copy(args, c.args)
			for range 2 { // doing it twice changes nothing
				out, err := w.Call(t, c.config, args)
				if c.part != "" {
					calltest.WantFailure(t, err, engine.Permanent, c.part)
					continue
				}
				if diff := cmp.Diff(map[string]any{"done": []any{id}, "failed": []any{}}, calltest.Must(t, out, err)); diff != "" {
					t.Error(diff)
				}
				if diff := cmp.Diff(c.want, w.Mail(me, id).Labels); diff != "" {
					t.Error(diff)
				}
			}
		})
	}
}

// TestTrouble is what a person gets to read when things do not work.
func TestTrouble(t *testing.T) {
	fetch := "GET /gmail/v1/users/me/messages/"
	for _, c := range []struct {
		name  string
		make  func(w *world)
		class engine.Class
		part  string
	}{
		{"revoked", func(w *world) { w.Withdraw(me) }, engine.Permanent, "has expired or was revoked (while an app is in testing, logins end after 7 days). Run `weft auth google`."},
		{"no login", func(w *world) { _ = os.Remove(w.Dir + "/" + me + ".json") }, engine.Permanent, "no Google account is logged in. Run `weft auth google`."},
		{"a broken login", func(w *world) { _ = os.WriteFile(w.Dir+"/"+me+".json", []byte("{"), 0o600) }, engine.Permanent, "cannot be read. Run `weft auth google`."},
		{"two logins", func(w *world) { w.Account("b@x.example", "UTC"); w.LogIn(nil2{}, w.Dir, "b@x.example") }, engine.Permanent, "2 accounts are logged in (b@x.example, lance@company.com): say which one with `account`"},
		{"a narrow login", func(w *world) { w.LogIn(nil2{}, w.Dir, me, "gmail.send") }, engine.Permanent, "the login does not cover this. Run `weft auth google`."},
		{"no network", func(w *world) { w.Fault(googletest.Fault{Match: fetch, Cut: true, Times: -1}) }, engine.Transient, "no answer from Google"},
		{"slow down", func(w *world) {
			w.Fault(googletest.Fault{Match: fetch, Status: 429, Reason: "rateLimitExceeded", RetryAfter: "120", Times: -1})
		}, engine.Transient, "Google asks to slow down (429)"},
		{"no quota", func(w *world) {
			w.Fault(googletest.Fault{Match: fetch, Status: 403, Reason: "dailyLimitExceeded", Times: -1})
		}, engine.Permanent, "the daily quota of the Google project is used up"},
		{"API off", func(w *world) {
			w.Fault(googletest.Fault{Match: fetch, Status: 403, Reason: "accessNotConfigured", Times: -1})
		}, engine.Permanent, "enable the Gmail API"},
		{"token endpoint ill", func(w *world) {
			w.Expire()
			w.Fault(googletest.Fault{Match: "POST /token", Status: 503, Reason: "backendError", Times: -1})
		}, engine.Transient, "Google cannot renew the login now"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			id := w.Deliver(me, letter(1))
			c.make(w)
			_, err := w.Call(t, `{"action": "fetch"}`, map[string]any{"id": id})
			calltest.WantFailure(t, err, c.class, c.part)
			if text := err.Error(); strings.Contains(text, "ya29") || strings.Contains(text, "1//") || strings.Contains(text, googletest.ClientSecret) {
				t.Errorf("a secret is told: %s", text)
			}
		})
	}
}

// TestExpired renews a login by itself, and keeps what it got.
func TestExpired(t *testing.T) {
	w := newWorld(t)
	id := w.Deliver(me, letter(1))
	before, _ := os.ReadFile(w.Dir + "/" + me + ".json")
	w.Expire() // Google no longer takes the token, though it is not over yet
	if _, err := w.Call(t, `{"action": "fetch"}`, map[string]any{"id": id}); err != nil {
		t.Fatal(err)
	}
	after, _ := os.ReadFile(w.Dir + "/" + me + ".json")
	info, _ := os.Stat(w.Dir + "/" + me + ".json")
	if string(before) == string(after) || info.Mode().Perm() != 0o600 {
		t.Errorf("the new token was not kept: %v", info.Mode())
	}
	w.Restart()
	w.Forget()
	if _, err := w.Call(t, `{"action": "fetch"}`, map[string]any{"id": id}); err != nil || len(w.Requests()) != 1 {
		t.Errorf("%v %v", err, w.Requests())
	}
	w.Expire()
	args := answer("")
	delete(args, "reply_to")
	if _, err := w.Call(t, `{"action": "send"}`, args); err != nil || len(w.Mails(me, "SENT")) != 1 {
		t.Errorf("a new mail: %v", err)
	}
	w.Clock.Advance(2 * time.Hour)
	w.Forget()
	if _, err := w.Call(t, `{"action": "draft"}`, args); err != nil || len(w.Requests()) != 1 {
		t.Errorf("a draft after two hours: %v %v", err, w.Requests())
	}
	w.Clock.Advance(2 * time.Hour)
	if _, err := w.Call(t, `{"action": "fetch"}`, map[string]any{"id": id}); err != nil {
		t.Errorf("after two hours: %v", err)
	}
}

// nil2 stands in for a test that cannot fail here.
type nil2 struct{ testing.TB }

func (nil2) Helper() {}
