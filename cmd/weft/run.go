package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/local"
	"github.com/weft-engine/weft/engine/spectest"
)

// runFlags is what run takes.
type runFlags struct {
	driveFlags
	graph, input, thread, profile, user string
}

func (a *app) runCommand() *cobra.Command {
	f := &runFlags{}
	c := &cobra.Command{
		Use: "run DIR", Short: "Run a graph of a spec", Args: exactly("the directory of a spec"),
		Long: "Runs a graph of the spec in DIR until it ends or waits. On a terminal it asks the human itself; elsewhere a run that\n" +
			"waits for one ends with exit code 4 and says how to go on.",
		RunE: a.verb(func(cmd *cobra.Command, args []string) error { return a.run(cmd.Context(), args[0], f) }),
	}
	c.Flags().StringVar(&f.graph, "graph", "", "the graph to run (default: the only one, or the one called main)")
	c.Flags().StringVar(&f.input, "input", "{}", "the graph's input: a FILE of YAML or JSON, - for standard input, or JSON itself")
	c.Flags().StringVar(&f.thread, "thread", "", "the thread to run in (default: a new one)")
	c.Flags().StringVar(&f.profile, "profile", "", "the profile of the spec (default: its default_profile)")
	c.Flags().StringVar(&f.user, "user", "", "whose memories are meant (default: \"default\")")
	f.add(c)
	return c
}

func (a *app) run(ctx context.Context, dir string, f *runFlags) error {
	f.stdinUse = f.input == "-"
	if err := checkThread("thread", f.thread); err != nil {
		return err
	}
	s, err := a.session(&f.driveFlags, dir)
	if err != nil {
		return err
	}
	defer s.close()
	input, err := a.input("input", f.input)
	if err != nil {
		return err
	}
	sp, err := a.load(dir, f.profile)
	if err != nil {
		return err
	}
	p, err := a.compile(sp, s.deps)
	if err != nil {
		return err
	}
	graph, err := chooseGraph(p, f.graph)
	if err != nil {
		return err
	}
	if err := s.open(ctx); err != nil {
		return err
	}
	start := local.Start{Thread: engine.ThreadID(f.thread), Graph: graph, User: f.user, Input: input}
	return s.drive(ctx, p, func() (local.Result, error) { return s.runner.Run(ctx, p, start) })
}

// checkThread refuses a name that no new thread can have; "" is none.
func checkThread(flag, name string) error {
	thread := engine.ThreadID(name)
	switch err := thread.Check(); {
	case name == "":
		return nil
	case thread.Internal():
		return usage("--%s %s: names that begin with memory: or trigger: belong to the engine; choose another", flag, name)
	case err != nil:
		return usage("--%s: %w", flag, err)
	}
	return nil
}

// input reads the value of a flag: an object, or where one is.
func (a *app) input(flag, from string) (map[string]any, error) {
	var data []byte
	var err error
	name := from
	switch {
	case strings.HasPrefix(strings.TrimSpace(from), "{"):
		fields, err := jsonObject(from)
		if err != nil {
			return nil, usage("--%s is not a JSON object: %w", flag, err)
		}
		return fields, nil
	case from == "-":
		name = "standard input"
		data, err = readAll(a.stdin, name)
	default:
		data, err = readFile(from)
	}
	if err != nil {
		return nil, err
	}
	if fields, err := jsonObject(string(data)); err == nil { // data may be larger than a spec
		return fields, nil
	}
	v, err := a.decode(data, name)
	if err != nil {
		return nil, err
	}
	fields, ok := v.Go().(map[string]any)
	if !ok {
		return nil, usage("--%s %s holds no object: write {name: value}", flag, from)
	}
	return fields, nil
}

// chooseGraph returns the graph to run.
func chooseGraph(p *engine.Program, name string) (string, error) {
	names := make([]string, len(p.Graphs))
	for i, g := range p.Graphs {
		names[i] = g.Name
		if g.Name == name {
			return name, nil
		}
	}
	if name != "" {
		return "", usage("the spec has no graph %q%s", name, orOneOf(name, names))
	}
	if len(names) == 0 {
		return "", usage("the spec has no graph to run")
	}
	name, ok := spectest.MainGraph(names)
	if !ok {
		return "", usage("the spec has several graphs: choose one with --graph: %s", strings.Join(names, ", "))
	}
	return name, nil
}
