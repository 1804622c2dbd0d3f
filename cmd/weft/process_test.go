package main_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

// program is weft as a process of its own, in a directory of its own.
type program struct {
	t   *testing.T
	dir string
}

func (p program) write(name, text string) {
	p.t.Helper()
	name = filepath.Join(p.dir, name)
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		p.t.Fatal(err)
	}
}

func (p program) command(args ...string) *exec.Cmd {
	p.t.Helper()
	self, err := os.Executable()
	if err != nil {
		p.t.Fatal(err)
	}
	c := exec.CommandContext(p.t.Context(), self)
	c.Args = append([]string{"weft"}, args...)
	c.Dir = p.dir
	return c
}

// run runs weft to its end.
func (p program) run(args ...string) (code int, stdout, stderr string) {
	p.t.Helper()
	var out, problems bytes.Buffer
	c := p.command(args...)
	c.Stdout, c.Stderr = &out, &problems
	return exitCode(p.t, c.Run()), out.String(), problems.String()
}

func exitCode(t *testing.T, err error) int {
	t.Helper()
	if err == nil {
		return 0
	}
	exit, ok := errors.AsType[*exec.ExitError](err)
	if !ok {
		t.Fatal(err)
	}
	return exit.ExitCode()
}

// started is weft while it runs.
type started struct {
	cmd    *exec.Cmd
	lines  *bufio.Scanner
	last   string // line
	stderr *bytes.Buffer
}

func (p program) start(args ...string) *started {
	p.t.Helper()
	s := &started{cmd: p.command(args...), stderr: &bytes.Buffer{}}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		p.t.Fatal(err)
	}
	s.cmd.Stderr = s.stderr
	s.lines = bufio.NewScanner(out)
	if err := s.cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	return s
}

// await reads standard output up to a line with a text.
func (s *started) await(t *testing.T, text string) {
	t.Helper()
	for s.lines.Scan() {
		if strings.Contains(s.lines.Text(), text) {
			return
		}
	}
	t.Fatalf("no %q on standard output; standard error: %s", text, s.stderr)
}

func (s *started) wait(t *testing.T) (code int) {
	t.Helper()
	for s.lines.Scan() {
		s.last = s.lines.Text()
	}
	return exitCode(t, s.cmd.Wait())
}

// slow is a spec whose node `work` waits for the file go, for at most a minute.
const slow = `
name: slow
interrupts: {ok: {allow: [accept, ignore], title: "Go on?"}}
tools:
  work:
    description: Waits for a file.
    effect: none
    exec: {command: [sh, -c, "i=0; while [ ! -e go ] && [ $i -lt 600 ]; do sleep 0.1; i=$((i+1)); done; echo '\"worked\"'"]}
graphs:
  main:
    state: {said: {type: string, default: ""}}
    output: {said: "{{ said }}"}
    start: ask
    nodes:
      ask: {interrupt: {policy: ok}, next: work}
      work: {tool: {name: work}, set: {said: "{{ string(output) }}"}, next: end}
`

const yes = "- {accept: true}\n"

func newProgram(t *testing.T) program {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("needs a shell")
	}
	p := program{t, t.TempDir()}
	p.write("slow/spec.yaml", slow)
	p.write("yes.yaml", yes)
	return p
}

func TestASignalStopsCleanlyAndResumeGoesOn(t *testing.T) {
	for _, c := range []struct {
		signal os.Signal
		code   int
	}{{os.Interrupt, 130}, {syscall.SIGTERM, 143}} {
		t.Run(c.signal.String(), func(t *testing.T) {
			p := newProgram(t)
			s := p.start("run", "slow", "--thread", "t1", "--allow-exec", "--output", "events", "--answers", "yes.yaml")
			s.await(t, `"type":"call_started"`)
			if err := s.cmd.Process.Signal(c.signal); err != nil {
				t.Fatal(err)
			}
			if code := s.wait(t); code != c.code {
				t.Errorf("exit code %d, want %d; standard error: %s", code, c.code, s.stderr)
			}
			if !strings.Contains(s.stderr.String(), "  weft resume t1 --allow-exec --dir slow\n") {
				t.Errorf("it does not say how to go on: %s", s.stderr)
			}
			if !strings.Contains(s.last, `"status":"running"`) || !strings.Contains(s.last, `"type":"result"`) {
				t.Errorf("the stream ends with %s", s.last)
			}
			p.write("slow/go", "")
			code, out, problems := p.run("resume", "t1", "--allow-exec", "--dir", "slow")
			if code != 0 || !strings.Contains(out, "said: worked") {
				t.Errorf("resume: exit code %d\n%s%s", code, out, problems)
			}
		})
	}
}

func TestTheSecondOfTwoAnswersIsToldWhoWasFaster(t *testing.T) {
	p := newProgram(t)
	code, out, problems := p.run("run", "slow", "--thread", "t1")
	if code != 4 {
		t.Fatalf("exit code %d\n%s%s", code, out, problems)
	}
	m := regexp.MustCompile(`--interrupt (\S+)`).FindStringSubmatch(out)
	if m == nil {
		t.Fatalf("no interrupt in %s", out)
	}
	first := p.start("resume", "t1", "--accept", "--by", "ada", "--interrupt", m[1], "--allow-exec", "--dir", "slow", "--output", "events")
	first.await(t, `"type":"call_started"`)

	code, _, problems = p.run("resume", "t1", "--ignore", "--by", "bob", "--interrupt", m[1])
	if want := fmt.Sprintf("interrupt %s was answered before: accept by ada at 2", m[1]); code != 1 || !strings.Contains(problems, want) {
		t.Errorf("the second answer: exit code %d, %s", code, problems)
	}
	code, _, problems = p.run("resume", "t1")
	if code != 1 || !strings.Contains(problems, "another process drives this thread") || !strings.HasSuffix(problems, "; wait until it is done, or stop it\n") {
		t.Errorf("going on with a thread that is driven: exit code %d, %s", code, problems)
	}
	p.write("slow/go", "")
	if code := first.wait(t); code != 0 {
		t.Errorf("the first answer: exit code %d, %s", code, first.stderr)
	}
}

func TestAKilledProcessLeavesAThreadThatGoesOn(t *testing.T) {
	p := newProgram(t)
	s := p.start("run", "slow", "--thread", "t1", "--allow-exec", "--output", "events", "--answers", "yes.yaml")
	s.await(t, `"type":"call_started"`)
	if err := s.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	s.wait(t)
	p.write("slow/go", "")
	code, out, problems := p.run("resume", "t1", "--allow-exec", "--dir", "slow")
	if code != 0 || !strings.Contains(out, "said: worked") || strings.Contains(out, "asks") {
		t.Errorf("exit code %d\n%s%s", code, out, problems)
	}
}
