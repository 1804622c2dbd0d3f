package spec_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/source"
	"github.com/weft-engine/weft/engine/spec"
)

// files makes a file system of names and texts.
func files(pairs ...string) fstest.MapFS {
	fsys := fstest.MapFS{}
	for i := 0; i < len(pairs); i += 2 {
		fsys[pairs[i]] = &fstest.MapFile{Data: []byte(pairs[i+1])}
	}
	return fsys
}

func load(t testing.TB, fsys fstest.MapFS, dir string, opts spec.Options) *spec.Spec {
	t.Helper()
	s, list := spec.Load(fsys, dir, opts)
	if list.Len() > 0 {
		t.Fatal(list.Sorted())
	}
	return s
}

// at finds a value by field names.
func at(t testing.TB, v *source.Value, path ...string) *source.Value {
	t.Helper()
	for _, key := range path {
		if v = v.Get(key); v == nil {
			t.Fatalf("there is no %v", path)
		}
	}
	return v
}

func TestFormatsMeanTheSame(t *testing.T) {
	yaml := files("a.yaml", `
name: same
version: "1"
models:
  default: {provider: openai, model: gpt-4.1, temperature: 0.5, max_tokens: 100}
graphs:
  g:
    start: a
    nodes:
      a: {set: {x: [1, 2.0, true, null, "{{ y }}"]}, next: [{when: x > 1, to: b}, {to: end}]}
      b: {}
    state: {x: {default: null}}
`)
	split := files("z.yaml", "name: same\n", "sub/models.json", `{"models": {"default": {"model": "gpt-4.1", "max_tokens": 100}}}`,
		"sub/deep/more.yml", "version: '1'\nmodels:\n  default:\n    temperature: 0.5\n    provider: openai\n",
		"graph.cue", `
graphs: g: {
	nodes: {
		a: {next: [{when: "x > 1", to: "b"}, {to: "end"}], set: x: [1, 2.0, true, null, "{{ y }}"]}
		b: {}
	}
	state: x: default: null
	start: "a"
}
`)
	one, two := load(t, yaml, ".", spec.Options{}), load(t, split, ".", spec.Options{})
	if diff := cmp.Diff(one.Root.Go(), two.Root.Go()); diff != "" {
		t.Errorf("trees differ:\n%s", diff)
	}
	if one.Hash != two.Hash || len(one.Hash) != 64 {
		t.Errorf("hashes differ:\n%s\n%s", one.Bundle(), two.Bundle())
	}
	if diff := cmp.Diff([]string{"graph.cue", "sub/deep/more.yml", "sub/models.json", "z.yaml"}, two.Files); diff != "" {
		t.Error(diff)
	}
}

func TestBundleIsTheResolvedSpec(t *testing.T) {
	fsys := files("specs/main/spec.yaml", `
name: bundled
description: {file: about.md}
imports: [../common]
default_profile: dry
profiles:
  dry: {tools: {t: {result: dry}}}
  wet: {tools: {t: {expr: args.x}}}
tools: {t: {description: {file: texts/t.md}, parameters: {type: object, properties: {z: {type: string}, file: {type: string}}}}}
models: {default: {provider: openai, model: m, api_key: {env: KEY}}}
`, "specs/main/about.md", "About\n", "specs/main/texts/t.md", "Tool", "specs/common/c.yaml", `
name: common
version: "9"
templates: {hi: {text: {file: hi.txt}}}
profiles: {dry: {templates: {dry: {text: d}}}}
`, "specs/common/hi.txt", "Hi {{ name }}")
	s := load(t, fsys, "specs/main", spec.Options{})
	want := `{"description":"About\n","models":{"default":{"api_key":{"env":"KEY"},"model":"m","provider":"openai"}},` +
		`"name":"bundled","templates":{"dry":{"text":"d"},"hi":{"text":"Hi {{ name }}"}},` +
		`"tools":{"t":{"description":"Tool","parameters":{"properties":{"z":{"type":"string"},"file":{"type":"string"}},"type":"object"},"result":"dry"}}}`
	if diff := cmp.Diff(want, string(s.Bundle())); diff != "" {
		t.Error(diff)
	}
	if s.Name != "bundled" || s.Description != "About\n" || s.Version != "" || s.Profile != "dry" || s.Dir != "specs/main" {
		t.Errorf("%q %q %q %q %q", s.Name, s.Description, s.Version, s.Profile, s.Dir)
	}
	if diff := cmp.Diff([]string{"dry", "wet"}, s.Profiles); diff != "" {
		t.Error(diff)
	}
	again, list := spec.FromBundle(s.Bundle())
	if list.Len() > 0 {
		t.Fatal(list.Sorted())
	}
	if again.Hash != s.Hash || again.Name != s.Name || string(again.Bundle()) != string(s.Bundle()) {
		t.Errorf("the bundle changed:\n%s", again.Bundle())
	}
	if diff := cmp.Diff(s.Root.Go(), again.Root.Go()); diff != "" {
		t.Error(diff)
	}
	if pos := at(t, again.Root, "models", "default").Pos; pos.File != "spec.json" || pos.Line != 1 || again.Source("spec.json") == nil {
		t.Errorf("position %v", pos)
	}
	wet := load(t, fsys, "specs/main", spec.Options{Profile: "wet"})
	if wet.Hash == s.Hash || at(t, wet.Root, "tools", "t", "expr").Text != "args.x" || wet.Root.Get("templates").Has("dry") {
		t.Errorf("profile wet: %s", wet.Bundle())
	}
}

