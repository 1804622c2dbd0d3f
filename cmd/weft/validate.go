package main

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/weft-engine/weft/engine/build"
	"github.com/weft-engine/weft/engine/compile"
	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/expr"
	"github.com/weft-engine/weft/engine/shape"
	"github.com/weft-engine/weft/engine/spec"
	"github.com/weft-engine/weft/engine/spectest"
	"github.com/weft-engine/weft/nodes"
)

func (a *app) validateCommand() *cobra.Command {
	var format string
	c := &cobra.Command{
		Use:   "validate [DIR…]",
		Short: "Check specs: schema, names, types, the shape of graphs",
		Long: "Checks the specs in the directories (the present one by default), each with all its profiles, and their test files.\n" +
			"DIR/... checks every spec in and below DIR. `weft explain CODE` tells more about a finding.",
		RunE: a.verb(func(_ *cobra.Command, args []string) error { return a.validate(args, format) }),
	}
	c.Flags().StringVar(&format, "format", "text", "how findings are printed: text, json, sarif or github")
	completeWords(c, "format", "text", "json", "sarif", "github")
	return c
}

func (a *app) validate(args []string, format string) error {
	if !slices.Contains([]string{"text", "json", "sarif", "github"}, format) {
		return usage("unknown --format %q: use text, json, sarif or github", format)
	}
	dirs, err := specDirs(args)
	if err != nil {
		return err
	}
	c := &checked{list: &diag.List{}}
	for _, dir := range dirs {
		c.spec(dir)
	}
	found := c.list.Sorted()
	if err := a.findings(format, found, c.source); err != nil {
		return err
	}
	if c.list.HasErrors() {
		return silent(exitInvalid)
	}
	if format == "text" {
		a.printf("ok: %s, %s, %s\n", count(len(dirs), "spec"), count(c.graphs, "graph"), count(len(found), "warning"))
	}
	return nil
}

// checked is what validation found.
type checked struct {
	list    *diag.List
	sources []func(string) []byte
	graphs  int
}

func (c *checked) source(file string) []byte {
	for _, source := range c.sources {
		if data := source(file); data != nil {
			return data
		}
	}
	return nil
}

// spec checks a spec as it is, and with each of its profiles. What is wrong with
// several of them is found at the same place and told once.
func (c *checked) spec(dir string) {
	sp := c.profile(dir, "")
	for _, name := range sp.Profiles {
		if name != sp.Profile {
			c.profile(dir, name)
		}
	}
	suite, list := spectest.Load(dir)
	c.list.Merge(list)
	c.sources = append(c.sources, suite.Source)
}

func (c *checked) profile(dir, profile string) *spec.Spec {
	sp, list := spec.LoadDir(dir, spec.Options{Profile: profile})
	c.list.Merge(list)
	c.sources = append(c.sources, sp.Source)
	p, list := compile.Program(sp, nodes.Types(nodes.Deps{}))
	c.list.Merge(list)
	if p != nil && profile == "" {
		c.graphs += len(p.Graphs)
	}
	return sp
}

// findings prints findings in a format.
func (a *app) findings(format string, found []diag.Finding, source func(string) []byte) error {
	switch format {
	case "json":
		return diag.JSON(a.stdout, found)
	case "sarif":
		return diag.SARIF(a.stdout, found, rules(), diag.Tool{Name: "weft", Version: version().Version}, source)
	case "github":
		return diag.GitHub(a.stdout, found)
	}
	return diag.Text(a.stderr, found, source)
}

// rules returns every kind of finding there is.
func rules() []diag.Rule {
	return slices.Concat(spec.Rules(), shape.Rules(), expr.Rules(), build.Rules(), compile.Rules(), nodes.Rules(), spectest.Rules())
}
