package spec_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/weft-engine/weft/engine/spec"
)

// Programs that people write are not refused for their weight.
func TestOrdinaryProgramsAreLight(t *testing.T) {
	var tools strings.Builder
	for i := range 200 {
		fmt.Fprintf(&tools, "tools: t%d: #Tool & {description: \"tool %d\", timeout: \"\\(%d+1)s\"}\n", i, i, i)
	}
	for name, program := range map[string]string{
		"many tools of one form": "#Tool: {description: string, timeout: *\"30s\" | string, result: _ | *\"x\"}\n" + tools.String(),
		"large numbers":          "_million: 1_000_000\ntypes: T: maximum: _million * 60 * 60 * len([1]) * math.Ceil(1.5)\n",
		"a table of pairs": `
_a: [for i in list.Range(0, 40, 1) {i}]
types: {for i in _a for j in _a if i < j {"T\(i)_\(j)": {const: i * j}}}
`,
		"texts from parts": `
_parts: {for w in ["a", "b", "c"] {(w): strings.Repeat(w, 20) + "\n"}}
templates: {for k, v in _parts {(k): text: v * 3}}
`,
		"constraints on everything": `
tools: [string]: {timeout: *"30s" | string, effect: *"none" | "idempotent" | "once"}
tools: [=~"^send"]: effect: "once"
tools: {for n in ["send_mail", "read_mail", "list"] {(n): {description: n, result: n}}}
`,
		"lets, ifs and slices": `
let names = ["a", "b", "c"]
graphs: g: {start: names[0], nodes: {for i, n in names {(n): {if i+1 < len(names) {next: names[i+1]}, join: names[0:i]}}}}
`,
		"aliases": `
X=types: T: {a: {const: 1}, b: X.T.a}
types: U: Y={c: 1, d: Y.c}
`,
	} {
		t.Run(name, func(t *testing.T) {
			s, list := spec.Load(files("s.cue", "import (\"list\"\n\"strings\"\n\"math\")\n\n_m: math.Pi\nname: \"p\"\n_l: list.Max([1])\n_s: strings.ToUpper(\"a\")\n"+program), ".", spec.Options{})
			if list.Len() > 0 {
				t.Fatal(printed(t, s, list))
			}
		})
	}
}

// YAML and CUE give one value together, and CUE's constraints hold for YAML.
func TestCUEConstrainsYAML(t *testing.T) {
	constraint := "models: [string]: {provider: \"openai\" | \"ollama\", temperature?: <=1}\nname: \"c\"\n"
	load(t, files("c.cue", constraint, "m.yaml", "models: {default: {provider: ollama, model: x, temperature: 0.5}}\n"), ".", spec.Options{})
	for _, bad := range []string{
		"models: {default: {provider: azure, model: x}}\n",
		"models: {default: {provider: ollama, model: x, temperature: 1.5}}\n",
	} {
		s, list := spec.Load(files("c.cue", constraint, "m.yaml", bad), ".", spec.Options{})
		f := refused(t, s, list, "spec/conflict")
		if list.Len() != 1 || f.Pos.File != "m.yaml" || len(f.Related) == 0 || f.Related[0].Pos.File != "c.cue" {
			t.Errorf("%+v", list.Sorted())
		}
	}
}

func TestValuesOfCUE(t *testing.T) {
	s := load(t, files("s.cue", `
name: "v"
#hidden: 1
_hidden: 2
types: T: {
	i:  0x10
	f:  1.50
	e:  1e3
	k:  2Ki
	n:  -3
	t:  true
	z:  null
	s:  "a\tb"
	m:  """
		two
		  lines
		"""
	r:  #"raw \n"#
	b:  "\(i)"
	l:  [1, "x", {y: 2}]
	o?: 5
	d:  *7 | int
}
`), ".", spec.Options{})
	want := `{"name":"v","types":{"T":{"b":"16","d":7,"e":1000.0,"f":1.5,"i":16,"k":2048,"l":[1,"x",{"y":2}],"m":"two\n  lines","n":-3,"r":"raw \\n","s":"a\tb","t":true,"z":null}}}`
	if got := string(s.Bundle()); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	for field, raw := range map[string]string{"s": `"a\tb"`, "m": "\"\"\"\n\t\ttwo\n\t\t  lines\n\t\t\"\"\"", "r": `#"raw \n"#`, "b": ""} {
		if v := at(t, s.Root, "types", "T", field); v.Raw != raw || v.Pos.Col != 6 {
			t.Errorf("%s: %q at %v", field, v.Raw, v.Pos)
		}
	}
}
