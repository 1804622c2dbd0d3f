package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/ingest"
	"github.com/weft-engine/weft/engine/local"
	"github.com/weft-engine/weft/engine/trigger"
)

// triggerFlags is what trigger takes.
type triggerFlags struct {
	driveFlags
	profile, user string
	parallel      int
	force, retry  bool
}

func (a *app) triggerCommand() *cobra.Command {
	f := &triggerFlags{}
	c := &cobra.Command{
		Use: "trigger DIR [NAME]", Short: "Make one pass of a trigger: run what is new", Args: dirAndTrigger,
		Long: "Asks the trigger's source what is new and makes a run of each event, each once, also when two passes run at the same\n" +
			"time or one is killed: what was handled is kept in the store. Made for cron. Runs that ask a human wait in the inbox.\n" +
			"Without NAME it lists the triggers of the spec.",
		RunE: a.verb(func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				return a.listTriggers(args[0], f.profile)
			}
			return a.trigger(cmd.Context(), args[0], args[1], f)
		}),
	}
	f.noInput = true
	storeFlag(c, &f.store)
	c.Flags().StringVar(&f.output, "output", "text", "what is printed: text, json (one document at the end), events (a line each, as they happen)")
	c.Flags().StringVar(&f.script, "script", "", "answer for the models from a `FILE`: no network")
	c.Flags().StringVar(&f.record, "record", "", "save every exchange with a model in `DIR`")
	c.Flags().StringVar(&f.replay, "replay", "", "answer for the models from the recordings in `DIR`: no network")
	c.Flags().StringVar(&f.answers, "answers", "", "answer for the human from a `FILE` when the pass is over")
	c.Flags().BoolVar(&f.exec, "allow-exec", false, "let tools run programs")
	c.Flags().StringVar(&f.profile, "profile", "", "the profile of the spec (default: its default_profile)")
	c.Flags().StringVar(&f.user, "user", "", "whose memories are meant (default: \"default\")")
	c.Flags().IntVar(&f.parallel, "parallel", 4, "how many threads are driven at a time")
	c.Flags().BoolVar(&f.force, "force", false, "poll although the trigger is paused")
	c.Flags().BoolVar(&f.retry, "retry", false, "run what failed in earlier passes once more")
	completeWords(c, "output", "text", "json", "events")
	return c
}

// dirAndTrigger accepts the directory of a spec, and a trigger.
func dirAndTrigger(cmd *cobra.Command, args []string) error {
	if len(args) == 1 {
		return nil
	}
	return exactly("the directory of a spec", "a trigger")(cmd, args)
}

func (a *app) listTriggers(dir, profile string) error {
	s, err := a.session(&driveFlags{store: inMemory, output: "text", noInput: true}, dir)
	if err != nil {
		return err
	}
	p, profiles, err := s.programOf(dir, profile)
	if err != nil {
		return err
	}
	if len(p.Triggers) == 0 {
		a.notef("The spec has no triggers%s.\n", otherProfiles(profiles))
	}
	for _, t := range p.Triggers {
		_, _ = fmt.Fprintf(a.stdout, "%s  runs %s  %s\n", t.Name, t.Graph, t.Description)
	}
	return nil
}

// programOf loads and compiles a spec; it also returns the names of its profiles.
func (s *session) programOf(dir, profile string) (*engine.Program, []string, error) {
	sp, err := s.load(dir, profile)
	if err != nil {
		return nil, nil, err
	}
	p, err := s.compile(sp, s.deps)
	return p, sp.Profiles, err
}

// otherProfiles tells where a trigger may be that there is not.
func otherProfiles(profiles []string) string {
	if len(profiles) == 0 {
		return ""
	}
	return " with this profile; try --profile " + strings.Join(profiles, ", ")
}

