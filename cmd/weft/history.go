package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weft-engine/weft/engine"
)

func (a *app) threadsHistory() *cobra.Command {
	c := a.threadVerb("history", "List the events of a thread", func(ctx context.Context, s *session, h engine.Head) error {
		p, err := s.program(ctx, h)
		if err != nil {
			return err
		}
		return a.history(ctx, s.store, p, h.Thread)
	})
	return c
}

// history folds a thread's journal and prints each event with what it made begin.
func (a *app) history(ctx context.Context, store engine.Store, p *engine.Program, thread engine.ThreadID) error {
	t := &textReporter{out: a.stdout, calls: newCalls()}
	sched := engine.NewScheduler(p, thread)
	sched.Trace = func(act engine.Activation) { t.began = append(t.began, act) }
	return events(ctx, store, thread, func(seq engine.Seq, ev engine.Event) error {
		effects, err := sched.Step(ev)
		if errors.Is(err, engine.ErrDiverged) {
			// The run was upgraded on the way: what an earlier version of its spec did
			// is told without the names that only that version knows.
			effects = nil
		} else if err != nil {
			return err
		}
		for _, e := range effects {
			if call, ok := e.(*engine.Invoke); ok {
				t.calls.add(thread, call)
			}
		}
		a.printf("%5d  %s  %s\n", seq, clock(ev.Time()), printable(t.story(thread, ev)))
		for _, act := range t.began {
			a.printf("%5s  %19s  begins %s/%s (step %d)\n", "", "", act.Graph, act.Node, act.Step)
		}
		t.began = nil
		return nil
	})
}

// story is an event on one line.
func (r *textReporter) story(thread engine.ThreadID, ev engine.Event) string {
	name := ev.Kind().String()
	switch ev := ev.(type) {
	case *engine.RunStarted:
		return fmt.Sprintf("%s %s of graph %s with %s", name, ev.Run, ev.Graph, brief(ev.Input, shown))
	case *engine.CallStarted:
		return fmt.Sprintf("%s %s %s", name, ev.Label, brief(ev.Args, shown))
	case *engine.MemoryRead:
		return name + " " + strings.Join(sortedKeys(ev.Values), ", ")
	case *engine.RunEnded:
		if ev.Failure != nil {
			return fmt.Sprintf("%s %s: %s", name, ev.Status, brief(ev.Failure.Message, shown))
		}
		return name + " " + string(ev.Status)
	case *engine.Forked:
		return fmt.Sprintf("%s from thread %s after event %d", name, ev.Thread, ev.Seq)
	case *engine.StateSet:
		return fmt.Sprintf("%s by %s: %s", name, ev.By, brief(ev.Values, shown))
	case *engine.Upgraded:
		return fmt.Sprintf("%s to spec %.12s", name, ev.Spec)
	case *engine.CallFailed:
		return fmt.Sprintf("%s %s (%s)", name, r.line(thread, ev), ev.Failure.Class)
	}
	return strings.ReplaceAll(name+" "+r.line(thread, ev), "\n", ";")
}

// events yields the events of a thread, in order.
func events(ctx context.Context, store engine.Store, thread engine.ThreadID, visit func(engine.Seq, engine.Event) error) error {
	blob := func(h engine.Hash) ([]byte, error) { return store.Blob(ctx, h) }
	for rec, err := range store.Read(ctx, thread, 0) {
		if err != nil {
			return err
		}
		ev, err := engine.DecodeEvent(rec, blob)
		if err != nil {
			return fmt.Errorf("thread %s: %w", thread, err)
		}
		if err := visit(rec.Seq, ev); err != nil {
			return fmt.Errorf("thread %s, event %d: %w", thread, rec.Seq, err)
		}
	}
	return nil
}

func (a *app) threadsExport() *cobra.Command {
	c := a.threadVerb("export", "Print the whole journal of a thread, a JSON object a line", func(ctx context.Context, s *session, h engine.Head) error {
		if sp, err := s.pinned(ctx, s.store, h); err == nil {
			a.learnSecrets(sp.Root)
		}
		out := &lines{w: a.stdout, vault: a.vault}
		out.write(object{"type": "thread", "version": 1, "thread": h.Thread, "events": h.Seq, "summary": h.Summary})
		return events(ctx, s.store, h.Thread, func(seq engine.Seq, ev engine.Event) error {
			out.write(object{"type": ev.Kind().String(), "seq": seq, "event": ev})
			return nil
		})
	})
	return c
}
