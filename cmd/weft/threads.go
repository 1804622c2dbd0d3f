package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/local"
	"github.com/weft-engine/weft/engine/source"
)

func (a *app) threadsCommand() *cobra.Command {
	return group("threads", "Look at threads, fork them, end their runs",
		a.threadsList(), a.threadsShow(), a.threadsHistory(), a.threadsFork(), a.threadsExport(), a.threadsCancel())
}

// threadVerb is a verb about one thread.
func (a *app) threadVerb(use, short string, do func(ctx context.Context, s *session, h engine.Head) error) *cobra.Command {
	f := &driveFlags{output: "text", noInput: true}
	c := &cobra.Command{
		Use: use + " THREAD", Short: short, Args: exactly("a thread"),
		RunE: a.verb(func(cmd *cobra.Command, args []string) error {
			s, err := a.session(f, ".")
			if err != nil {
				return err
			}
			defer s.close()
			s.out = quiet{s.out}
			if err := s.open(cmd.Context()); err != nil {
				return err
			}
			h, err := head(cmd.Context(), s.store, engine.ThreadID(args[0]))
			if err != nil {
				return err
			}
			return do(cmd.Context(), s, h)
		}),
	}
	storeFlag(c, &f.store)
	return c
}

func (a *app) threadsList() *cobra.Command {
	var store, status string
	var asJSON bool
	statuses := []string{"running", "parked", "done", "failed", "limited", "canceled"}
	c := &cobra.Command{
		Use: "list", Short: "List threads, the one touched last first", Args: atMost(0),
		RunE: a.verb(func(cmd *cobra.Command, _ []string) error {
			if status != "" && !slices.Contains(statuses, status) {
				return usage("unknown --status %q: use one of %s", status, strings.Join(statuses, ", "))
			}
			return a.withStore(cmd.Context(), store, func(st engine.Store) error {
				return a.listThreads(cmd.Context(), st, engine.Filter{Status: engine.Status(status)}, asJSON)
			})
		}),
	}
	storeFlag(c, &store)
	c.Flags().StringVar(&status, "status", "", "only those: "+strings.Join(statuses, ", "))
	c.Flags().BoolVar(&asJSON, "json", false, "print a JSON object a line")
	completeWords(c, "status", statuses...)
	return c
}

func (a *app) withStore(ctx context.Context, url string, do func(engine.Store) error) error {
	st, err := openStore(ctx, url)
	if err != nil {
		return err
	}
	defer a.closeStore(st)
	return do(st)
}

func (a *app) listThreads(ctx context.Context, st engine.Store, filter engine.Filter, asJSON bool) error {
	out := &lines{w: a.stdout, vault: a.vault}
	w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	n := 0
	for h, err := range st.Threads(ctx, filter) {
		if err != nil {
			return err
		}
		if h.Thread.Internal() {
			continue
		}
		if asJSON {
			out.write(object{"thread": h.Thread, "seq": h.Seq, "summary": h.Summary, "driven": h.Owner != ""})
			continue
		}
		if n++; n == 1 {
			_, _ = fmt.Fprintln(w, "THREAD\tSTATUS\tGRAPH\tUPDATED\tEVENTS\t")
		}
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%d\t%s\n", printable(string(h.Thread)), h.Summary.Status, h.Summary.Graph,
			clock(h.Summary.Updated), h.Seq, waitsFor(h.Summary))
	}
	if n == 0 && !asJSON {
		a.notef("There are no threads.\n")
	}
	return w.Flush()
}

// clock is an instant for people.
func clock(t time.Time) string { return t.Local().Format("2006-01-02 15:04:05") }

// waitsFor says in a few words what a thread waits for, or why it failed.
func waitsFor(s engine.Summary) string {
	switch {
	case len(s.Interrupts) > 0:
		return "asks: " + brief(s.Interrupts[0].Title, 60)
	case s.Status == engine.Parked && s.Wake != nil:
		return "until " + clock(*s.Wake)
	case s.Error != "":
		return brief(s.Error, 60)
	}
	return ""
}

