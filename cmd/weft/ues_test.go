package main_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/weft-engine/weft/nodes/ues"
	"github.com/weft-engine/weft/nodes/ues/process"
)

// serve FILE FLAGS… starts weft ues on a free port, keeps what it prints while it starts
// in FILE and where it is in $UES_URL. With the script it is asked to stop, which must
// end it with code 0.
func serve(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: serve FILE FLAGS…")
	}
	self, err := os.Executable()
	ts.Check(err)
	c := exec.Command(self)
	c.Args = append([]string{"weft", "ues", "--port", "0"}, args[1:]...)
	c.Dir = ts.Getenv("WORK")
	for _, name := range []string{"PATH", "HOME", "UES_ADMIN_KEY", "UES_ADMIN_KEY_FILE", "GOCOVERDIR", "TMPDIR"} {
		if v := ts.Getenv(name); v != "" {
			c.Env = append(c.Env, name+"="+v)
		}
	}
	out, err := c.StdoutPipe()
	ts.Check(err)
	c.Stderr = c.Stdout
	ts.Check(c.Start())
	var printed strings.Builder
	lines := bufio.NewScanner(out)
	for url := ""; url == ""; {
		if !lines.Scan() {
			_ = c.Wait()
			ts.Fatalf("weft ues ended: %s", printed.String())
		}
		fmt.Fprintln(&printed, lines.Text())
		if _, after, found := strings.Cut(lines.Text(), "listening on "); found {
			url = after
			ts.Setenv("UES_URL", url)
		}
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(printed.String()), 0o600))
	ts.Defer(func() {
		ts.Check(c.Process.Signal(syscall.SIGTERM))
		rest, _ := io.ReadAll(out)
		if err := c.Wait(); err != nil {
			ts.Fatalf("weft ues did not end well: %v %s", err, rest)
		}
	})
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// weft ues is what the process manager starts, and it ends with the one who started it.
func TestUESAsAChild(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	weft := filepath.Join(t.TempDir(), "weft") // the name makes this binary weft
	if err := os.Symlink(self, weft); err != nil {
		t.Skip(err)
	}
	s, err := process.Weft(weft, os.Environ(), pause).Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	client, err := s.Client()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.Simulation().Start(t.Context(), ues.StartRequest{}); err != nil {
		t.Error(err)
	}
	if err := s.Stop(); err != nil || s.Err() != nil {
		t.Error(err, s.Err(), s.Output())
	}
	if res, err := http.Get(s.URL() + "/health"); err == nil {
		_ = res.Body.Close()
		t.Error("it is still there")
	}
}
