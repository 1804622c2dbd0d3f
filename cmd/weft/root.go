package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/diag"
)

// root returns the command with all its verbs.
func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "weft",
		Short: "Declarative agent pipelines: a spec in, a durable run out",
		Long: "Weft runs agent pipelines that are written down in YAML, JSON or CUE. It checks a spec before anything runs,\n" +
			"journals every step, asks a human where the spec says so, and goes on where it stopped.\n\n" +
			"Exit codes: 0 done, 1 failed, 2 wrong usage, 3 invalid spec, 4 waits, 5 limit reached, 130/143 stopped.",
		SilenceUsage: true, SilenceErrors: true,
		PersistentPreRunE: func(*cobra.Command, []string) error { return a.logger() },
		Args:              noVerb,
		RunE:              help,
	}
	root.PersistentFlags().StringVar(&a.logLevel, "log-level", "warn", "what is logged to standard error: debug, info, warn, error, disabled")
	root.PersistentFlags().StringVar(&a.logFormat, "log-format", "auto", "how it is logged: text, json, or auto (text on a terminal)")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usage("%w\nSee `%s --help`.", err, cmd.CommandPath())
	})
	root.AddCommand(
		a.initCommand(), a.validateCommand(), a.explainCommand(), a.testCommand(),
		a.runCommand(), a.triggerCommand(), a.resumeCommand(), a.inboxCommand(), a.threadsCommand(), a.memoryCommand(),
		a.authCommand(), a.graphCommand(), a.renderCommand(), a.schemaCommand(), a.uesCommand(), a.versionCommand(),
	)
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		if c.Name() == "completion" {
			c.RunE = help // or cobra takes the name of a shell that there is not for a wish for help
		}
	}
	return root
}

// help is what a command does that only has others.
func help(cmd *cobra.Command, _ []string) error { return cmd.Help() }

// noVerb refuses the name of a command that there is not.
func noVerb(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	hint := ""
	if near := diag.Nearest(args[0], names); near != "" {
		hint = fmt.Sprintf(": did you mean %q?", near)
	}
	return usage("unknown command %q for %q%s\nSee `%s --help`.", args[0], cmd.CommandPath(), hint, cmd.CommandPath())
}

// verb makes what a command runs: its errors end the program with the right code.
func (a *app) verb(do func(cmd *cobra.Command, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		err := do(cmd, args)
		if err == nil {
			return nil
		}
		return &exitError{codeOf(cmd.Context(), err), said(cmd.Context(), err)}
	}
}

// said returns what is left to be said of an error: nothing of a silent one, and of a
// stopped verb only what stopped it.
func said(ctx context.Context, err error) error {
	if stop, ok := errors.AsType[*signaled](context.Cause(ctx)); ok && errors.Is(err, context.Canceled) {
		return stop
	}
	if errors.Is(err, engine.ErrLeased) {
		return fmt.Errorf("%w; wait until it is done, or stop it", err)
	}
	if exit, ok := err.(*exitError); ok { //nolint:errorlint // a wrapped one has more to say
		return exit.err
	}
	return err
}

// group makes a command that only has others.
func group(use, short string, commands ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{Use: use, Short: short, Args: noVerb, RunE: help}
	c.AddCommand(commands...)
	return c
}
