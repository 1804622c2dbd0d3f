package main

import (
	"context"
	"errors"
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/spectest"
)

func (a *app) inboxCommand() *cobra.Command {
	f := &driveFlags{}
	var dir string
	c := &cobra.Command{
		Use: "inbox", Short: "Answer what runs ask", Args: atMost(0),
		Long: "On a terminal, shows what runs ask, one question after the other, and takes the answers; elsewhere it lists them.\n" +
			"A script answers with `weft resume`.",
		RunE: a.verb(func(cmd *cobra.Command, _ []string) error { return a.inbox(cmd.Context(), f, dir) }),
	}
	f.add(c)
	dirFlag(c, &dir)
	c.AddCommand(a.inboxList(), a.inboxShow())
	return c
}

// question is an open interrupt of a thread.
type question struct {
	head    engine.Head
	request *engine.InterruptRequest
}

// questions returns all open interrupts, the oldest first in each thread.
func questions(ctx context.Context, store engine.Store, filter engine.Filter) ([]question, error) {
	filter.Interrupt = true
	var out []question
	for h, err := range store.Threads(ctx, filter) {
		if err != nil {
			return nil, err
		}
		for _, request := range h.Summary.Interrupts {
			out = append(out, question{h, request})
		}
	}
	return out, nil
}

func (a *app) inboxList() *cobra.Command {
	var store string
	var asJSON bool
	c := &cobra.Command{
		Use: "list", Short: "List what runs ask", Args: atMost(0),
		RunE: a.verb(func(cmd *cobra.Command, _ []string) error {
			return a.withStore(cmd.Context(), store, func(st engine.Store) error { return a.listQuestions(cmd.Context(), st, asJSON) })
		}),
	}
	storeFlag(c, &store)
	c.Flags().BoolVar(&asJSON, "json", false, "print a JSON object a line")
	return c
}

func (a *app) listQuestions(ctx context.Context, st engine.Store, asJSON bool) error {
	open, err := questions(ctx, st, engine.Filter{})
	if err != nil {
		return err
	}
	if asJSON {
		out := &lines{w: a.stdout, vault: a.vault}
		for _, q := range open {
			out.write(object{"thread": q.head.Thread, "graph": q.head.Summary.Graph, "interrupt": q.request})
		}
		return nil
	}
	if len(open) == 0 {
		a.notef("Nothing is asked.\n")
		return nil
	}
	w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, "THREAD\tINTERRUPT\tABOUT\tASKED\tDUE\tTITLE")
	for _, q := range open {
		due := "-"
		if q.request.Due != nil {
			due = clock(*q.request.Due)
		}
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", printable(string(q.head.Thread)), q.request.ID,
			brief(spectest.InterruptName(q.request), 40), clock(q.request.Opened), due, brief(q.request.Title, 60))
	}
	return w.Flush()
}

func (a *app) inboxShow() *cobra.Command {
	var store string
	c := &cobra.Command{
		Use: "show THREAD", Short: "Show what a thread asks", Args: exactly("a thread"),
		RunE: a.verb(func(cmd *cobra.Command, args []string) error {
			return a.withStore(cmd.Context(), store, func(st engine.Store) error {
				open, err := questions(cmd.Context(), st, engine.Filter{Thread: engine.ThreadID(args[0])})
				if err != nil {
					return err
				}
				if len(open) == 0 {
					if _, err := head(cmd.Context(), st, engine.ThreadID(args[0])); err != nil {
						return err
					}
					a.notef("Thread %s asks nothing.\n", printable(args[0]))
				}
				for _, q := range open {
					a.printf("%s\n", describe(q.request))
				}
				return nil
			})
		}),
	}
	storeFlag(c, &store)
	return c
}

// inbox goes through the open interrupts with a human.
func (a *app) inbox(ctx context.Context, f *driveFlags, dir string) error {
	s, err := a.session(f, dir)
	if err != nil {
		return err
	}
	defer s.close()
	if err := s.open(ctx); err != nil {
		return err
	}
	if s.term == nil {
		return a.listQuestions(ctx, s.store, f.output == "json")
	}
	return s.goThrough(ctx)
}

// goThrough shows one question after the other. The list is read anew after each
// answer: it may have led to another question.
func (s *session) goThrough(ctx context.Context) error {
	at := 0
	for {
		open, err := questions(ctx, s.store, engine.Filter{})
		if err != nil {
			return err
		}
		if len(open) == 0 {
			s.term.printf("Nothing is asked.\n")
			return nil
		}
		at = (at + len(open)) % len(open)
		move, err := s.one(ctx, open[at], at, len(open))
		if errors.Is(err, errQuit) {
			return nil
		}
		if err != nil {
			return err
		}
		at += move
	}
}

// one asks one question, and returns how far to move in the list.
func (s *session) one(ctx context.Context, q question, at, of int) (int, error) {
	s.term.printf("\n[%d of %d] thread %s, graph %s\n", at+1, of, q.head.Thread, q.head.Summary.Graph)
	d := &dialogue{app: s.app, term: s.term, by: s.by(), more: []string{"next", "previous"}}
	answer, err := d.ask(ctx, q.request)
	var c *command
	switch {
	case errors.As(err, &c) && c.word == "next":
		return 1, nil
	case errors.As(err, &c):
		return -1, nil
	case err != nil:
		return 0, err
	}
	p, err := s.program(ctx, q.head)
	if err != nil {
		return 0, err
	}
	res, err := s.runner.Resume(ctx, p, q.head.Thread, answer)
	switch {
	case ctx.Err() != nil:
		return 0, s.ended(ctx, res, err)
	case err != nil:
		s.term.printf("%s\n", err)
		if errors.Is(err, engine.ErrRefused) {
			return 0, nil
		}
		return 1, nil
	}
	s.out.result(res)
	return 0, nil
}
