package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weft-engine/weft/engine/diag"
)

func (a *app) explainCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "explain [CODE]",
		Short: "Tell what a finding is about; without a code, list them all",
		Args:  atMost(1),
		RunE: a.verb(func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return a.listRules()
			}
			return a.explain(args[0])
		}),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return codes(rules()), cobra.ShellCompDirectiveNoFileComp
		},
	}
}

func (a *app) explain(code string) error {
	known := rules()
	code = strings.Trim(code, "[]")
	for _, r := range known {
		if string(r.Code) == code {
			return diag.Explain(a.stdout, r)
		}
	}
	if near := diag.Nearest(code, codes(known)); near != "" {
		return usage("there is no finding %q: did you mean %q?", code, near)
	}
	return usage("there is no finding %q: `weft explain` lists them", code)
}

func (a *app) listRules() error {
	known := rules()
	slices.SortFunc(known, func(x, y diag.Rule) int { return strings.Compare(string(x.Code), string(y.Code)) })
	width := 0
	for _, r := range known {
		width = max(width, len(r.Code))
	}
	for _, r := range known {
		a.printf("%-*s  %s\n", width, r.Code, r.Summary)
	}
	return nil
}

func codes(known []diag.Rule) []string {
	out := make([]string, len(known))
	for i, r := range known {
		out[i] = string(r.Code)
	}
	slices.Sort(out)
	return out
}