func (a *app) threadsShow() *cobra.Command {
	var asJSON bool
	c := a.threadVerb("show", "Show where a thread stands, its state and what it asks", func(ctx context.Context, s *session, h engine.Head) error {
		p, err := s.program(ctx, h)
		if err != nil {
			return err
		}
		res, err := s.runner.Show(ctx, p, h.Thread)
		if err != nil {
			return err
		}
		if asJSON {
			out := &lines{w: a.stdout, vault: a.vault}
			out.write(object{"document": documentOf(res), "state": res.State, "seq": h.Seq, "spec": h.Summary.Spec, "created": h.Summary.Created})
			return nil
		}
		a.showThread(h, res)
		return nil
	})
	c.Flags().BoolVar(&asJSON, "json", false, "print it as JSON")
	return c
}

func (a *app) showThread(h engine.Head, res local.Result) {
	a.printf("thread   %s\nstatus   %s\ngraph    %s\nrun      %s\nspec     %.12s\ncreated  %s\nupdated  %s\nevents   %d\n",
		printable(string(h.Thread)), res.Status, res.Graph, res.Run, h.Summary.Spec, clock(h.Summary.Created), clock(h.Summary.Updated), h.Seq)
	if text := strings.TrimPrefix(used(res.Used), ", "); text != "" {
		a.printf("used     %s\n", text)
	}
	if res.Failure != nil {
		a.printf("error    %s\n", printable(failed(res.Failure)))
	}
	if len(res.State) > 0 {
		a.printf("\nstate\n%s", printable(indented(asYAML(res.State), "  ")+"\n"))
	}
	for _, request := range res.Interrupts {
		a.printf("\n%s", describe(request))
	}
}

// forkFlags is what threads fork takes.
type forkFlags struct {
	at  uint64
	to  string
	by  string
	set []string
}

func (a *app) threadsFork() *cobra.Command {
	f := &forkFlags{}
	c := a.threadVerb("fork", "Make a new thread with the past of another", func(ctx context.Context, s *session, h engine.Head) error {
		if err := checkThread("to", f.to); err != nil {
			return err
		}
		values, err := assignments(f.set)
		if err != nil {
			return err
		}
		p, err := s.program(ctx, h)
		if err != nil {
			return err
		}
		by := f.by
		if by == "" {
			by = a.userName()
		}
		res, err := s.runner.Fork(ctx, p, local.Fork{From: h.Thread, At: engine.Seq(f.at), To: engine.ThreadID(f.to), Set: values, By: by})
		if err != nil {
			return err
		}
		a.printf("%s\n", printable(string(res.Thread)))
		if !res.Status.Ended() {
			a.notef("Go on with it:\n  %s\n", s.resumeLine(res.Thread, ""))
		}
		return nil
	})
	c.Flags().Uint64Var(&f.at, "at", 0, "the last `EVENT` to keep (default: all); `weft threads history` numbers them")
	c.Flags().StringVar(&f.to, "to", "", "the new thread's name (default: a new one)")
	c.Flags().StringVar(&f.by, "by", "", "`NAME` of who changes the state (default: the user who runs this)")
	c.Flags().StringArrayVar(&f.set, "set", nil, "change a state field there: `FIELD=VALUE`, the value as JSON or text; may be repeated")
	return c
}

// assignments reads FIELD=VALUE; a value that is no JSON is text.
func assignments(set []string) (map[string]any, error) {
	out := make(map[string]any, len(set))
	for _, s := range set {
		name, text, ok := strings.Cut(s, "=")
		if !ok || name == "" {
			return nil, usage("--set %q: write FIELD=VALUE", s)
		}
		v, err := source.DecodeJSON([]byte(text))
		if err != nil {
			v = text
		}
		out[name] = v
	}
	return out, nil
}

func (a *app) threadsCancel() *cobra.Command {
	var by, reason string
	c := a.threadVerb("cancel", "End a thread's run for good", func(ctx context.Context, s *session, h engine.Head) error {
		p, err := s.program(ctx, h)
		if err != nil {
			return err
		}
		if by == "" {
			by = a.userName()
		}
		res, err := s.runner.Cancel(ctx, p, h.Thread, by, reason)
		if err != nil {
			return err
		}
		a.printf("%s: thread %s\n", res.Status, printable(string(h.Thread)))
		return nil
	})
	c.Flags().StringVar(&by, "by", "", "`NAME` of who ends it (default: the user who runs this)")
	c.Flags().StringVar(&reason, "reason", "", "why")
	return c
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
