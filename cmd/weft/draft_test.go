package main_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/weft-engine/weft/engine/compile"
	"github.com/weft-engine/weft/engine/spec"
	"github.com/weft-engine/weft/nodes"
)

// oneOf mistakes is tried: all of them take minutes.
const oneOf = 41

// With one field wrong in a spec that is right otherwise, that field is told and nothing
// else: what follows from it is not told as a mistake of its own.
func TestOneMistakeIsToldAlone(t *testing.T) {
	t.Parallel()
	drafts, made := 0, 0
	for _, dir := range []string{"email_assistant", "responder_scheduler", "quickstart"} {
		sp, list := spec.LoadDir("../../specs/"+dir, spec.Options{})
		if list.HasErrors() {
			t.Fatal(list.Err())
		}
		var tree any
		if err := json.Unmarshal(sp.Bundle(), &tree); err != nil {
			t.Fatal(err)
		}
		eachMistake(tree, nil, func(what string) {
			if made++; made%oneOf != 0 {
				return
			}
			if found, drafted := mistakes(t, tree); drafted {
				drafts++
				if len(found) > 0 {
					t.Errorf("%s, %s: also %s", dir, what, strings.Join(found, "\n  "))
				}
			}
		})
	}
	if drafts < 20 {
		t.Errorf("only %d mistakes left something to judge", drafts)
	}
}

// eachMistake makes the fields of a tree wrong, one after the other: misspelt, and of
// another kind.
func eachMistake(v any, path []string, visit func(what string)) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			eachMistake(item, path, visit)
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			was, at := v[key], strings.Join(append(path, key), ".")
			if len(path) > 7 {
				continue // all are alike down there
			}
			delete(v, key)
			v[key+"x"] = was
			visit(at + " is misspelt")
			delete(v, key+"x")
			v[key] = []any{[]any{}}
			visit(at + " is a list")
			v[key] = was
			eachMistake(was, append(slices.Clip(path), key), visit)
		}
	}
}

// mistakes returns what the compiler says of a tree that the schema refuses.
func mistakes(t *testing.T, tree any) (found []string, drafted bool) {
	t.Helper()
	data, err := json.Marshal(tree)
	if err != nil {
		t.Fatal(err)
	}
	sp, list := spec.Load(fstest.MapFS{"spec.json": {Data: data}}, ".", spec.Options{})
	if !list.HasErrors() || sp.Draft == nil {
		return nil, false
	}
	_, list = compile.Program(sp, nodes.Types(nodes.Deps{}))
	for _, f := range list.Sorted() {
		found = append(found, fmt.Sprintf("%s: %s [%s]", f.Pos, f.Message, f.Code))
	}
	return found, true
}

// One pass tells what the schema refuses and what the compiler finds.
func TestAllMistakesAtOnce(t *testing.T) {
	t.Parallel()
	const text = `name: many
models: {m: {provider: ollama, model: x, temperatur: 1}}
tools:
  t: {describe: x, parameters: {type: object}, expr: "args.p"}
  u: {description: x, parameters: {type: object, properties: {q: {type: string}}}, expr: "args.p"}
graphs:
  main:
    state: {n: {type: integer, default: 0}}
    limits: {steps: 0}
    start: a
    nodes:
      a: {set: {n: "{{ m + 1 }}"}, next: bb}
      b: {lm_call: {prompt: "{{ x }}"}, next: [{when: n > "3", to: c}, {when: output.y, to: c}, {to: end}]}
      c: {tool: {name: t, args: {z: 1}}, next: d}
      d: {llm_call: {model: m, prompt: {file: gone.md}}, next: e}
      e: {tool: {name: u, args: {q: "{{ y }}"}}}
`
	sp, list := spec.Load(fstest.MapFS{"spec.yaml": {Data: []byte(text)}}, ".", spec.Options{})
	_, more := compile.Program(sp, nodes.Types(nodes.Deps{}))
	list.Merge(more)
	var got []string
	for _, f := range list.Sorted() {
		got = append(got, fmt.Sprintf("%d:%d %s", f.Pos.Line, f.Pos.Col, f.Code))
	}
	want := []string{
		"2:42 spec/unknown-field", "4:7 spec/unknown-field", "5:96 expr/unknown-field", "9:21 spec/value", "12:24 expr/unknown-name",
		"12:42 graph/unknown-node", "13:11 spec/unknown-field", "13:57 expr/type", "15:47 spec/file", "16:41 expr/unknown-name",
	}
	if !slices.Equal(got, want) {
		t.Errorf("found %q\nwant %q", got, want)
	}
}
