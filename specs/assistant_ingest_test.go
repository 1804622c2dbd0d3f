package specs_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/chat"
	"github.com/weft-engine/weft/engine/compile"
	"github.com/weft-engine/weft/engine/ingest"
	"github.com/weft-engine/weft/engine/inmem"
	"github.com/weft-engine/weft/engine/local"
	"github.com/weft-engine/weft/engine/memory"
	"github.com/weft-engine/weft/engine/spec"
	"github.com/weft-engine/weft/engine/sqlite"
	"github.com/weft-engine/weft/nodes"
)

// clerk is a model that sorts mails by their subject as the labels say, answers each
// once, and is done.
type clerk struct{ labels map[string]string }

var mailID = regexp.MustCompile(`Its ID is (\S+)\.\n`)

// Complete answers triage with a class and the agent with a call.
func (c clerk) Complete(_ context.Context, req chat.Request, _ func(chat.Delta)) (chat.Response, error) {
	last := req.Messages[len(req.Messages)-1]
	say := func(content string, calls ...chat.ToolCall) (chat.Response, error) {
		return chat.Response{Message: chat.Message{Role: chat.Assistant, Content: content, ToolCalls: calls}, Finish: "stop", Usage: chat.Usage{Model: req.Model.Name, Requests: 1}}, nil
	}
	if req.Response != nil {
		for subject, class := range c.labels {
			if strings.Contains(last.Content, subject) {
				return say(fmt.Sprintf(`{"reasoning": "as labelled", "classification": %q}`, class))
			}
		}
		return chat.Response{}, fmt.Errorf("nobody expects %s", last.Content)
	}
	if last.Role == chat.ToolRole {
		return say("", chat.ToolCall{ID: "2", Name: "done", Args: map[string]any{}})
	}
	said := req.Messages[len(req.Messages)-1].Content
	subject := field(said, "Subject: ")
	return say("", chat.ToolCall{ID: "1", Name: "send_email", Args: map[string]any{
		"to": []any{field(said, "From: ")}, "cc": []any{"boss@c0mpany.com"}, "subject": "Re: " + subject,
		"body": "Gladly.", "reply_to": mailID.FindStringSubmatch(said)[1],
	}})
}

func field(text, name string) string {
	_, rest, _ := strings.Cut(text, "\n"+name)
	line, _, _ := strings.Cut(rest, "\n")
	return line
}

// labelled delivers the 16 labelled mails and returns the class of each by its subject.
func (o *office) labelled(t *testing.T) map[string]string {
	t.Helper()
	tests, err := os.ReadFile("email_assistant/labelled_test.yaml")
	if err != nil {
		t.Fatal(err)
	}
	labels := map[string]string{}
	for i, name := range regexp.MustCompile(`(?m)^  - name: "(.*): (\w+)"$`).FindAllStringSubmatch(string(tests), -1) {
		files, err := filepath.Glob(fmt.Sprintf("email_assistant/testdata/labelled/%02d_*.json", i+1))
		if err != nil || len(files) != 1 {
			t.Fatal(files, err)
		}
		data, err := os.ReadFile(files[0])
		var m struct{ ID, From, To, Subject, Body string }
		if err == nil {
			err = json.Unmarshal(data, &m)
		}
		if err != nil {
			t.Fatal(err)
		}
		labels[m.Subject] = name[2]
		o.Deliver(lance, rawMail(m.ID, m.From, m.To, m.Subject, m.Body))
	}
	return labels
}

// desk is the assistant at work on a real mailbox.
type desk struct {
	program *engine.Program
	store   engine.Store
	runner  *local.Runner
}

func newDesk(t testing.TB, o *office, model chat.Client, store engine.Store) *desk {
	t.Helper()
	d := &desk{store: store}
	memories := &memory.Store{Store: d.store, Now: o.Now}
	sp, list := spec.LoadDir("email_assistant", spec.Options{Profile: "google"})
	if list.HasErrors() {
		t.Fatal(list.Err())
	}
	d.program, list = compile.Program(sp, nodes.Types(nodes.Deps{Models: model, Memories: memories, Now: o.Now, Google: o.accounts}))
	if list.HasErrors() {
		t.Fatal(list.Err())
	}
	var n atomic.Int64
	d.runner = &local.Runner{
		Store: d.store, Memory: memories, Clock: local.Wall{}, Owner: "desk", Rand: func() float64 { return 0 }, Log: zerolog.Nop(),
		NewID: func() string { return fmt.Sprint("run", n.Add(1)) },
	}
	return d
}

