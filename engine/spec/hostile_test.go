package spec_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"

	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/spec"
)

// refused expects findings of one code, and no spec.
func refused(t *testing.T, s *spec.Spec, list *diag.List, code diag.Code) diag.Finding {
	t.Helper()
	findings := list.Sorted()
	if len(findings) == 0 || s.Root != nil {
		t.Fatalf("accepted, want %s", code)
	}
	for _, f := range findings {
		if f.Code == code {
			return f
		}
	}
	t.Fatalf("no %s: %v", code, findings)
	return diag.Finding{}
}

func deep(open, middle, end string, n int) string {
	return strings.Repeat(open, n) + middle + strings.Repeat(end, n)
}

func blocks(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%sa:\n", strings.Repeat(" ", i))
	}
	return b.String()
}

// doubling is CUE in which each field is twice the one before.
func doubling(first, format string, n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "name: \"a\"\n_x0: %s\n", first)
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, "_x%d: "+format+"\n", i, i-1, i-1)
	}
	fmt.Fprintf(&b, "types: T: x: _x%d\n", n)
	return b.String()
}

func TestHostileFiles(t *testing.T) {
	many := fstest.MapFS{}
	for i := range 2001 {
		many[fmt.Sprintf("f%d.yaml", i)] = &fstest.MapFile{Data: []byte("name: a\n")}
	}
	big := strings.Repeat("# a comment of some length that says nothing\n", 100_000)
	sum := fstest.MapFS{}
	for i := range 5 {
		sum[fmt.Sprintf("f%d.yaml", i)] = &fstest.MapFile{Data: []byte("name: a\n" + big[:4<<20-100])}
	}
	huge := strings.Repeat("x", 1<<20+1)
	for name, tc := range map[string]struct {
		fsys fstest.MapFS
		code diag.Code
	}{
		"50 MB of YAML":           {files("s.yaml", "name: a\ndescription: "+strings.Repeat("x", 50<<20)), "spec/too-large"},
		"50 MB of JSON":           {files("s.json", "\""+strings.Repeat("x", 50<<20)+"\""), "spec/too-large"},
		"CUE beyond its limit":    {files("s.cue", strings.Repeat("// x\n", 60_000)), "spec/too-large"},
		"too many files":          {many, "spec/too-large"},
		"too much in all":         {sum, "spec/too-large"},
		"a text beyond its limit": {files("s.yaml", "name: a\ndescription: {file: t.md}\n", "t.md", huge), "spec/too-large"},
		"latin-1":                 {files("s.yaml", "name: caf\xe9\n"), "spec/encoding"},
		"UTF-16":                  {files("s.yaml", "\xff\xfen\x00a\x00"), "spec/encoding"},
		"a NUL byte":              {files("s.yaml", "name: a\x00\n"), "spec/encoding"},
		"a text of bytes":         {files("s.yaml", "name: a\ndescription: {file: t.md}\n", "t.md", "\x80\x81"), "spec/encoding"},
		"CUE of bytes":            {files("s.cue", "name: \"a\xff\""), "spec/encoding"},
		"deep YAML flow":          {files("s.yaml", "x: "+deep("[", "", "]", 9_000)), "spec/too-large"},
		"deep YAML flow, open":    {files("s.yaml", "x: "+strings.Repeat("[{a: ", 100_000)), "spec/syntax"},
		"deep YAML blocks":        {files("s.yaml", blocks(200)), "spec/too-large"},
		"deep JSON":               {files("s.json", deep(`{"a":`, "1", "}", 9_000)), "spec/too-large"},
		"deeper JSON":             {files("s.json", deep(`[`, "1", "]", 1_000_000)), "spec/too-large"},
		"deep CUE":                {files("s.cue", "types: T: x: "+deep("[", "1", "]", 3_000)), "spec/too-large"},
		"deeper CUE":              {files("s.cue", "x: "+deep("(", "1", ")", 60_000)), "spec/syntax"},
		"many values":             {files("s.yaml", "types: {T: {x: ["+strings.Repeat("1,", 600_000)+"]}}"), "spec/too-large"},
		"a huge number":           {files("s.json", `{"name": "a", "version": 1`+strings.Repeat("0", 1_000_000)+`}`), "spec/syntax"},
		"an endless number":       {files("s.json", `{"name": "a", "types": {"T": {"x": 1e999}}}`), "spec/syntax"},
		"endless numbers":         {files("s.yaml", "name: a\nmodels: {default: {provider: openai, model: x, temperature: 1e999999999}}\n"), "spec/type"},
		"not a number":            {files("s.yaml", "name: a\nmodels: {default: {provider: openai, model: x, temperature: .nan}}\n"), "spec/syntax"},
		"a YAML tag":              {files("s.yaml", "name: !!python/object a\n"), "spec/syntax"},
		"a key that is a list":    {files("s.yaml", "? [a, b]\n: c\n"), "spec/syntax"},
		"a key that is null":      {files("s.yaml", "~: c\n"), "spec/syntax"},
		"merge of a scalar":       {files("s.yaml", "<<: 3\nname: a\n"), "spec/syntax"},
		"unknown alias":           {files("s.yaml", "name: *x\n"), "spec/syntax"},
		"a scalar":                {files("s.yaml", "hello\n"), "spec/type"},
		"an empty JSON file":      {files("s.json", ""), "spec/syntax"},
		"infinite CUE":            {files("s.cue", "name: \"a\"\n#L: {next: #L}\ntypes: T: #L\n"), "spec/value"},
		"CUE that needs itself":   {files("s.cue", "name: \"a\"\n_a: _b + 1\n_b: _a + 1\ntypes: T: x: _a\n"), "spec/value"},
		"CUE range":               {files("s.cue", "import \"list\"\nname: \"a\"\ntypes: T: x: [for i in list.Range(0, 1_000_000_000, 1) {i}]\n"), "spec/too-large"},
		"CUE range by another":    {files("s.cue", "import l \"list\"\nname: \"a\"\n_n: 1_000_000_000\ntypes: T: x: l.Range(0, _n, 1)\n"), "spec/too-large"},
		"CUE repetition":          {files("s.cue", "name: \"a\"\ntypes: T: x: \"abc\" * 1_000_000_000\n"), "spec/too-large"},
		"CUE strings.Repeat":      {files("s.cue", "import \"strings\"\nname: \"a\"\ntypes: T: x: strings.Repeat(\"abc\", 1_000_000_000)\n"), "spec/too-large"},
		"CUE list.Repeat":         {files("s.cue", "import \"list\"\nname: \"a\"\ntypes: T: x: list.Repeat([1], 1_000_000_000)\n"), "spec/too-large"},
		"CUE nested loops":        {files("s.cue", "name: \"a\"\n_n: [0,1,2,3,4,5,6,7,8,9]\ntypes: T: x: [for a in _n for b in _n for c in _n for d in _n for e in _n for f in _n for g in _n {a}]\n"), "spec/too-large"},
		"CUE that doubles":        {files("s.cue", doubling("{a: 1}", "{l: _x%d, r: _x%d}", 40)), "spec/too-large"},
		"CUE text that doubles":   {files("s.cue", doubling(`"abc"`, `"\(_x%d)\(_x%d)"`, 60)), "spec/too-large"},
		"CUE disjunctions":        {files("s.cue", "name: \"a\"\n"+strings.Repeat("_d: {a: 1} | {b: 2} | {c: 3}\n", 14)+"types: T: _d\n"), "spec/too-large"},
		"CUE disjunction product": {files("s.cue", "name: \"a\"\n#D: {a: 1} | {b: 2} | {c: 3}\ntypes: T: #D"+strings.Repeat(" & #D", 20)+"\n"), "spec/too-large"},
		"CUE bytes":               {files("s.cue", "name: 'a'\n"), "spec/type"},
		"CUE that embeds files":   {files("s.cue", "@extern(embed)\n\npackage x\n\nname: _ @embed(file=x.json)\n"), "spec/import"},
		"CUE computed imports":    {files("s.cue", "name: \"a\"\nimports: [for x in [\"../b\"] {x}]\n"), "spec/import"},
		"CUE unknown reference":   {files("s.cue", "name: nobody\n"), "spec/syntax"},
	} {
		t.Run(name, func(t *testing.T) {
			s, list := spec.Load(tc.fsys, ".", spec.Options{})
			f := refused(t, s, list, tc.code)
			if f.Hint == "" {
				t.Errorf("no hint: %s", f.Message)
			}
			if f.Pos.File == "" {
				t.Errorf("no place: %s", f.Message)
			}
			if out := printed(t, s, list); len(out) > 100_000 {
				t.Errorf("the findings are %d bytes", len(out))
			}
		})
	}
}

