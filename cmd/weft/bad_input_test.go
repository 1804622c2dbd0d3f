package main_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// outcome is what came of running the program.
type outcome struct {
	code           int
	stdout, stderr string
}

// weftIn runs the real program in a directory, with more in its environment.
func weftIn(t *testing.T, dir string, env []string, args ...string) outcome {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	c := exec.CommandContext(t.Context(), self)
	c.Args = append([]string{"weft"}, args...)
	c.Dir, c.Stdout, c.Stderr = dir, &stdout, &stderr
	c.Env = append(os.Environ(), env...)
	err = c.Run()
	out := outcome{0, stdout.String(), stderr.String()}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		out.code = exit.ExitCode()
	} else if err != nil {
		t.Fatal(err)
	}
	return out
}

// want checks the exit code and that texts were printed; a crash of the program, and
// more than a person reads, never is.
func (o outcome) want(t *testing.T, code int, texts ...string) {
	t.Helper()
	both := o.stdout + o.stderr
	shown := both[:min(len(both), 3000)]
	if o.code != code {
		t.Errorf("exit code %d, want %d: %s", o.code, code, shown)
	}
	for _, text := range texts {
		if !strings.Contains(both, text) {
			t.Errorf("%q is not said: %s", text, shown)
		}
	}
	if strings.Contains(both, "goroutine ") || strings.Contains(both, "panic:") {
		t.Errorf("it crashed: %s", shown)
	}
	if len(both) > 20_000 {
		t.Errorf("%d bytes were printed: %s", len(both), shown)
	}
}

// tree writes files below a new directory; a text "-> x" is a link to x.
func tree(t *testing.T, files map[string]string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		err := os.WriteFile(path, []byte(text), 0o600)
		if target, ok := strings.CutPrefix(text, "-> "); ok {
			err = errors.Join(os.Remove(path), os.Symlink(target, path))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const minimal = "name: a\ngraphs: {main: {start: a, nodes: {a: {next: end}}}}\n"

// TestBadSpecs: what can be wrong with a directory is a finding of every verb that
// reads it, with exit code 3, and nothing is written.
func TestBadSpecs(t *testing.T) {
	bomb := "name: a\n_a: &a [x, x, x, x, x, x, x, x, x, x]\n"
	for i := range 12 {
		last, next := string(rune('a'+i)), string(rune('b'+i))
		bomb += "_" + next + ": &" + next + " [" + strings.TrimSuffix(strings.Repeat("*"+last+", ", 10), ", ") + "]\n"
	}
	for name, c := range map[string]struct {
		files map[string]string
		says  []string
	}{
		"empty directory":     {map[string]string{"s/": ""}, []string{"[spec/empty]", "hint: "}},
		"nothing but a note":  {map[string]string{"s/readme.md": "hello"}, []string{"[spec/empty]", "hint: "}},
		"50 MB of YAML":       {map[string]string{"s/spec.yaml": minimal + strings.Repeat("# 123456789\n", 50<<20/12)}, []string{"[spec/too-large]", "hint: "}},
		"alias bomb":          {map[string]string{"s/spec.yaml": bomb}, []string{"s/spec.yaml", "alias", "hint: "}},
		"not UTF-8":           {map[string]string{"s/spec.yaml": minimal + "description: caf\xe9\n"}, []string{"s/spec.yaml:3", "[spec/encoding]", "hint: "}},
		"link out of it":      {map[string]string{"s/spec.yaml": minimal, "s/more.yaml": "-> ../out.yaml", "out.yaml": "version: outside\n"}, []string{"[spec/outside]", "hint: "}},
		"text linked outside": {map[string]string{"s/spec.yaml": minimal + "description: {file: t.md}\n", "s/t.md": "-> /etc/hostname"}, []string{"[spec/outside]", "hint: "}},
		"link to itself":      {map[string]string{"s/spec.yaml": minimal, "s/more.yaml": "-> more.yaml"}, []string{"s/more.yaml", "hint: "}},
		"cyclic import":       {map[string]string{"s/spec.yaml": minimal + "imports: [../b]\n", "b/spec.yaml": "name: b\nimports: [../s]\n"}, []string{"[spec/import-cycle]", "hint: "}},
		"imports itself":      {map[string]string{"s/spec.yaml": minimal + "imports: [.]\n"}, []string{"[spec/import-cycle]", "hint: "}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, ok := c.files["s/"]; ok {
				c.files = map[string]string{"s/x/.keep": ""}
			}
			dir := tree(t, c.files)
			weftIn(t, dir, nil, "validate", "s").want(t, 3, c.says...)
			weftIn(t, dir, nil, "run", "s").want(t, 3, c.says...)
			weftIn(t, dir, nil, "graph", "s").want(t, 3, c.says[0])
			if _, err := os.Stat(filepath.Join(dir, ".weft")); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("a store was made: %v", err)
			}
		})
	}
}

// loops is a spec whose one template is never done.
const loops = `
name: loops
graphs:
  main:
    state: {text: {type: string, default: ""}}
    start: a
    nodes:
      a: {set: {text: "TEXT"}, next: end}
`

// TestEndlessTemplate: a template that would never be done fails the run in short time,
// and the thread says why.
func TestEndlessTemplate(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"text":       "{% for a in 1..1000000 %}{% for b in 1..1000000 %}x{% endfor %}{% endfor %}",
		"silent":     "{% for a in 1..1000000 %}{% for b in 1..1000000 %}{% endfor %}{% endfor %}",
		"expression": "{{ string(sum(map(1..1000000, sum(map(1..1000000, # + 1))))) }}",
		"doubling":   "{{ repeat(repeat(repeat('x', 100000), 100000), 100000) }}",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := tree(t, map[string]string{"s/spec.yaml": strings.Replace(loops, "TEXT", text, 1)})
			weftIn(t, dir, nil, "run", "s", "--thread", "t1").want(t, 1, "failed: ")
			weftIn(t, dir, nil, "threads", "show", "t1").want(t, 0, "failed")
		})
	}
}