func TestBundleOfAnotherLanguageIsRefused(t *testing.T) {
	for _, bundle := range []string{"", "{", "[]", `{"name":"a","grafs":{}}`, `{"models":{}}`} {
		if s, list := spec.FromBundle([]byte(bundle)); !list.HasErrors() || s.Root != nil {
			t.Errorf("%q is accepted", bundle)
		}
	}
}

// A file is included only where a text is wanted: data that looks alike stays.
func TestFileIncludesOnlyTexts(t *testing.T) {
	s, list := spec.LoadDir("testdata/accept", spec.Options{})
	if list.Len() > 0 {
		t.Fatal(printed(t, s, list))
	}
	about := "About this.\n"
	for _, path := range [][]string{
		{"description"}, {"tools", "send", "description"}, {"memory", "prefs", "default"}, {"graphs", "main", "nodes", "h", "template", "text"},
	} {
		v := at(t, s.Root, path...)
		if v.Text != about || v.Raw != "" || v.Pos != (diag.Pos{File: "testdata/accept/about.md", Line: 1, Col: 1}) {
			t.Errorf("%v: %q at %v", path, v.Text, v.Pos)
		}
	}
	stays := map[string][]string{
		"map[file:/run/secrets/key]": {"models", "cheap", "api_key"}, "map[file:data]": {"tools", "send", "http", "json", "a"},
		"map[file:stays]": {"graphs", "main", "nodes", "a", "set", "file"}, "map[file:map[type:string] to:map[type:string]]": {"tools", "send", "parameters", "properties"},
	}
	for want, path := range stays {
		if got := sprint(at(t, s.Root, path...)); got != want {
			t.Errorf("%v is %s", path, got)
		}
	}
	emails := at(t, s.Root, "scenarios", "basic", "environment", "emails")
	if emails.Kind != source.List || emails.Pos.File != "testdata/accept/env.json" {
		t.Errorf("environment: %v at %v", emails.Kind, emails.Pos)
	}
	content := at(t, s.Root, "graphs", "main", "nodes", "a", "llm_call", "messages").Items[0].Get("content")
	if content.Text != about {
		t.Errorf("content of a message: %q", content.Text)
	}
}

func sprint(v *source.Value) string {
	data, _ := json.Marshal(v.Go())
	return strings.NewReplacer(`"`, "", "{", "map[", "}", "]", ",", " ").Replace(string(data))
}

func TestIncludesAreRelativeToTheirFile(t *testing.T) {
	s := load(t, files("a.yaml", "name: a\n", "sub/b.yaml", "templates: {t: {text: {file: x/t.md}}}\n", "sub/x/t.md", "\ufeffhello"), ".", spec.Options{})
	if v := at(t, s.Root, "templates", "t", "text"); v.Text != "hello" || v.Pos.File != "sub/x/t.md" {
		t.Errorf("%q at %v", v.Text, v.Pos)
	}
	if string(s.Source("sub/x/t.md")) != "hello" || s.Source("other") != nil {
		t.Error("the source of the text")
	}
}

