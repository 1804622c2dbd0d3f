package main

import "fmt"

// Run is the whole program, for scripts that run it.
func Run() int { return run() }

// BenchServer is the model server of BenchmarkAgentLoop.
var BenchServer = benchServer

// Reads reads a command line as the program does, without running it.
func Reads(args []string) error {
	cmd, rest, err := newApp().root().Find(args)
	if err != nil {
		return err
	}
	if err := cmd.ParseFlags(rest); err != nil {
		return fmt.Errorf("%s: %w", cmd.CommandPath(), err)
	}
	if cmd.HasSubCommands() {
		return cmd.ValidateArgs(cmd.Flags().Args())
	}
	return nil
}
