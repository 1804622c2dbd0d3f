package specs_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/weft-engine/weft/engine/build"
	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/spectest"
	"github.com/weft-engine/weft/nodes"
	"github.com/weft-engine/weft/nodes/google"
	"github.com/weft-engine/weft/nodes/google/googletest"
)

const lance = "lance@company.com"

// mondayNoon is the time of the local Google.
var mondayNoon = time.Date(2026, 3, 9, 20, 0, 0, 0, time.UTC)

// office is a local Google in which Lance has the mails of the golden scenarios, and a
// program that is logged in there.
type office struct {
	*googletest.Server
	accounts *google.Accounts
	ids      map[string]string // of the mailbox, by those of the scenarios
}

// goldenMails are the mails of the golden scenarios, in the order they came.
var goldenMails = []string{"meeting_request", "outage_notice", "injection", "hostile"}

func newOffice(t testing.TB) *office {
	t.Helper()
	clock := googletest.NewClock(mondayNoon)
	o := &office{Server: googletest.Start(t, clock.Now), ids: map[string]string{}}
	o.Account(lance, "America/Los_Angeles")
	dir := t.TempDir()
	o.LogIn(t, dir, lance)
	o.accounts = &google.Accounts{Dir: dir, Now: clock.Now, Sleep: clock.Sleep, Rand: func() float64 { return 0.5 }, UnitsPerMinute: 1_000_000}
	for _, name := range goldenMails {
		var m struct{ ID, From, To, Subject, Body string }
		data, err := os.ReadFile(filepath.Join("email_assistant", "testdata", name+".json"))
		if err == nil {
			err = json.Unmarshal(data, &m)
		}
		if err != nil {
			t.Fatal(err)
		}
		o.ids[m.ID] = o.Deliver(lance, rawMail(m.ID, m.From, m.To, m.Subject, m.Body))
	}
	return o
}

// rawMail is a mail as it goes over the wire.
func rawMail(id, from, to, subject, body string) []byte {
	return []byte(strings.ReplaceAll(fmt.Sprintf("Message-ID: <%s@partner.example>\nFrom: %s\nTo: %s\nSubject: %s\nDate: Fri, 06 Mar 2026 09:12:00 -0800\n"+
		"MIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8\n\n%s\n", id, from, to, subject, body), "\n", "\r\n"))
}

// goldenOnGoogle writes the spec with the golden scenarios for the profile google into
// a directory of its own: the mails have the ids of the mailbox, and what a human is told
// of drafts is left out, so that the calls are those of the scenarios.
func goldenOnGoogle(t *testing.T, ids map[string]string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "email_assistant")
	if err := os.CopyFS(dir, os.DirFS("email_assistant")); err != nil {
		t.Fatal(err)
	}
	change := func(name string, pairs ...string) {
		t.Helper()
		path := filepath.Join(dir, name)
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		text := strings.NewReplacer(pairs...).Replace(string(data))
		if text == string(data) {
			t.Fatalf("nothing to change in %s", name)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var renamed []string
	for from, to := range ids {
		renamed = append(renamed, from, to)
	}
	change("google.yaml", "gmail: {action: review}", `result: {id: "{{ args.call_id }}", flags: []}`, "calendar: {action: review}", `result: {id: "{{ args.call_id }}", flags: []}`)
	change("golden_test.yaml", append(renamed, "profile: dry_run", "profile: google", `contains "Tuesday 2026-03-10"`, `contains "2026-03-10"`)...)
	change("robust_test.yaml", append(renamed, "profile: dry_run", "profile: google")...)
	for _, name := range goldenMails {
		change("testdata/"+name+".json", renamed...)
	}
	tests, err := filepath.Glob(filepath.Join(dir, "*_test.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range tests {
		if name := filepath.Base(path); name != "golden_test.yaml" && name != "robust_test.yaml" {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		}
	}
	return dir
}

// TestGoldenScenariosOnGoogle runs each golden scenario against a Google of its own,
// through the real client, and compares what is in the mailbox and the calendar then.
func TestGoldenScenariosOnGoogle(t *testing.T) {
	dir := goldenOnGoogle(t, newOffice(t).ids)
	var mu sync.Mutex
	var offices []*office
	report := spectest.Run(t.Context(), []string{dir}, spectest.Options{
		Now: time.Now, Parallel: 1,
		Types: func(d spectest.Deps) build.Types {
			o := newOffice(t)
			mu.Lock()
			offices = append(offices, o)
			mu.Unlock()
			return nodes.Types(nodes.Deps{Models: d.Models, Memories: d.Memories, Vault: d.Vault, Now: d.Now, Dir: d.Dir, Google: o.accounts})
		},
	})
	var b strings.Builder
	if err := diag.Text(&b, report.Findings.Sorted(), report.Source); err != nil {
		t.Fatal(err)
	}
	if b.Len() > 0 || len(report.Outcomes) < 16 {
		t.Fatalf("%d scenarios\n%s", len(report.Outcomes), b.String())
	}
	sent, planned := 0, 0
	for i, o := range report.Outcomes {
		if !o.Passed() {
			t.Errorf("%s:\n%s", o.Test.Name, o.Text())
		}
		sent += len(offices[i].Mails(lance, "SENT"))
		planned += len(offices[i].Events(lance))
		offices[i].sound(t, o.Test.Name)
	}
	if sent == 0 || planned == 0 {
		t.Errorf("%d mails sent and %d meetings planned in all", sent, planned)
	}
}

// sound checks what holds after every scenario: no mail went out twice, answers are in
// their conversation, and nobody was invited twice.
func (o *office) sound(t *testing.T, name string) {
	t.Helper()
	seen := map[string]bool{}
	for _, m := range o.Mails(lance, "SENT") {
		key := m.Header("To") + "|" + m.Header("Subject") + "|" + m.Text()
		if seen[key] {
			t.Errorf("%s: sent twice: %s", name, key)
		}
		seen[key] = true
		if m.Header("In-Reply-To") != "" && !slices.ContainsFunc(o.Mails(lance), func(p googletest.Mail) bool {
			another := "Re: "+p.Header("Subject") != m.Header("Subject") // Gmail begins a conversation then
			return (another || p.Thread == m.Thread) && p.Header("Message-ID") == m.Header("In-Reply-To")
		}) {
			t.Errorf("%s: an answer to %s is in another conversation", name, m.Header("In-Reply-To"))
		}
	}
	for _, e := range o.Events(lance) {
		if seen[e.Summary+e.Start.DateTime] {
			t.Errorf("%s: planned twice: %s", name, e.Summary)
		}
		seen[e.Summary+e.Start.DateTime] = true
	}
}