func write(t *testing.T, dir string, pairs ...string) {
	t.Helper()
	for i := 0; i < len(pairs); i += 2 {
		path := filepath.Join(dir, pairs[i])
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(pairs[i+1]), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func link(t *testing.T, target, path string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, path); err != nil {
		t.Fatal(err)
	}
}

func TestLinksOnDisk(t *testing.T) {
	for name, tc := range map[string]struct {
		make func(dir string)
		code diag.Code // "" is accepted
	}{
		"a file outside":      {func(dir string) { link(t, "../secret.yaml", dir+"/x.yaml") }, "spec/outside"},
		"an absolute file":    {func(dir string) { link(t, dir+"/../secret.yaml", dir+"/x.yaml") }, "spec/outside"},
		"a folder outside":    {func(dir string) { link(t, "..", dir+"/up") }, "spec/outside"},
		"a chain that leaves": {func(dir string) { link(t, "b.yaml", dir+"/a.yaml"); link(t, "../secret.yaml", dir+"/b.yaml") }, "spec/outside"},
		"a circle":            {func(dir string) { link(t, "y.yaml", dir+"/x.yaml"); link(t, "x.yaml", dir+"/y.yaml") }, "spec/outside"},
		"a folder in itself":  {func(dir string) { link(t, ".", dir+"/again") }, ""},
		"nothing":             {func(dir string) { link(t, "gone.yaml", dir+"/x.yaml") }, "spec/read"},
		"a text outside": {func(dir string) {
			write(t, dir, "d.yaml", "description: {file: d.md}")
			link(t, "/etc/hostname", dir+"/d.md")
		}, "spec/outside"},
		"a text through a link": {func(dir string) {
			write(t, dir, "d.yaml", "description: {file: up/d.md}")
			link(t, "../..", dir+"/_l/up")
		}, "spec/file"},
		"a pipe": {func(dir string) { _ = syscall.Mkfifo(dir+"/pipe.yaml", 0o600) }, "spec/read"},
		"a text that is a pipe": {func(dir string) {
			write(t, dir, "d.yaml", "description: {file: p.md}")
			_ = syscall.Mkfifo(dir+"/p.md", 0o600)
		}, "spec/file"},
		"a file inside": {func(dir string) { write(t, dir, ".data/m.yaml", "version: v"); link(t, ".data/m.yaml", dir+"/m.yaml") }, ""},
		"a folder, as mounted": {func(dir string) {
			write(t, dir, "..v1/sub/m.yaml", "version: v")
			link(t, "..v1", dir+"/..data")
			link(t, "..data/sub", dir+"/sub")
		}, ""},
		"the same file twice":    {func(dir string) { write(t, dir, "m.yaml", "version: v"); link(t, "m.yaml", dir+"/n.yaml") }, ""},
		"a folder named as file": {func(dir string) { write(t, dir, "x.yaml/m.yaml", "version: v") }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			base := t.TempDir()
			dir := filepath.Join(base, "spec")
			write(t, base, "secret.yaml", "version: stolen", "spec/spec.yaml", "name: a\n")
			tc.make(dir)
			s, list := spec.LoadDir(dir, spec.Options{})
			if tc.code == "" {
				if list.Len() > 0 {
					t.Fatal(printed(t, s, list))
				}
				return
			}
			refused(t, s, list, tc.code)
			for _, file := range s.Files {
				if strings.Contains(string(s.Source(file)), "stolen") {
					t.Errorf("%s was read", file)
				}
			}
		})
	}
}

