package main

import (
	"time"

	"github.com/spf13/cobra"
)

// driveFlags is what every verb takes that drives a thread.
type driveFlags struct {
	store    string
	output   string
	script   string
	record   string
	replay   string
	answers  string
	by       string
	wait     time.Duration
	exec     bool
	noInput  bool
	stdinUse bool // standard input is data: nobody can be asked there
}

// defaultStore is where threads are kept unless the user says otherwise.
const defaultStore = "sqlite:.weft/weft.db"

// inMemory keeps threads as long as the process lives.
const inMemory = "memory:"

func storeFlag(c *cobra.Command, to *string) {
	c.Flags().StringVar(to, "store", defaultStore, "where threads are kept: sqlite:PATH, or memory: for this run alone")
}

// dirFlag is for verbs that go on with runs: a store keeps the spec, and not where it was.
func dirFlag(c *cobra.Command, to *string) {
	c.Flags().StringVar(to, "dir", ".", "the `DIR` that the spec's programs run in")
}

func (f *driveFlags) add(c *cobra.Command) {
	storeFlag(c, &f.store)
	c.Flags().StringVar(&f.output, "output", "text", "what is printed: text, json (one document at the end), events (a line each, as they happen)")
	c.Flags().StringVar(&f.script, "script", "", "answer for the models from a `FILE`: no network")
	c.Flags().StringVar(&f.record, "record", "", "save every exchange with a model in `DIR`")
	c.Flags().StringVar(&f.replay, "replay", "", "answer for the models from the recordings in `DIR`: no network")
	c.Flags().StringVar(&f.answers, "answers", "", "answer for the human from a `FILE`")
	c.Flags().StringVar(&f.by, "by", "", "`NAME` of who answers (default: the user who runs this)")
	c.Flags().DurationVar(&f.wait, "wait", 2*time.Minute, "how long to wait for timers before the run is left parked")
	c.Flags().BoolVar(&f.exec, "allow-exec", false, "let tools run programs")
	c.Flags().BoolVar(&f.noInput, "no-input", false, "never ask on the terminal")
	completeWords(c, "output", "text", "json", "events")
}

// check refuses flags that do not go together.
func (f *driveFlags) check() error {
	switch f.output {
	case "text", "json", "events":
	default:
		return usage("unknown --output %q: use text, json or events", f.output)
	}
	switch {
	case f.script != "" && f.replay != "":
		return usage("--script and --replay both answer for the models: give one")
	case f.replay != "" && f.record != "":
		return usage("--replay answers from recordings: there is nothing to --record")
	case f.wait < 0:
		return usage("--wait must not be negative")
	}
	return nil
}
