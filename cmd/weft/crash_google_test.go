package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/weft-engine/weft/nodes/google/googletest"
)

// answering is the model of TestCrashOnGoogle: it plans a meeting, answers the mail, and
// is done. It knows how far it is from the conversation alone, as processes come and go.
func answering(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	var req struct {
		Response any `json:"response_format"`
		Messages []struct {
			Role, Content string
		} `json:"messages"`
	}
	_ = json.Unmarshal(body, &req)
	message := map[string]any{"role": "assistant", "content": ""}
	call := func(name string, args map[string]any) {
		text, _ := json.Marshal(args)
		message["tool_calls"] = []any{map[string]any{"id": "call-" + name, "type": "function", "function": map[string]any{"name": name, "arguments": string(text)}}}
	}
	turn, id := 0, ""
	for _, m := range req.Messages {
		if m.Role == "assistant" {
			turn++
		}
		if _, rest, ok := strings.Cut(m.Content, "Its ID is "); ok {
			id, _, _ = strings.Cut(rest, ".\n")
		}
	}
	switch {
	case req.Response != nil:
		message["content"] = `{"reasoning": "Ana asks.", "classification": "respond"}`
	case turn == 0:
		call("schedule_meeting", map[string]any{
			"title": "Integration", "attendees": []string{"ana@partner.example"}, "start": "2099-03-10T14:00:00", "end": "2099-03-10T14:30:00", "timezone": "America/Los_Angeles",
		})
	case turn == 1:
		call("send_email", map[string]any{"to": []string{"ana@partner.example"}, "subject": "Re: Integration", "body": "Tuesday at two.", "reply_to": id})
	default:
		call("done", map[string]any{})
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"id": "x", "object": "chat.completion", "choices": []any{map[string]any{"index": 0, "finish_reason": "stop", "message": message}}})
}

// attacked is a local Google in front of which the process that asks is killed: before
// a mail is sent or a meeting planned, or right after, so that it never hears of it.
type attacked struct {
	*googletest.Server
	mu   sync.Mutex
	kill func()
}

func (a *attacked) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	effect := r.Method == http.MethodPost && (strings.HasSuffix(r.URL.Path, "/messages/send") || strings.HasSuffix(r.URL.Path, "/events"))
	switch point := rand.IntN(3); {
	case effect && point == 0:
		a.strike()
	case effect && point == 1:
		a.Server.ServeHTTP(httptest.NewRecorder(), r)
		a.strike()
	default:
		a.Server.ServeHTTP(w, r)
	}
}

func (a *attacked) strike() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.kill != nil {
		a.kill()
	}
}

// secretary is one run: a mailbox, a store, and processes that die.
type secretary struct {
	t        *testing.T
	bin, dir string
	google   *attacked
	env      []string
	kills    int
}

const boss = "lance@company.com"

func newSecretary(t *testing.T, bin, model string) *secretary {
	s := &secretary{t: t, bin: bin, dir: t.TempDir(), google: &attacked{Server: googletest.New(time.Now)}}
	server := httptest.NewServer(s.google)
	t.Cleanup(server.Close)
	s.google.URL = server.URL
	s.google.Account(boss, "America/Los_Angeles")
	s.google.LogIn(t, filepath.Join(s.dir, "google"), boss)
	s.google.Deliver(boss, []byte("Message-ID: <1@partner.example>\r\nFrom: Ana <ana@partner.example>\r\nTo: "+boss+"\r\nSubject: Integration\r\n\r\nCan we meet?\r\n"))
	s.env = append(os.Environ(), "WEFT_AUTH_DIR="+s.dir, "OPENAI_BASE_URL="+model+"/v1", "OPENAI_API_KEY=of-no-use")
	return s
}

