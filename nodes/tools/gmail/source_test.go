package gmail_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/trigger"
	"github.com/weft-engine/weft/nodes/google/googletest"
	"github.com/weft-engine/weft/nodes/internal/googlecall/calltest"
	"github.com/weft-engine/weft/nodes/internal/nodetest"
	"github.com/weft-engine/weft/nodes/tools/gmail"
)

func (w *world) source(t testing.TB, config string) (trigger.Source, *diag.List) {
	t.Helper()
	s, list := calltest.Scope(t)
	return gmail.SourceType(gmail.Deps{Google: w.Accounts}).Build(s, nodetest.Tree(t, config)).Source, list
}

func (w *world) listen(t testing.TB, config string) trigger.Source {
	t.Helper()
	src, list := w.source(t, config)
	if src == nil || list.Len() > 0 {
		t.Fatalf("findings: %v", list.Sorted())
	}
	return src
}

// poll polls until there is no more at once, and returns the keys.
func poll(t testing.TB, src trigger.Source, cursor *string) (keys []string, problems []trigger.Problem) {
	t.Helper()
	for {
		b, err := src.Poll(t.Context(), *cursor)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range b.Events {
			keys = append(keys, e.Key)
		}
		problems = append(problems, b.Problems...)
		*cursor = b.Cursor
		if !b.More {
			return keys, problems
		}
	}
}