func (d *desk) pass(t testing.TB) ingest.Report {
	t.Helper()
	i := &ingest.Ingester{
		Store: d.store, Runner: d.runner, Program: d.program, Owner: "desk", Now: time.Now,
		Pinned: func(context.Context, engine.Head) (*engine.Program, error) { return d.program, nil },
	}
	r, err := i.Pass(t.Context(), "new_mail", ingest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// open returns what the threads ask.
func (d *desk) open(t *testing.T) map[engine.ThreadID]*engine.InterruptRequest {
	t.Helper()
	out := map[engine.ThreadID]*engine.InterruptRequest{}
	for h, err := range d.store.Threads(t.Context(), engine.Filter{Interrupt: true}) {
		if err != nil {
			t.Fatal(err)
		}
		out[h.Thread] = h.Summary.Interrupts[0]
	}
	return out
}

// TestLabelledMailsOnGoogle: the 16 labelled mails come in through Gmail's format, each
// is sorted as labelled, drafts wait for a human who sees what is unusual about them,
// and only what was handled is marked as read.
func TestLabelledMailsOnGoogle(t *testing.T) {
	o := newOffice(t)
	for _, m := range o.Mails(lance) {
		o.Delete(lance, m.ID)
	}
	labels := o.labelled(t)
	d := newDesk(t, o, clerk{labels}, inmem.New())
	r := d.pass(t)
	if r.New != 16 || r.Ran != 16 || len(r.Problems) > 0 {
		t.Fatalf("%+v", r)
	}
	want := map[string]int{}
	for _, class := range labels {
		want[class]++
	}
	drafts, notices := 0, 0
	for thread, open := range d.open(t) {
		if open.Kind != "tool" {
			notices++
			continue
		}
		drafts++
		for _, text := range []string{"> Gladly.", "was not in this conversation", "c0mpany.com", "⚠", "**To:**"} {
			if !strings.Contains(open.Description, text) {
				t.Errorf("%q is not in what the human sees of %s:\n%s", text, thread, open.Description)
			}
		}
		answer := engine.Answer{Interrupt: open.ID, Response: engine.Accept, By: "lance"}
		if res, err := d.runner.Resume(t.Context(), d.program, thread, answer); err != nil || res.Status != engine.Done {
			t.Errorf("%s: %s %v %v", thread, res.Status, res.Failure, err)
		}
	}
	if drafts != want["respond"] || notices != want["notify"] {
		t.Errorf("%d drafts and %d notices, want %v", drafts, notices, want)
	}
	if sent := len(o.Mails(lance, "SENT")); sent != want["respond"] {
		t.Errorf("%d mails sent of %d", sent, want["respond"])
	}
	for _, m := range o.Mails(lance, "INBOX") {
		if unread := slices.Contains(m.Labels, "UNREAD"); unread == (labels[m.Header("Subject")] == "respond") {
			t.Errorf("%s is unread: %v, and is %s", m.Header("Subject"), unread, labels[m.Header("Subject")])
		}
	}
	o.Forget()
	if r := d.pass(t); r.New != 0 || r.Ran != 0 {
		t.Errorf("again: %+v", r)
	}
	o.sound(t, "labelled")
}

// TestQuietPollOnGoogle: a poll with nothing new costs one request.
func TestQuietPollOnGoogle(t *testing.T) {
	o := newOffice(t)
	d := newDesk(t, o, clerk{map[string]string{"": "ignore"}}, inmem.New())
	if r := d.pass(t); r.New != len(goldenMails) {
		t.Fatalf("%+v", r)
	}
	d.pass(t)
	o.Forget()
	d.pass(t)
	if got := o.Requests(); len(got) != 1 {
		t.Errorf("%d requests: %v", len(got), got)
	}
}

// BenchmarkIngest takes 1,000 mails in: each is read, sorted by a model that answers at
// once, and journaled on disk.
func BenchmarkIngest(b *testing.B) {
	for b.Loop() {
		b.StopTimer()
		o := newOffice(b)
		for i := range 1000 {
			o.Deliver(lance, rawMail(fmt.Sprint("m", i), "Ann <ann@partner.example>", lance, fmt.Sprint("News ", i), strings.Repeat("Some text.\n", 100)))
		}
		store, err := sqlite.Open(b.Context(), sqlite.Options{Path: b.TempDir() + "/weft.db"})
		if err != nil {
			b.Fatal(err)
		}
		d := newDesk(b, o, clerk{map[string]string{"": "ignore"}}, store)
		b.StartTimer()
		if r := d.pass(b); r.Ran != 1004 {
			b.Fatal(r)
		}
		b.StopTimer()
		if err := store.Close(); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
}

// TestMailWhileAHumanIsAsked: a mail that comes again makes no new run, one that comes in
// the same conversation waits its turn, and of two answers at a time one wins.
func TestMailWhileAHumanIsAskedOnGoogle(t *testing.T) {
	o := newOffice(t)
	for _, m := range o.Mails(lance) {
		o.Delete(lance, m.ID)
	}
	first := o.Deliver(lance, rawMail("a", "Ana <ana@partner.example>", lance, "Integration", "Can we meet?"))
	d := newDesk(t, o, clerk{map[string]string{"Integration": "respond"}}, inmem.New())
	if r := d.pass(t); r.Ran != 1 {
		t.Fatalf("%+v", r)
	}
	o.Label(lance, first, nil, []string{"UNREAD"})
	o.Label(lance, first, []string{"UNREAD"}, nil)
	o.ForgetHistory(lance) // so the mailbox is looked through again
	if r := d.pass(t); r.New != 0 || r.Ran != 0 {
		t.Errorf("the mail comes again: %+v", r)
	}
	second := strings.Replace(string(rawMail("b", "Ana <ana@partner.example>", lance, "Re: Integration", "Any news?")), "MIME-Version", "In-Reply-To: <a@partner.example>\r\nMIME-Version", 1)
	o.Deliver(lance, []byte(second))
	if r := d.pass(t); r.New != 1 || r.Waiting != 1 || r.Ran != 0 {
		t.Errorf("another in the same conversation: %+v", r)
	}
	open := d.open(t)
	if len(open) != 1 {
		t.Fatalf("%d questions", len(open))
	}
	for thread, asked := range open {
		won := make(chan bool, 2)
		for _, by := range []string{"lance", "dana"} {
			go func() {
				_, err := d.runner.Resume(t.Context(), d.program, thread, engine.Answer{Interrupt: asked.ID, Response: engine.Accept, By: by})
				won <- err == nil
			}()
		}
		if a, b := <-won, <-won; a == b {
			t.Errorf("of two answers both won, or none: %v %v", a, b)
		}
	}
	if sent := o.Mails(lance, "SENT"); len(sent) != 1 {
		t.Errorf("%d mails sent", len(sent))
	}
	if r := d.pass(t); r.Ran != 1 || r.Waiting != 0 {
		t.Errorf("after the answer: %+v", r)
	}
}
