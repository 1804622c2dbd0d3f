package main

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/local"
	"github.com/weft-engine/weft/engine/spectest"
)

// drive carries a thread on: it gives the answers there are, and asks the human if one
// is there, until the run ends or waits for something else. Then it prints where the
// thread stands and returns what the verb ends with.
func (s *session) drive(ctx context.Context, p *engine.Program, step func() (local.Result, error)) error {
	res, err := step()
	for err == nil && res.Status == engine.Parked {
		answer, more := s.next(ctx, res)
		if !more {
			break
		}
		var next local.Result
		next, err = s.runner.Resume(ctx, p, res.Thread, answer)
		if next.Run != "" { // also where a signal stopped it
			res = next
		}
		if err == nil {
			continue
		}
		if err = s.unanswered(ctx, p, &res, err); err != nil {
			return s.ended(ctx, res, err)
		}
	}
	return s.ended(ctx, res, err)
}

// unanswered deals with an answer that was not taken: refused, it can be given again on
// a terminal; too late, the run goes on as the other answer says.
func (s *session) unanswered(ctx context.Context, p *engine.Program, res *local.Result, err error) error {
	var late *local.AnsweredError
	switch {
	case s.term == nil:
		return err
	case errors.Is(err, engine.ErrRefused):
		s.term.printf("%s\n", err)
		return nil
	case errors.As(err, &late):
		s.term.printf("%s\n", err)
		next, err := s.runner.Resume(ctx, p, res.Thread)
		if errors.Is(err, engine.ErrFinished) {
			next, err = s.runner.Show(ctx, p, res.Thread)
		}
		*res = next
		return err
	}
	return err
}

// next returns the next answer: from the list of answers, else from the terminal.
func (s *session) next(ctx context.Context, res local.Result) (engine.Answer, bool) {
	if a, request := s.answers.Take(res.Interrupts); a != nil {
		return a.To(request, s.by()), true
	}
	if s.term == nil || len(res.Interrupts) == 0 {
		return engine.Answer{}, false
	}
	d := &dialogue{app: s.app, term: s.term, by: s.by()}
	answer, err := d.ask(ctx, res.Interrupts[0])
	return answer, err == nil
}

// ended prints where a thread stands and returns what the verb ends with.
func (s *session) ended(ctx context.Context, res local.Result, err error) error {
	stopped := ctx.Err() != nil && res.Run != "" && (err != nil || res.Status == engine.Running)
	switch {
	case stopped:
		if s.flags.output != "text" {
			s.out.result(res)
		}
		s.stopped(ctx, res, err)
		return silent(codeOf(ctx, ctx.Err()))
	case err != nil:
		return err
	}
	s.out.result(res)
	s.leftOver(res)
	if res.Status == engine.Parked {
		s.parked(res)
	}
	if ctx.Err() != nil {
		return silent(codeOf(ctx, ctx.Err()))
	}
	if code := codeOfStatus(res.Status); code != exitDone {
		return silent(code)
	}
	return nil
}

// stopped tells how to go on with a run that was stopped in the middle.
func (s *session) stopped(ctx context.Context, res local.Result, err error) {
	if err != nil && err.Error() != context.Canceled.Error() { // something went wrong besides
		s.notef("weft: %s\n", printable(err.Error()))
	}
	why := printable(context.Cause(ctx).Error())
	if s.flags.store == inMemory {
		s.notef("weft: %s; the thread was kept in memory only and is gone\n", why)
		return
	}
	s.notef("weft: %s; the thread is whole. Go on with:\n  %s\n", why, s.resumeLine(res.Thread, ""))
}

// leftOver tells of answers that nothing asked for.
func (s *session) leftOver(res local.Result) {
	if left := s.answers.Left(); len(left) > 0 {
		s.notef("weft: nothing asked for %s of %s\n", strings.Join(left, ", "), s.flags.answers)
	}
	if s.script == nil || !res.Status.Ended() {
		return
	}
	if left := s.script.Unused(); len(left) > 0 {
		s.notef("weft: nothing asked for %s of %s\n", strings.Join(left, ", "), s.flags.script)
	}
}

// parked tells what a run waits for and how to go on.
func (s *session) parked(res local.Result) {
	w := s.out.notes()
	kept := s.flags.store != inMemory
	for _, request := range res.Interrupts {
		_, _ = fmt.Fprintf(w, "\n%s\n", describe(request))
		for _, r := range request.Allow {
			if kept {
				_, _ = fmt.Fprintf(w, "  %s\n", s.resumeLine(res.Thread, answerFlag(r, request)))
			}
		}
	}
	if len(res.Interrupts) == 0 && res.Wake != nil {
		_, _ = fmt.Fprintf(w, "It waits until %s.\n", res.Wake.Format(time.RFC3339))
		if kept {
			_, _ = fmt.Fprintf(w, "Go on after that with:\n  %s\n", s.resumeLine(res.Thread, ""))
		}
	}
	if !kept {
		_, _ = fmt.Fprintln(w, "The thread was kept in memory only and is gone now: use --store sqlite:PATH to answer later.")
	}
}

// resumeLine is the command that goes on with a thread.
func (s *session) resumeLine(thread engine.ThreadID, more string) string {
	line := "weft resume " + shellWord(string(thread))
	if s.flags.store != defaultStore {
		line += " --store " + shellWord(s.flags.store)
	}
	if s.flags.exec { // programs are off in another process unless it is told again
		line += " --allow-exec"
		if dir := s.deps.Dir; dir != "." {
			line += " --dir " + shellWord(dir)
		}
	}
	if more != "" {
		line += " " + more
	}
	return printable(line)
}

// answerFlag is the flags of weft resume that give a response. They name the interrupt:
// whoever answers later must not answer another one unseen.
func answerFlag(r engine.Response, request *engine.InterruptRequest) string {
	flag := map[engine.Response]string{
		engine.Accept: "--accept", engine.Edit: `--edit '{"argument": "new value"}'`,
		engine.Respond: "--respond 'TEXT'", engine.Ignore: "--ignore",
	}[r]
	return flag + " --interrupt " + shellWord(request.ID)
}

// plainWord is a word that means itself in every shell.
var plainWord = regexp.MustCompile(`^[A-Za-z0-9_./:@%+=,][A-Za-z0-9_./:@%+=,-]*$`)

// shellWord quotes a word for a shell where it must be.
func shellWord(word string) string {
	if plainWord.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// describe shows a question as a human reads it: nothing in it can reach the terminal
// as a control sequence.
func describe(r *engine.InterruptRequest) string {
	var b strings.Builder
	title := r.Title
	if name := spectest.InterruptName(r); name != title {
		title += " (" + name + ")"
	}
	fmt.Fprintf(&b, "%s\n", title)
	fmt.Fprintf(&b, "  interrupt %s of node %s, asked %s", r.ID, r.Node, r.Opened.Format(time.RFC3339))
	if r.Due != nil {
		fmt.Fprintf(&b, "; %s at %s if nobody answers", r.Default, r.Due.Format(time.RFC3339))
	}
	b.WriteString("\n")
	if text := strings.TrimSpace(r.Description); text != "" {
		fmt.Fprintf(&b, "\n%s\n", indented(text, "  "))
	}
	if len(r.Args) > 0 {
		fmt.Fprintf(&b, "\n%s\n", indented(asYAML(r.Args), "  | "))
	}
	return printable(b.String())
}