func wantKeys(t testing.TB, got []string, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestPoll(t *testing.T) {
	w := newWorld(t)
	src := w.listen(t, `{"query": "in:inbox is:unread newer_than:2d"}`)
	old := w.DeliverAt(me, start.Add(-72*time.Hour), letter(1))
	first := w.DeliverAt(me, start.Add(-2*time.Hour), letter(2))
	second := w.DeliverAt(me, start.Add(-time.Hour), letter(3))
	read := w.Deliver(me, letter(4), "INBOX")
	cursor := ""
	keys, _ := poll(t, src, &cursor)
	wantKeys(t, keys, first, second)

	// Nothing new: one request, however often.
	for range 3 {
		w.Forget()
		keys, _ = poll(t, src, &cursor)
		if len(keys) != 0 || len(w.Requests()) != 1 || !strings.HasPrefix(w.Requests()[0], "GET /gmail/v1/users/me/history?") {
			t.Fatalf("%v after %v", keys, w.Requests())
		}
	}

	// New mail, changed labels, an answer of one's own, a draft, a mail that is read.
	third := w.Deliver(me, letter(5))
	w.Label(me, old, []string{"STARRED"}, nil)
	w.Label(me, read, []string{"UNREAD"}, nil)
	if _, err := w.Call(t, `{"action": "send"}`, answer(first)); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Call(t, `{"action": "draft"}`, answer(first)); err != nil {
		t.Fatal(err)
	}
	w.Deliver(me, letter(6), "INBOX")
	w.Deliver(me, letter(7), "SPAM", "UNREAD")
	gone := w.Deliver(me, letter(8))
	w.Delete(me, gone)
	keys, problems := poll(t, src, &cursor)
	wantKeys(t, keys, third)
	if len(problems) != 0 {
		t.Errorf("problems %v", problems)
	}
}

// TestOwnMail is no event, whatever the query: an answer must not be answered.
func TestOwnMail(t *testing.T) {
	w := newWorld(t)
	src := w.listen(t, `{"query": "in:anywhere"}`)
	cursor := ""
	poll(t, src, &cursor)
	id := w.Deliver(me, letter(1))
	args := answer(id)
	args["to"] = []any{me, "ana@partner.example"}
	if _, err := w.Call(t, `{"action": "send"}`, args); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Call(t, `{"action": "draft"}`, args); err != nil {
		t.Fatal(err)
	}
	keys, _ := poll(t, src, &cursor)
	wantKeys(t, keys, id)
	again := ""
	keys, _ = poll(t, src, &again)
	wantKeys(t, keys, id)
}

func TestEvent(t *testing.T) {
	w := newWorld(t)
	id := w.Deliver(me, letter(1))
	b, err := w.listen(t, `{}`).Poll(t.Context(), "")
	if err != nil || len(b.Events) != 1 {
		t.Fatalf("%v %v", b, err)
	}
	want := map[string]any{
		"account": me, "thread_id": id, "email": map[string]any{
			"id": id, "thread_id": id, "message_id": "<1@partner.example>", "from": "Ana Costa <ana@partner.example>", "to": "Lance <lance@company.com>",
			"cc": "Bo <bo@company.com>", "subject": "Half an hour?", "date": "2026-03-09T12:00:00Z", "body": "Hi Lance,\n\nTuesday at two?\n\nAna",
			"labels": []any{"INBOX", "UNREAD"},
		},
	}
	if diff := cmp.Diff(want, b.Events[0].Data); diff != "" {
		t.Error(diff)
	}
}

// TestForgotten looks at what is there when Gmail has forgotten what happened.
func TestForgotten(t *testing.T) {
	w := newWorld(t)
	src := w.listen(t, `{}`)
	handled := w.Deliver(me, letter(1))
	cursor := ""
	keys, _ := poll(t, src, &cursor)
	wantKeys(t, keys, handled)
	w.Clock.Advance(24 * time.Hour)
	missed := w.Deliver(me, letter(2))
	w.ForgetHistory(me)
	w.Clock.Advance(time.Hour)
	keys, _ = poll(t, src, &cursor)
	wantKeys(t, keys, handled, missed) // the ledger knows the first
	w.Forget()
	keys, _ = poll(t, src, &cursor)
	if len(keys) != 0 || len(w.Requests()) != 1 {
		t.Errorf("%v after %v", keys, w.Requests())
	}
}

// TestIngest reads 1,000 mails and keeps its memory flat.
func TestIngest(t *testing.T) {
	w := newWorld(t)
	for i := range 1000 {
		w.DeliverAt(me, start.Add(-time.Duration(1000-i)*time.Minute), letter(i))
	}
	src := w.listen(t, `{}`)
	began := time.Now()
	cursor, seen, peak := "", map[string]bool{}, uint64(0)
	for more := true; more; {
		b, err := src.Poll(t.Context(), cursor)
		if err != nil {
			t.Fatal(err)
		}
		if len(b.Events) > 200 {
			t.Errorf("%d events at once", len(b.Events))
		}
		for _, e := range b.Events {
			seen[e.Key] = true
		}
		cursor, more = b.Cursor, b.More
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		peak = max(peak, m.HeapAlloc)
	}
	t.Logf("%d mails in %s, at most %d MB in use", len(seen), time.Since(began).Round(time.Millisecond), peak>>20)
	if len(seen) != 1000 {
		t.Errorf("%d mails", len(seen))
	}
	// The same by the history, which comes in pages.
	w.Forget()
	for i := range 1000 {
		w.Deliver(me, letter(2000+i))
	}
	keys, _ := poll(t, src, &cursor)
	if len(keys) != 1000 {
		t.Errorf("%d mails by the history", len(keys))
	}
	pages := 0
	for _, r := range w.Requests() {
		if strings.Contains(r, "/history") {
			pages++
		}
	}
	if pages > 3 {
		t.Errorf("%d looks at the history", pages)
	}
}

// TestPollTrouble keeps the cursor, and never loses a mail.
func TestPollTrouble(t *testing.T) {
	w := newWorld(t)
	src := w.listen(t, `{}`)
	cursor := ""
	poll(t, src, &cursor)
	bad, good := w.Deliver(me, letter(1)), w.Deliver(me, letter(2))
	for _, c := range []struct {
		fault googletest.Fault
		part  string
	}{
		{googletest.Fault{Match: "/history", Status: 503, Reason: "backendError", Times: -1}, "look for new mail: Google has a problem of its own (503)"},
		{googletest.Fault{Match: "/messages/", Status: 429, Reason: "rateLimitExceeded", Times: -1}, "asks to slow down"},
		{googletest.Fault{Match: "/messages/", Cut: true, Times: -1}, "no answer from Google"},
	} {
		w.Fault(c.fault)
		if _, err := src.Poll(t.Context(), cursor); err == nil || !strings.Contains(err.Error(), c.part) {
			t.Errorf("%v, want %q", err, c.part)
		}
		w.Heal()
	}
	// One mail that Gmail does not give is tried again with the next polls, five times.
	w.Fault(googletest.Fault{Match: "/messages/" + bad, Status: 500, Reason: "backendError", Times: -1})
	for i := range 5 {
		keys, problems := poll(t, src, &cursor)
		if i == 0 {
			wantKeys(t, keys, good)
		} else if len(keys) != 0 {
			t.Errorf("again: %v", keys)
		}
		if len(problems) != 1 || problems[0].Key != bad || problems[0].Again != (i < 4) {
			t.Errorf("poll %d: %+v", i, problems)
		}
	}
	w.Heal()
	if keys, problems := poll(t, src, &cursor); len(keys)+len(problems) != 0 {
		t.Errorf("%v %v", keys, problems)
	}
	// A login that has ended pauses the trigger, and a new one goes on.
	sign := src.(trigger.Signed).Sign()
	late := w.Deliver(me, letter(3))
	w.Withdraw(me)
	_, err := src.Poll(t.Context(), cursor)
	var pause *trigger.Pause
	if !errors.As(err, &pause) || !strings.Contains(pause.Reason, "has expired or was revoked") || pause.Mend != "Run `weft auth google`." {
		t.Fatalf("%v", err)
	}
	if src.(trigger.Signed).Sign() != sign {
		t.Error("the sign changed by itself")
	}
	w.LogIn(t, w.Dir, me)
	if now := src.(trigger.Signed).Sign(); now == sign || now == "" {
		t.Errorf("the sign is %q as before", now)
	}
	keys, _ := poll(t, src, &cursor)
	wantKeys(t, keys, late)
	// A process that is told to stop says so.
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := src.Poll(ctx, cursor); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
}

// TestCursors are read as they were written long ago, or not at all.
// TestAnotherMailbox begins anew when another account is logged in instead: the history
// of the first says nothing about it.
func TestAnotherMailbox(t *testing.T) {
	w := newWorld(t)
	src := w.listen(t, `{}`)
	cursor := ""
	first := w.Deliver(me, letter(1))
	keys, _ := poll(t, src, &cursor)
	wantKeys(t, keys, first)
	w.Account("bo@company.com", "UTC")
	for range 3 {
		w.Deliver("bo@company.com", letter(9), "SENT")
	}
	there := w.Deliver("bo@company.com", letter(2))
	w.Label("bo@company.com", there, []string{"STARRED"}, nil)
	_ = os.Remove(w.Dir + "/" + me + ".json")
	w.LogIn(t, w.Dir, "bo@company.com")
	keys, _ = poll(t, src, &cursor)
	wantKeys(t, keys, there)
	keys, _ = poll(t, src, &cursor)
	wantKeys(t, keys)
}

func TestCursors(t *testing.T) {
	w := newWorld(t)
	id := w.Deliver(me, letter(1))
	for _, text := range []string{"", "nonsense", "{", "null", `{"history": -1}`} {
		b, err := w.listen(t, `{}`).Poll(t.Context(), text)
		if err != nil || len(b.Events) != 1 || b.Events[0].Key != id {
			t.Errorf("%q: %v %v", text, b, err)
		}
	}
}

func TestQueries(t *testing.T) {
	mail := "From: =?utf-8?q?J=C3=B6rg?= <j@x.example>\r\nTo: " + me + "\r\nCc: bo@company.com\r\nSubject: Budget for May\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nSee the numbers.\r\n--b\r\nContent-Type: text/csv; name=n.csv\r\n\r\n1\r\n--b--\r\n"
	for _, c := range []struct {
		query string
		want  bool
	}{
		{"", true},
		{"in:inbox", true},
		{"in:sent", false},
		{"in:anywhere", true},
		{"is:unread", true},
		{"is:read", false},
		{"-is:read", true},
		{"is:starred OR is:unread", true},
		{"is:starred OR (is:read from:j@x.example)", false},
		{"(is:starred OR is:unread) subject:budget", true},
		{"{is:starred from:jörg}", true},
		{"{is:starred is:read}", false},
		{"-{is:starred is:read}", true},
		{"from:x.example to:me", true},
		{"to:bo@company.com", true},
		{"cc:lance", false},
		{`subject:"budget for may"`, true},
		{`"for may"`, true},
		{"numbers", true},
		{"-numbers", false},
		{"has:attachment", true},
		{"newer_than:1d", true},
		{"older_than:1d", false},
		{"newer_than:2h older_than:0d", true},
		{"after:2026/03/08 before:2026-03-11", true},
		{"before:2026/03/08", false},
		{"category:primary", false},
		{"label:weft-todo", false},
	} {
		t.Run(c.query, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			src := w.listen(t, fmt.Sprintf(`{"query": %q}`, c.query))
			cursor := ""
			poll(t, src, &cursor)
			w.Deliver(me, []byte(mail))
			w.Clock.Advance(time.Minute)
			keys, _ := poll(t, src, &cursor)
			if got := len(keys) == 1; got != c.want {
				t.Errorf("fits: %t", got)
			}
			// Gmail's own search agrees.
			again := ""
			keys, _ = poll(t, src, &again)
			if got := len(keys) == 1; got != c.want {
				t.Errorf("found by Gmail: %t", got)
			}
		})
	}
}