// A diamond of imports is read once; an import may be imported twice.
func TestImportsAreReadOnce(t *testing.T) {
	fsys := files("a/s.yaml", "name: a\nimports: [../b, ../c, ../b/../c]\n", "b/s.yaml", "imports: [../d]\nmodels: {default: {provider: openai, model: x}}\n",
		"c/s.cue", "name: \"c\"\nimports: [\"../d\"]\nmodels: default: timeout: \"3s\"\n", "d/s.yaml", "models: {default: {temperature: 1}}\n")
	s := load(t, fsys, "a", spec.Options{})
	want := `{"models":{"default":{"model":"x","provider":"openai","temperature":1,"timeout":"3s"}},"name":"a"}`
	if diff := cmp.Diff(want, string(s.Bundle())); diff != "" {
		t.Error(diff)
	}
}

func TestProgramOfCUE(t *testing.T) {
	s, list := spec.LoadDir("testdata/program", spec.Options{})
	if list.Len() > 0 {
		t.Fatal(printed(t, s, list))
	}
	nodes := at(t, s.Root, "graphs", "main", "nodes")
	var names []string
	for _, f := range nodes.Fields {
		names = append(names, f.Key)
	}
	if diff := cmp.Diff([]string{"read", "think", "write"}, names); diff != "" {
		t.Error(diff)
	}
	if got := at(t, nodes, "think", "next").Text; got != "write" {
		t.Errorf("next of think is %q", got)
	}
	if quick, slow := at(t, s.Root, "tools", "quick"), at(t, s.Root, "tools", "slow"); quick.Get("timeout").Text != "1s" || slow.Get("timeout").Text != "30s" {
		t.Error("the default of CUE does not reach YAML")
	}
	description := at(t, s.Root, "tools", "slow", "description")
	if description.Pos != (diag.Pos{File: "testdata/program/tools.yaml", Line: 4, Col: 18}) || description.Indent != 6 || description.Raw == "" {
		t.Errorf("a YAML value in a CUE spec: %+v", description)
	}
	provider := at(t, s.Root, "models", "default", "provider")
	if provider.Pos != (diag.Pos{File: "testdata/program/spec.cue", Line: 6, Col: 29}) || provider.Raw != `"ollama"` {
		t.Errorf("a CUE value: %+v", provider)
	}
}

func TestProfileOfCUE(t *testing.T) {
	fsys := files("s.cue", `
name: "p"
default_profile: "one"
models: default: {provider: "openai", model: string}
profiles: one: models: default: model: "a"
profiles: two: models: default: model: "b"
`)
	for profile, want := range map[string]string{"": "a", "one": "a", "two": "b"} {
		s := load(t, fsys, ".", spec.Options{Profile: profile})
		if got := at(t, s.Root, "models", "default", "model").Text; got != want {
			t.Errorf("profile %q gives %q", profile, got)
		}
	}
	if _, list := spec.Load(fsys, ".", spec.Options{Profile: "three"}); !list.HasErrors() {
		t.Error("an unknown profile is accepted")
	}
}

func TestSkippedNames(t *testing.T) {
	bad := "not: [yaml"
	s := load(t, files("s.yaml", "name: a\n", "_x.yaml", bad, ".h.yaml", bad, "_d/x.yaml", bad, ".git/x.yaml", bad, "testdata/x.yaml", bad,
		"sub/testdata/x.json", bad, "x_test.yaml", bad, "README.md", bad, "x.txt", bad), ".", spec.Options{})
	if diff := cmp.Diff([]string{"s.yaml"}, s.Files); diff != "" {
		t.Error(diff)
	}
}

func TestLoadDirNamesFilesAsGiven(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "s.yaml"), []byte("name: a\nx: 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	for given, want := range map[string]string{".": "s.yaml", "./": "s.yaml", dir: filepath.ToSlash(filepath.Join(dir, "s.yaml"))} {
		s, list := spec.LoadDir(given, spec.Options{})
		if f := list.Sorted(); len(f) != 1 || f[0].Pos.File != want || !slices.Contains(s.Files, want) {
			t.Errorf("LoadDir(%q): %v %v", given, f, s.Files)
		}
	}
}
