package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/memory"
	"github.com/weft-engine/weft/engine/source"
	"github.com/weft-engine/weft/engine/spectest"
)

// memoryFlags say which memory is meant.
type memoryFlags struct {
	store, dir, user, thread, by, why string
	json                              bool
}

func (a *app) memoryCommand() *cobra.Command {
	return group("memory", "Look at what was remembered, and undo it",
		a.memoryList(),
		a.memoryVerb("show NAME", "Print a memory's text", 1, a.memoryShow),
		a.memoryVerb("history NAME", "List the changes of a memory", 1, a.memoryHistory),
		a.memoryVerb("undo NAME [VERSION]", "Take back a change, and every one since; without a version, the last", 2, a.memoryUndo),
		a.memoryVerb("apply NAME VERSION", "Make a proposal that a guard held back the memory's text", 2, a.memoryApply),
	)
}

// place is one memory with the store that it is kept in.
type place struct {
	memory.Place
	store *memory.Store
	flags *memoryFlags
}

func (f *memoryFlags) add(c *cobra.Command) {
	storeFlag(c, &f.store)
	c.Flags().StringVar(&f.dir, "dir", "", "the `DIR` of the spec that defines the memory (default: the spec that was run last with it)")
	c.Flags().StringVar(&f.user, "user", "", "whose memory, for those of scope user (default: \"default\")")
	c.Flags().StringVar(&f.thread, "thread", "", "which thread's memory, for those of scope thread")
	c.Flags().BoolVar(&f.json, "json", false, "print it as JSON")
}

func (a *app) memoryVerb(use, short string, most int, do func(ctx context.Context, p *place, args []string) error) *cobra.Command {
	f := &memoryFlags{}
	c := &cobra.Command{
		Use: use, Short: short,
		Args: func(cmd *cobra.Command, args []string) error {
			least := 1
			if strings.HasSuffix(use, "NAME VERSION") {
				least = 2
			}
			if len(args) < least {
				return usage("%s needs %s", cmd.CommandPath(), strings.SplitN(use, " ", 2)[1])
			}
			return atMost(most)(cmd, args)
		},
		RunE: a.verb(func(cmd *cobra.Command, args []string) error {
			return a.withStore(cmd.Context(), f.store, func(st engine.Store) error {
				m, err := a.memoryDefinition(cmd.Context(), st, f.dir, args[0])
				if err != nil {
					return err
				}
				if m.Scope == "thread" && f.thread == "" {
					return usage("memory %q belongs to a thread: say which with --thread", m.Name)
				}
				p := &place{
					Place: memory.Place{Memory: m, User: f.user, Thread: engine.ThreadID(f.thread)},
					store: &memory.Store{Store: st, Now: a.now}, flags: f,
				}
				return do(cmd.Context(), p, args[1:])
			})
		}),
	}
	f.add(c)
	if most == 2 {
		c.Flags().StringVar(&f.by, "by", "", "`NAME` of who does this (default: the user who runs this)")
		c.Flags().StringVar(&f.why, "why", "", "why")
	}
	return c
}

// memoryDefinition returns a memory as a spec defines it: the one in dir, else the
// one that was run last and has it.
func (a *app) memoryDefinition(ctx context.Context, st engine.Store, dir, name string) (*engine.Memory, error) {
	if dir != "" {
		sp, err := a.load(dir, "")
		if err != nil {
			return nil, err
		}
		if m := defined(sp.Root, name); m != nil {
			return m, nil
		}
		return nil, usage("the spec in %s has no memory %q%s", dir, name, orOneOf(name, memoryNames(sp.Root)))
	}
	return a.lastDefinition(ctx, st, name)
}

// lastDefinition looks through the specs of the store's threads, the one touched last
// first, each spec once.
func (a *app) lastDefinition(ctx context.Context, st engine.Store, name string) (*engine.Memory, error) {
	var names []string
	seen := map[string]bool{"": true}
	for h, err := range st.Threads(ctx, engine.Filter{}) {
		if err != nil {
			return nil, err
		}
		if seen[h.Summary.Spec] {
			continue
		}
		seen[h.Summary.Spec] = true
		sp, err := a.pinned(ctx, st, h)
		if err != nil {
			return nil, err
		}
		if m := defined(sp.Root, name); m != nil {
			return m, nil
		}
		names = append(names, memoryNames(sp.Root)...)
	}
	return nil, usage("no spec that was run has a memory %q%s", name, orOneOf(name, names))
}

// defined returns the memory of that name in a spec, nil when there is none.
func defined(root *source.Value, name string) *engine.Memory {
	def := root.Get("memory").Get(name)
	if def == nil {
		return nil
	}
	m := &engine.Memory{Name: name, Scope: "user"}
	if scope := def.Get("scope"); scope != nil {
		m.Scope = scope.Text
	}
	if text := def.Get("default"); text != nil {
		m.Default = text.Text
	}
	return m
}

func memoryNames(root *source.Value) []string {
	var out []string
	if defs := root.Get("memory"); defs != nil {
		for _, f := range defs.Fields {
			out = append(out, f.Key)
		}
	}
	return out
}