// weft runs the program, which may be killed at any moment.
func (s *secretary) weft(args ...string) (report, string, error) {
	ctx, cancel := context.WithTimeout(s.t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, s.bin, append(args, "--store", "sqlite:"+filepath.Join(s.dir, "weft.db"), "--output", "json")...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr, cmd.Env = &stdout, &stderr, s.env
	if err := cmd.Start(); err != nil {
		return report{}, "", err
	}
	s.google.mu.Lock()
	s.google.kill = func() { _ = cmd.Process.Kill() }
	s.google.mu.Unlock()
	if rand.IntN(4) == 0 {
		timer := time.AfterFunc(time.Duration(rand.IntN(200))*time.Millisecond, func() { _ = cmd.Process.Kill() })
		defer timer.Stop()
	}
	err := cmd.Wait()
	if killed(err) {
		s.kills++
	}
	var out report
	_ = json.Unmarshal(stdout.Bytes(), &out)
	return out, stderr.String(), err
}

// work takes the mail to its end: passes of the trigger until one survives, then the
// human's answers.
func (s *secretary) work(spec string) bool {
	for range 40 {
		_, stderr, err := s.weft("trigger", spec, "new_mail", "--profile", "google")
		if err == nil {
			break
		}
		if !killed(err) {
			s.t.Errorf("trigger: %v: %s", err, stderr)
			return false
		}
	}
	thread := "gmail-" + s.google.Mails(boss, "INBOX")[0].Thread
	args := []string{"resume", thread, "--no-input"}
	for range 60 {
		out, stderr, err := s.weft(args...)
		args = []string{"resume", thread, "--no-input"}
		switch {
		case killed(err):
		case out.Status == "done" || strings.Contains(stderr, "has ended (done)"):
			return true
		case out.Status == "parked":
			if out.Interrupts[0].Kind != "tool" {
				s.t.Errorf("a human is asked what happened, and it could have been looked up: %+v", out.Interrupts[0])
				return false
			}
			args = append(args, "--interrupt", out.Interrupts[0].ID, "--accept")
		case strings.Contains(stderr, "answered before"):
		default:
			s.t.Errorf("resume: %v: %s", err, stderr)
			return false
		}
	}
	s.t.Error("it does not end")
	return false
}

func (s *secretary) verify() {
	if sent := s.google.Mails(boss, "SENT"); len(sent) != 1 || sent[0].Header("In-Reply-To") != "<1@partner.example>" {
		s.t.Errorf("%d mails were sent", len(sent))
	}
	if events := s.google.Events(boss); len(events) != 1 || len(events[0].Attendees) == 0 {
		s.t.Errorf("%d meetings were planned", len(events))
	}
	if in := s.google.Mails(boss, "INBOX"); len(in) != 1 || slices.Contains(in[0].Labels, "UNREAD") {
		s.t.Errorf("the mail was not marked as read: %v", in[0].Labels)
	}
}

// TestCrashOnGoogle kills the assistant around each of its calls of Gmail and Calendar:
// never two mails, never two meetings, never a lost answer. WEFT_CRASH_RUNS says how
// many runs.
func TestCrashOnGoogle(t *testing.T) {
	runs := 4
	if n, err := strconv.Atoi(os.Getenv("WEFT_CRASH_RUNS")); err == nil {
		runs = n
	}
	bin := filepath.Join(t.TempDir(), "weft")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", bin, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	spec, err := filepath.Abs("../../specs/email_assistant")
	if err != nil {
		t.Fatal(err)
	}
	model := httptest.NewServer(http.HandlerFunc(answering))
	t.Cleanup(model.Close)
	var mu sync.Mutex
	kills := 0
	work := make(chan int)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for i := range work {
				t.Run(fmt.Sprint(i), func(t *testing.T) {
					s := newSecretary(t, bin, model.URL)
					if s.work(spec) {
						s.verify()
					}
					mu.Lock()
					kills += s.kills
					mu.Unlock()
				})
			}
		})
	}
	for i := range runs {
		work <- i
	}
	close(work)
	wg.Wait()
	t.Logf("%d runs, %d kills", runs, kills)
	if kills == 0 {
		t.Error("nothing was ever killed")
	}
}
