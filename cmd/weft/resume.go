package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/local"
	"github.com/weft-engine/weft/engine/spectest"
)

// resumeFlags is what resume takes.
type resumeFlags struct {
	driveFlags
	accept, ignore                       bool
	edit, respond                        string
	interrupt, upgrade, profile, execDir string
	given                                []string // which of the answers
}

func (a *app) resumeCommand() *cobra.Command {
	f := &resumeFlags{}
	c := &cobra.Command{
		Use: "resume THREAD", Short: "Answer what a run asks, or go on where it stopped", Args: exactly("a thread"),
		Long: "Gives an answer to an open interrupt and goes on. Without an answer it goes on with a run that was stopped, or whose\n" +
			"timer has come; on a terminal it asks. The spec is the one that the run began with, kept in the store.",
		RunE: a.verb(func(cmd *cobra.Command, args []string) error {
			f.given = f.answersIn(cmd.Flags().Changed)
			return a.resume(cmd.Context(), engine.ThreadID(args[0]), f)
		}),
	}
	c.Flags().BoolVar(&f.accept, "accept", false, "go on as proposed")
	c.Flags().StringVar(&f.edit, "edit", "", "go on with changed arguments: `JSON` or @FILE; those it does not name stay")
	c.Flags().StringVar(&f.respond, "respond", "", "answer in words: `TEXT`")
	c.Flags().BoolVar(&f.ignore, "ignore", false, "leave it")
	c.Flags().StringVar(&f.interrupt, "interrupt", "", "which interrupt, when several are open: its `ID`, tool, policy or node")
	c.Flags().StringVar(&f.upgrade, "upgrade", "", "go on with the spec in `DIR` instead, if the run fits it")
	c.Flags().StringVar(&f.profile, "profile", "", "the profile of the spec to upgrade to")
	dirFlag(c, &f.execDir)
	f.add(c)
	return c
}

// answersIn returns which answers are given; --accept=false is none.
func (f *resumeFlags) answersIn(changed func(flag string) bool) []string {
	var out []string
	for _, answer := range []struct {
		name  string
		given bool
	}{{"accept", f.accept}, {"edit", changed("edit")}, {"respond", changed("respond")}, {"ignore", f.ignore}} {
		if answer.given {
			out = append(out, answer.name)
		}
	}
	return out
}

func (f *resumeFlags) checkAnswer() error {
	switch {
	case len(f.given) > 1:
		return usage("--%s are several answers: give one", strings.Join(f.given, " and --"))
	case f.interrupt != "" && len(f.given) == 0:
		return usage("--interrupt says which interrupt is answered: add --accept, --edit, --respond or --ignore")
	case f.profile != "" && f.upgrade == "":
		return usage("--profile is for --upgrade: a run keeps the profile it began with")
	}
	return nil
}

func (a *app) resume(ctx context.Context, thread engine.ThreadID, f *resumeFlags) error {
	if err := f.checkAnswer(); err != nil {
		return err
	}
	dir := f.execDir
	if f.upgrade != "" {
		dir = f.upgrade
	}
	s, err := a.session(&f.driveFlags, dir)
	if err != nil {
		return err
	}
	defer s.close()
	var p *engine.Program
	if f.upgrade != "" {
		if p, err = s.upgraded(f); err != nil {
			return err
		}
	}
	if err := s.open(ctx); err != nil {
		return err
	}
	h, err := head(ctx, s.store, thread)
	if err != nil {
		return err
	}
	if p == nil {
		if p, err = s.program(ctx, h); err != nil {
			return err
		}
	}
	return s.goOn(ctx, p, h, f)
}

// upgraded returns the program to upgrade to.
func (s *session) upgraded(f *resumeFlags) (*engine.Program, error) {
	sp, err := s.load(f.upgrade, f.profile)
	if err != nil {
		return nil, err
	}
	return s.compile(sp, s.deps)
}

// goOn upgrades, answers, and drives.
func (s *session) goOn(ctx context.Context, p *engine.Program, h engine.Head, f *resumeFlags) error {
	if h.Summary.Status.Ended() {
		return s.over(ctx, h, f)
	}
	var answers []engine.Answer
	if len(f.given) > 0 {
		answer, err := s.answer(ctx, h, f)
		if err != nil {
			return err
		}
		answers = append(answers, answer)
	}
	if f.upgrade != "" {
		res, err := s.runner.Upgrade(ctx, p, h.Thread)
		if errors.Is(err, engine.ErrDiverged) {
			return fmt.Errorf("the run does not fit the spec in %s, and still has its own; leave --upgrade out to go on with that: %w", f.upgrade, err)
		}
		if err != nil || res.Status != engine.Parked {
			return s.drive(ctx, p, func() (local.Result, error) { return res, err })
		}
	}
	return s.drive(ctx, p, func() (local.Result, error) {
		res, err := s.runner.Resume(ctx, p, h.Thread, answers...)
		if errors.Is(err, engine.ErrLeased) && len(answers) > 0 {
			err = s.whoAnswered(ctx, h.Thread, answers[0].Interrupt, err)
		}
		return res, err
	})
}

