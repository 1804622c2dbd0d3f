package main

import (
	"context"
	"crypto/sha256"
	"io"
	"math/rand/v2"
	"os"
	"regexp"

	"github.com/spf13/cobra"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/build"
	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/spectest"
	"github.com/weft-engine/weft/nodes"
	"github.com/weft-engine/weft/nodes/ues/env"
)

// testFlags is what test takes.
type testFlags struct {
	junit, match string
	update, exec bool
	verbose      bool
	parallel     int
}

func (a *app) testCommand() *cobra.Command {
	f := &testFlags{}
	c := &cobra.Command{
		Use: "test [DIR…]", Short: "Run the tests that stand beside specs",
		Long: "Runs the *_test.yaml files of the specs in the directories (the present one by default); DIR/... takes every spec in and\n" +
			"below DIR. Models answer from each test's script and there is no network; time passes at once.",
		RunE: a.verb(func(cmd *cobra.Command, args []string) error { return a.test(cmd.Context(), args, f) }),
	}
	c.Flags().StringVar(&f.junit, "junit", "", "write the outcomes to a `FILE` as JUnit XML")
	c.Flags().StringVar(&f.match, "run", "", "only tests whose name matches a `REGEX`")
	c.Flags().BoolVar(&f.update, "update", false, "rewrite what failed tests expect to what came of them; read the diff")
	c.Flags().BoolVar(&f.exec, "allow-exec", false, "let tools run programs")
	c.Flags().BoolVarP(&f.verbose, "verbose", "v", false, "name the tests that passed too")
	c.Flags().IntVar(&f.parallel, "parallel", 0, "how many tests at a time (default: one a processor)")
	return c
}

func (a *app) test(ctx context.Context, args []string, f *testFlags) error {
	dirs, err := specDirs(args)
	if err != nil {
		return err
	}
	opts := spectest.Options{Types: a.testTypes(f.exec), Offline: []string{"http"}, Parallel: f.parallel, Now: a.now}
	if f.match != "" {
		if opts.Match, err = regexp.Compile(f.match); err != nil {
			return usage("--run is no regular expression: %w", err)
		}
	}
	report := spectest.Run(ctx, dirs, opts)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err := diag.Text(a.stderr, report.Findings.Sorted(), report.Source); err != nil {
		return err
	}
	if f.update {
		changed, err := spectest.Update(report)
		if err != nil {
			return err
		}
		a.printf("updated: %s\n", count(changed, "test"))
	}
	if err := writeJUnit(f.junit, report); err != nil {
		return err
	}
	return a.outcome(report, f)
}

// testTypes returns what specs may use under test.
func (a *app) testTypes(exec bool) func(spectest.Deps) build.Types {
	return func(d spectest.Deps) build.Types {
		keeper := &env.Keeper{Vault: d.Vault, Now: d.Now, Wait: sleep, IDs: seeded, Inside: true}
		deps := nodes.Deps{UES: keeper, Models: d.Models, Memories: d.Memories, Vault: d.Vault, Now: d.Now, AllowExec: exec, Dir: d.Dir}
		return nodes.Types(deps)
	}
}

// seeded gives the environment of a test's thread the same identifiers each time.
func seeded(thread engine.ThreadID) io.Reader {
	return rand.NewChaCha8(sha256.Sum256([]byte(thread)))
}

func writeJUnit(name string, report *spectest.Report) error {
	if name == "" {
		return nil
	}
	f, err := os.Create(name)
	if err != nil {
		return usage("--junit %q cannot be written: %w", name, reason(err))
	}
	if err := spectest.JUnit(f, report); err != nil {
		_ = f.Close() // the first error counts
		return err
	}
	return f.Close()
}

// outcome prints what came of the tests.
func (a *app) outcome(report *spectest.Report, f *testFlags) error {
	for _, o := range report.Outcomes {
		switch {
		case !o.Passed():
			a.printf("FAIL  %s\n%s\n", printable(o.Test.Name), printable(indented(o.Text(), "      ")))
		case f.verbose:
			a.printf("ok    %s (%d ms)\n", printable(o.Test.Name), o.Took.Milliseconds())
		}
	}
	failed, n := report.Failed(), len(report.Outcomes)
	switch {
	case report.Findings.HasErrors():
		a.printf("not sound: %s run, %d failed\n", count(n, "test"), failed)
		return silent(exitInvalid)
	case failed > 0:
		a.printf("FAIL: %d of %s\n", failed, count(n, "test"))
		return silent(exitFailed)
	case n == 0 && report.Skipped == 0:
		a.printf("ok: there are no tests\n")
	default:
		a.printf("ok: %s\n", count(n, "test"))
	}
	return nil
}
