package main

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/weft-engine/weft/nodes/google/googletest"
)

// person is someone at a browser: they open each address that is printed.
type person struct {
	t    *testing.T
	seen bytes.Buffer
}

// browse reads what is printed until it ends.
func (p *person) browse(r io.Reader) {
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		p.seen.WriteString(lines.Text() + "\n")
		address, ok := strings.CutPrefix(lines.Text(), "  http")
		if !ok {
			continue
		}
		resp, err := http.Get("http" + address)
		if err != nil {
			p.t.Error(err)
			continue
		}
		_ = resp.Body.Close()
	}
}

// weftAuth runs a command line and returns what it printed and its exit code.
func weftAuth(t *testing.T, args ...string) (string, int) {
	t.Helper()
	a := newApp()
	r, w := io.Pipe()
	a.stdout, a.stderr = w, w
	p := &person{t: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		p.browse(r)
	}()
	code := a.execute(args)
	_ = w.Close()
	<-done
	return p.seen.String(), code
}

func TestAuthGoogle(t *testing.T) {
	server := googletest.Start(t, time.Now)
	server.Account("alex@company.test", "Europe/Berlin")
	dir := t.TempDir()
	t.Setenv("WEFT_AUTH_DIR", dir)
	client := filepath.Join(dir, "client.json")
	if err := os.WriteFile(client, server.ClientFile(), 0o600); err != nil {
		t.Fatal(err)
	}
	want := func(name string, args []string, code int, texts ...string) {
		t.Helper()
		out, got := weftAuth(t, args...)
		if got != code {
			t.Errorf("%s: exit code %d, want %d\n%s", name, got, code, out)
		}
		for _, text := range texts {
			if !strings.Contains(out, text) {
				t.Errorf("%s: %q is not in\n%s", name, text, out)
			}
		}
		if strings.Contains(out, googletest.ClientSecret) {
			t.Errorf("%s prints the client's secret", name)
		}
	}
	want("nobody", []string{"auth", "status"}, 0, "Nobody is logged in. Run `weft auth google`.")
	want("no client", []string{"auth", "google", "--no-browser"}, exitUsage, "docs/google.md")
	want("login", []string{"auth", "google", "--no-browser", "--client", client}, 0,
		"mark it as read", "know your time zone", "Open this address", "alex@company.test is logged in.")
	files, err := filepath.Glob(filepath.Join(dir, "google", "*"))
	if err != nil || len(files) != 1 {
		t.Fatalf("files %v, %v", files, err)
	}
	if info, err := os.Stat(files[0]); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the login is kept with mode %v, %v", info.Mode(), err)
	}
	want("status", []string{"auth", "status"}, 0, "alex@company.test  works", "of a local Google")
	want("revoke somebody", []string{"auth", "revoke", "ben@company.test"}, exitUsage, "ben@company.test is not logged in")
	want("revoke", []string{"auth", "revoke", "Alex@company.test"}, 0, "The login of alex@company.test is gone.")
	want("after", []string{"auth", "status"}, 0, "Nobody is logged in.")
	server.Consent = func([]string) []string { return nil }
	want("refused", []string{"auth", "google", "--no-browser", "--client", client}, exitFailed, "access was not granted in the browser")
}
