package main_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	main "github.com/weft-engine/weft/cmd/weft"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"weft": func() { os.Exit(main.Run()) }, "bench-server": main.BenchServer})
}

// TestScripts runs the scripts in testdata/script, each in a directory of its own:
// every verb, every flag, every exit code, as a user meets them. UPDATE=1 rewrites what
// they compare with; read the diff.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "../../testdata/script",
		UpdateScripts:       os.Getenv("UPDATE") != "",
		RequireExplicitExec: true,
		Setup:               setup,
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"capture": capture, "code": code, "blot": blot, "serve": serve},
	})
}

// setup gives scripts a fixed time zone, no editor, and the way to the repository.
func setup(env *testscript.Env) error {
	repo, err := filepath.Abs("../..")
	if err != nil {
		return err
	}
	env.Setenv("TZ", "UTC")
	env.Setenv("EDITOR", "")
	env.Setenv("VISUAL", "")
	env.Setenv("REPO", repo)
	return nil
}

// capture NAME stdout|stderr|FILE REGEX keeps what the regex's group finds in $NAME.
func capture(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: capture NAME stdout|stderr|FILE REGEX")
	}
	re, err := regexp.Compile("(?m)" + args[2])
	ts.Check(err)
	m := re.FindStringSubmatch(ts.ReadFile(args[1]))
	if len(m) < 2 {
		ts.Fatalf("nothing in %s is like %s", args[1], args[2])
	}
	ts.Setenv(args[0], m[1])
}

// code N COMMAND… runs a command that must end with exit code N.
func code(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: code N COMMAND…")
	}
	err := ts.Exec(args[1], args[2:]...)
	got := "0"
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		got = fmt.Sprint(exit.ExitCode())
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if got != args[0] {
		ts.Fatalf("exit code %s, want %s", got, args[0])
	}
}

// blots is what differs from run to run.
var blots = []struct {
	re *regexp.Regexp
	by string
}{
	{regexp.MustCompile(`\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?Z?`), "TIME"},
	{regexp.MustCompile(`\b[a-z2-7]{10}-(\d+-\d+)\b`), "RUN-$1"},
	{regexp.MustCompile(`"run":"[a-z2-7]{10}"`), `"run":"RUN"`},
	{regexp.MustCompile(`\b(run +|run_started )[a-z2-7]{10}\b`), "${1}RUN"},
	{regexp.MustCompile(`\b[0-9a-f]{64}\b`), "HASH"},
	{regexp.MustCompile(`\b(spec +)[0-9a-f]{12}\b`), "${1}HASH"},
	{regexp.MustCompile(`time="[0-9.]+"`), `time="N"`},
}

// blot stdout|stderr|FILE NAME writes a text to the file NAME, what differs from run
// to run replaced.
func blot(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: blot stdout|stderr|FILE NAME")
	}
	text := ts.ReadFile(args[0])
	for _, b := range blots {
		text = b.re.ReplaceAllString(text, b.by)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(text), 0o644))
}