func TestUnreadable(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "a.yaml", "name: a\n", "b.yaml", "version: b\n", "sub/c.yaml", "version: c\n")
	s, list := spec.LoadDir(filepath.Join(dir, "gone"), spec.Options{})
	refused(t, s, list, "spec/read")
	s, list = spec.LoadDir(filepath.Join(dir, "a.yaml"), spec.Options{})
	refused(t, s, list, "spec/read")
	if os.Getuid() == 0 {
		return // permissions do not stop root; the file system below does
	}
	for _, name := range []string{"b.yaml", "sub"} {
		if err := os.Chmod(filepath.Join(dir, name), 0); err != nil {
			t.Fatal(err)
		}
	}
	s, list = spec.LoadDir(dir, spec.Options{})
	if refused(t, s, list, "spec/read"); list.Len() != 2 {
		t.Error(list.Sorted())
	}
}

// denied is a file system that refuses to read some names.
type denied struct {
	fstest.MapFS
	name string
}

func (d denied) Open(name string) (fs.File, error) {
	if name == d.name {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
	}
	return d.MapFS.Open(name)
}

func (d denied) Sub(string) (fs.FS, error) { return d, nil }

func (d denied) ReadDir(name string) ([]fs.DirEntry, error) {
	if name == d.name {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
	}
	return d.MapFS.ReadDir(name)
}

func TestPermissionDenied(t *testing.T) {
	for _, name := range []string{"a.yaml", "sub", "t.md"} {
		fsys := files("a.yaml", "name: a\ndescription: {file: t.md}\n", "sub/c.yaml", "version: \"1\"\n", "t.md", "x")
		s, list := spec.Load(denied{fsys, name}, ".", spec.Options{})
		if f := refused(t, s, list, "spec/read"); !strings.Contains(f.Message, "permission denied") {
			t.Errorf("%s: %s", name, f.Message)
		}
	}
}
