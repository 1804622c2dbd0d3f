package main

import (
	"github.com/spf13/cobra"

	"github.com/weft-engine/weft/engine/draw"
	"github.com/weft-engine/weft/nodes"
)

func (a *app) graphCommand() *cobra.Command {
	var graph, format, profile string
	c := &cobra.Command{
		Use: "graph DIR", Short: "Draw a graph of a spec", Args: exactly("the directory of a spec"),
		RunE: a.verb(func(_ *cobra.Command, args []string) error { return a.draw(args[0], graph, format, profile) }),
	}
	c.Flags().StringVar(&graph, "graph", "", "the graph to draw (default: the only one, or the one called main)")
	c.Flags().StringVar(&format, "format", "mermaid", "mermaid, dot or svg")
	c.Flags().StringVar(&profile, "profile", "", "the profile of the spec (default: its default_profile)")
	completeWords(c, "format", "mermaid", "dot", "svg")
	return c
}

func (a *app) draw(dir, graph, format, profile string) error {
	write := map[string]func(*draw.Picture) string{"mermaid": (*draw.Picture).Mermaid, "dot": (*draw.Picture).DOT, "svg": (*draw.Picture).SVG}[format]
	if write == nil {
		return usage("unknown --format %q: use mermaid, dot or svg", format)
	}
	sp, err := a.load(dir, profile)
	if err != nil {
		return err
	}
	p, err := a.compile(sp, nodes.Deps{})
	if err != nil {
		return err
	}
	if graph, err = chooseGraph(p, graph); err != nil {
		return err
	}
	a.printf("%s", write(draw.Graph(sp.Root, graph)))
	return nil
}