func (a *app) trigger(ctx context.Context, dir, name string, f *triggerFlags) error {
	if f.parallel < 1 {
		return usage("--parallel is how many threads are driven at a time: 1 or more")
	}
	s, err := a.session(&f.driveFlags, dir)
	if err != nil {
		return err
	}
	defer s.close()
	p, profiles, err := s.programOf(dir, f.profile)
	if err != nil {
		return err
	}
	if p.Trigger(name) == nil {
		return usage("the spec has no trigger %q: %s", name, triggerNames(p, profiles))
	}
	if err := s.open(ctx); err != nil {
		return err
	}
	if p.Clock != nil {
		if s.clock, err = p.Clock(ctx, engine.ThreadID("trigger:"+name)); err != nil {
			return err
		}
	}
	if f.output == "text" { // an item a line; what the runs do is in their history
		s.runner.Watch = local.Watch{}
	}
	i := &ingest.Ingester{
		Store: s.store, Runner: s.runner, Program: p, Owner: newID(), User: f.user, Now: a.now, Parallel: f.parallel,
		Pinned: func(ctx context.Context, h engine.Head) (*engine.Program, error) {
			if h.Summary.Spec == p.Hash {
				return p, nil
			}
			return s.program(ctx, h)
		},
	}
	var parked []engine.ThreadID
	i.Tell = func(item ingest.Item) {
		if item.Status == engine.Parked {
			parked = append(parked, item.Thread)
		}
		if f.output == "text" {
			a.printItem(item)
		}
	}
	report, err := i.Pass(ctx, name, ingest.Options{Force: f.force, Retry: f.retry})
	if err = a.passed(ctx, f, name, report, err); err != nil || f.answers == "" {
		return err
	}
	return s.answerAll(ctx, p, parked)
}

// answerAll gives the answers of the file to the runs that a pass has left waiting, one
// after the other, and carries them on.
func (s *session) answerAll(ctx context.Context, p *engine.Program, parked []engine.ThreadID) error {
	s.runner.Watch = s.out.watch()
	for _, thread := range parked {
		err := s.drive(ctx, p, func() (local.Result, error) { return s.runner.Resume(ctx, p, thread) })
		if err != nil {
			return err
		}
	}
	return nil
}

func triggerNames(p *engine.Program, profiles []string) string {
	if len(p.Triggers) == 0 {
		return "it has none" + otherProfiles(profiles)
	}
	names := make([]string, len(p.Triggers))
	for i, t := range p.Triggers {
		names[i] = t.Name
	}
	return "it has " + strings.Join(names, ", ")
}

// printItem tells what became of one event.
func (a *app) printItem(i ingest.Item) {
	line := fmt.Sprintf("%s  %s", i.Key, i.Outcome)
	if i.Status != "" {
		line = fmt.Sprintf("%s  %s", i.Key, i.Status)
	}
	line += "  thread " + string(i.Thread)
	switch {
	case len(i.Asks) > 0:
		line += "  asks: " + brief(i.Asks[0], 60)
	case i.Reason != "":
		line += "  " + brief(i.Reason, 120)
	default:
		line += outputs(i.Output)
	}
	_, _ = fmt.Fprintln(a.stdout, printable(line))
}

// outputs is what a run that is done says about itself in one line: those of its outputs
// that are a text, a number or a flag.
func outputs(output any) string {
	fields, _ := output.(map[string]any)
	var line strings.Builder
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		switch v := fields[name].(type) {
		case string:
			if v != "" {
				line.WriteString("  " + name + ": " + brief(v, 100))
			}
		case bool, int, float64:
			_, _ = fmt.Fprintf(&line, "  %s: %v", name, v)
		}
	}
	return line.String()
}

// passed prints what a pass did and returns what the verb ends with.
func (a *app) passed(ctx context.Context, f *triggerFlags, name string, r ingest.Report, err error) error {
	if f.output == "text" {
		a.printReport(name, r)
	} else {
		(&lines{w: a.stdout, vault: a.vault}).write(object{"trigger": name, "report": r})
	}
	switch {
	case ctx.Err() != nil:
		a.notef("weft: stopped; the next pass goes on with what is left\n")
		return silent(codeOf(ctx, ctx.Err()))
	case err != nil:
		return err
	case r.Failed > 0:
		a.notef("weft: what failed is kept: `weft trigger … --retry` runs it once more\n")
		return silent(exitFailed)
	case r.Paused != nil:
		return errors.New(printable(fmt.Sprintf("trigger %q is paused: %s. %s", name, strings.TrimSuffix(r.Paused.Reason, "."), r.Paused.Mend)))
	}
	return nil
}

func (a *app) printReport(name string, r ingest.Report) {
	if r.Busy {
		_, _ = fmt.Fprintf(a.stdout, "%s: another pass is under way; nothing to do here\n", name)
		return
	}
	for _, p := range r.Problems {
		a.notef("weft: %s: %s%s\n", printable(p.Key), printable(p.Message), again(p))
	}
	_, _ = fmt.Fprintf(a.stdout, "%s: %d new, %d ran, %d skipped, %d failed, %d left\n", name, r.New, r.Ran, r.Skipped, r.Failed, r.Waiting)
}

func again(p trigger.Problem) string {
	if p.Again {
		return " (the next pass tries again)"
	}
	return ""
}