func TestQueryLabels(t *testing.T) {
	w := newWorld(t)
	id := w.Deliver(me, letter(1))
	if _, err := w.Call(t, `{"action": "label", "create_labels": true}`, map[string]any{"id": id, "add": "Weft todo"}); err != nil {
		t.Fatal(err)
	}
	src := w.listen(t, `{"query": "label:weft-todo"}`)
	cursor := ""
	keys, _ := poll(t, src, &cursor)
	wantKeys(t, keys, id)
	other := w.Deliver(me, letter(2), "INBOX", "Label_1")
	w.Deliver(me, letter(3))
	keys, _ = poll(t, src, &cursor)
	wantKeys(t, keys, other)
}

func TestQueryFindings(t *testing.T) {
	for query, part := range map[string]string{
		"larger:5M": `it does not understand "larger:5M"`, "is:muted": "is:muted", "(in:inbox": `")" is missing`, "in:inbox)": `")" closes nothing`,
		`"in:inbox`: "a quote is not closed", "in:": "in: has no value", "newer_than:x": "is no age", "after:soon": "is no date", "a OR": "something is missing",
		strings.Repeat("(", 100): "too deep", "{a": `"}" is missing`, strings.Repeat("a ", 2000): "longer than",
	} {
		src, list := newWorld(t).source(t, fmt.Sprintf(`{"query": %q}`, query))
		if src != nil || list.Len() != 1 || !strings.Contains(list.Sorted()[0].Message, part) {
			t.Errorf("%q: %v", query, list.Sorted())
		}
	}
	if src, list := newWorld(t).source(t, `{"endpoint": "https://evil.example"}`); src != nil || list.Len() != 1 {
		t.Errorf("%v", list.Sorted())
	}
}

// FuzzQuery holds that any query is understood or refused.
func FuzzQuery(f *testing.F) {
	for _, s := range []string{"in:inbox is:unread newer_than:2d", "-(a OR {b c})", `"a b" subject:"c d"`, "after:2026/03/09", "-", "((", "x:"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, _ := calltest.Scope(t)
		config, _ := json.Marshal(map[string]any{"query": text})
		gmail.SourceType(gmail.Deps{}).Build(s, nodetest.Tree(t, string(config)))
	})
}