func (a *app) memoryList() *cobra.Command {
	f := &memoryFlags{}
	c := &cobra.Command{
		Use: "list", Short: "List the memories that were changed", Args: atMost(0),
		RunE: a.verb(func(cmd *cobra.Command, _ []string) error {
			return a.withStore(cmd.Context(), f.store, func(st engine.Store) error { return a.listMemories(cmd.Context(), st, f.json) })
		}),
	}
	storeFlag(c, &f.store)
	c.Flags().BoolVar(&f.json, "json", false, "print a JSON object a line")
	return c
}

// listMemories lists the threads that hold memories, by their last change.
func (a *app) listMemories(ctx context.Context, st engine.Store, asJSON bool) error {
	out := &lines{w: a.stdout, vault: a.vault}
	w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	n := 0
	for h, err := range st.Threads(ctx, engine.Filter{}) {
		if err != nil {
			return err
		}
		if !memory.IsThread(h.Thread) {
			continue
		}
		var last *engine.MemoryChanged
		err := events(ctx, st, h.Thread, func(_ engine.Seq, ev engine.Event) error {
			if changed, ok := ev.(*engine.MemoryChanged); ok {
				last = changed
			}
			return nil
		})
		if err != nil || last == nil {
			return err
		}
		scope, name, owner := parseMemory(h.Thread)
		if n++; asJSON {
			out.write(object{"memory": name, "scope": scope, "owner": owner, "changes": h.Seq, "last": last})
			continue
		}
		if n == 1 {
			_, _ = fmt.Fprintln(w, "MEMORY\tSCOPE\tOWNER\tCHANGES\tLAST\tWHY")
		}
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%d\t%s %s\t%s\n", name, scope, printable(owner), h.Seq, clock(last.At), last.Status, brief(last.Why, 50))
	}
	if n == 0 && !asJSON {
		a.notef("No memory was changed.\n")
	}
	return w.Flush()
}

// parseMemory takes the id of a memory's thread apart. An id that was too long says
// nothing.
func parseMemory(id engine.ThreadID) (scope, name, owner string) {
	parts := strings.SplitN(strings.TrimPrefix(string(id), "memory:"), "/", 3)
	if len(parts) < 3 {
		return "?", "?", string(id)
	}
	return parts[0], parts[1], parts[2]
}

func (a *app) memoryShow(ctx context.Context, p *place, _ []string) error {
	v, err := p.store.ReadMemory(ctx, p.Memory, p.User, p.Thread)
	if err != nil {
		return err
	}
	if p.flags.json {
		(&lines{w: a.stdout, vault: a.vault}).write(object{"memory": p.Memory.Name, "scope": p.Memory.Scope, "owner": p.Owner(), "version": v.Version, "text": v.Text})
		return nil
	}
	a.printf("%s\n", printable(strings.TrimRight(v.Text, "\n")))
	return nil
}

func (a *app) memoryHistory(ctx context.Context, p *place, _ []string) error {
	past, err := p.store.History(ctx, p.Place)
	if err != nil {
		return err
	}
	out := &lines{w: a.stdout, vault: a.vault}
	for _, v := range past {
		if p.flags.json {
			out.write(object{"version": v.Version, "before": v.Before, "change": v.MemoryChanged})
			continue
		}
		a.printf("%s\n", printable(versionLine(v)))
		a.printf("%s\n", printable(indented(spectest.Diff(v.Before, v.Text), "    ")))
	}
	if len(past) == 0 && !p.flags.json {
		a.notef("Memory %s was never changed.\n", p.Memory.Name)
	}
	return nil
}

func versionLine(v memory.Version) string {
	line := fmt.Sprintf("version %d, %s %s", v.Version, v.Status, clock(v.At))
	if v.By != "" {
		line += " by " + v.By
	}
	if v.Why != "" {
		line += ": " + brief(v.Why, shown)
	}
	return line
}

// versionOf reads a version.
func versionOf(args []string) (engine.Seq, error) {
	if len(args) == 0 {
		return 0, nil
	}
	n, err := strconv.ParseUint(args[0], 10, 64)
	if err != nil || n == 0 {
		return 0, usage("%q is no version: `weft memory history` numbers them", args[0])
	}
	return engine.Seq(n), nil
}

func (a *app) who(p *place) memory.By {
	by := memory.By{By: p.flags.by, Why: p.flags.why}
	if by.By == "" {
		by.By = a.userName()
	}
	return by
}

func (a *app) memoryUndo(ctx context.Context, p *place, args []string) error {
	version, err := versionOf(args)
	if err != nil {
		return err
	}
	now, err := p.store.Undo(ctx, p.Place, version, a.who(p))
	return a.changed(ctx, p, now, err)
}

func (a *app) memoryApply(ctx context.Context, p *place, args []string) error {
	version, err := versionOf(args)
	if err != nil {
		return err
	}
	now, err := p.store.Apply(ctx, p.Place, version, a.who(p))
	return a.changed(ctx, p, now, err)
}

// changed prints the text as it is after a change.
func (a *app) changed(ctx context.Context, p *place, now engine.Seq, err error) error {
	if err != nil {
		return err
	}
	a.notef("memory %s is at version %d:\n", p.Memory.Name, now)
	return a.memoryShow(ctx, p, nil)
}