// whoAnswered returns the answer that an interrupt got from the one who drives the
// thread now, or else why that is not known.
func (s *session) whoAnswered(ctx context.Context, thread engine.ThreadID, interrupt string, otherwise error) error {
	earlier, err := s.earlier(ctx, thread, interrupt)
	if err != nil || earlier == nil {
		return otherwise
	}
	return earlier
}

// over is what resume does with a run that has ended: an answer comes too late, and
// its giver is told who was faster.
func (s *session) over(ctx context.Context, h engine.Head, f *resumeFlags) error {
	if len(f.given) > 0 {
		earlier, err := s.earlier(ctx, h.Thread, f.interrupt)
		if err != nil {
			return err
		}
		if earlier != nil {
			return earlier
		}
	}
	return fmt.Errorf("the run of thread %q has ended (%s): there is nothing to go on with\n"+
		"`weft threads fork %s --at EVENT` tries again from an earlier point; `weft threads history %[3]s` numbers its events",
		h.Thread, h.Summary.Status, shellWord(string(h.Thread)))
}

// tooLate tells who answered before: an interrupt, or the thread's last one.
func (s *session) tooLate(ctx context.Context, h engine.Head, interrupt string) error {
	earlier, err := s.earlier(ctx, h.Thread, interrupt)
	switch {
	case err != nil:
		return err
	case earlier != nil:
		return earlier
	case h.Summary.Status == engine.Running:
		return usage("thread %q asks nothing yet: go on with its run first:\n  %s", h.Thread, s.resumeLine(h.Thread, ""))
	case interrupt != "":
		return usage("thread %q asks nothing called %q", h.Thread, interrupt)
	}
	return usage("thread %q asks nothing", h.Thread)
}

// answer returns the answer that the flags give.
func (s *session) answer(ctx context.Context, h engine.Head, f *resumeFlags) (engine.Answer, error) {
	out := engine.Answer{Interrupt: f.interrupt, Response: engine.Response(f.given[0]), Text: f.respond, By: s.by()}
	request, err := s.meant(ctx, h, f.interrupt)
	if err != nil {
		return out, err
	}
	out.Interrupt = request.ID
	if out.Response != engine.Edit {
		return out, nil
	}
	changes, err := s.changes(f.edit)
	if err != nil {
		return out, err
	}
	out.Args = spectest.Edited(request, changes)
	return out, nil
}

// changes reads the value of --edit.
func (s *session) changes(from string) (map[string]any, error) {
	name, isFile := strings.CutPrefix(from, "@")
	if !isFile {
		fields, err := jsonObject(from)
		if err != nil {
			return nil, usage("--edit is not a JSON object: %w", err)
		}
		return fields, nil
	}
	v, err := s.readData(name)
	if err != nil {
		return nil, err
	}
	fields, ok := v.Go().(map[string]any)
	if !ok {
		return nil, usage("--edit %s holds no object", from)
	}
	return fields, nil
}

// meant returns the interrupt that is answered. When it is not open, the error says
// who answered it.
func (s *session) meant(ctx context.Context, h engine.Head, word string) (*engine.InterruptRequest, error) {
	open := h.Summary.Interrupts
	var fit []*engine.InterruptRequest
	for _, request := range open {
		if word == "" || spectest.Names(request, word) {
			fit = append(fit, request)
		}
	}
	switch {
	case len(fit) == 1:
		return fit[0], nil
	case len(fit) > 1:
		ids := make([]string, len(fit))
		for i, request := range fit {
			ids[i] = fmt.Sprintf("%s (%s)", request.ID, spectest.InterruptName(request))
		}
		return nil, usage("thread %q asks several things: choose one with --interrupt: %s", h.Thread, strings.Join(ids, ", "))
	}
	return nil, s.tooLate(ctx, h, word)
}

// earlier returns the answer that an interrupt got, "" being the last one of the
// thread; nil when there is none.
func (s *session) earlier(ctx context.Context, thread engine.ThreadID, interrupt string) (*local.AnsweredError, error) {
	var last *local.AnsweredError
	named := map[string]bool{} // ids of the interrupts that the word means
	answers := &local.Answers{}
	err := events(ctx, s.store, thread, func(_ engine.Seq, ev engine.Event) error {
		if raised, ok := ev.(*engine.InterruptRaised); ok {
			named[raised.Request.ID] = interrupt == "" || spectest.Names(&raised.Request, interrupt)
		}
		if a := answers.Next(ev); a != nil && named[a.Answer.Interrupt] {
			last = a
		}
		return nil
	})
	return last, err
}
