package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weft-engine/weft/engine/diag"
)

// count returns a number with its noun: 1 spec, 2 specs.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// atMost takes up to n arguments.
func atMost(n int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) <= n {
			return nil
		}
		return usage("%s takes at most %s; %q is one too many", cmd.CommandPath(), count(n, "argument"), args[n])
	}
}

// completeWords lets shells complete the values of a flag.
func completeWords(c *cobra.Command, flag string, words ...string) {
	_ = c.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)) // fails only for unknown flags
}

// orOneOf says what may have been meant.
func orOneOf(word string, names []string) string {
	if near := diag.Nearest(word, names); near != "" {
		return fmt.Sprintf(": did you mean %q?", near)
	}
	if len(names) == 0 {
		return ": it has none"
	}
	return "; there is: " + strings.Join(names, ", ")
}
