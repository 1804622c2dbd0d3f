package response_test

import (
	"maps"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-engine/weft/engine/source"
	"github.com/weft-engine/weft/engine/spec"
	"github.com/weft-engine/weft/nodes"
	"github.com/weft-engine/weft/nodes/internal/nodetest"
)

type data = map[string]any

const words = `
name: words
intents:
  schedule: {naturalize: soften, length: {min_tokens: 5, max_tokens: 50}}
  report: {base: schedule, length: {max_tokens: 20}}
  plan: {speaks: "{{ !flags.keep_going }}"}
templates:
  planned: {intent: schedule, text: "{{ title }} is set for {{ when }}."}
  booked: {dact: book, version: 3, block_hint: card, skip_naturalize: true, temperature: 0.2, length: {min_tokens: 1}, naturalize: harden, text: "{{ title }}: {{ format_number(cost, 2) }}"}
  soften: {params: {type: object}, text: Be kind.}
  harden: {params: {type: object}, text: Be firm.}
graphs:
  main:
    state: {act: {type: [string, "null"]}, intent: {type: [string, "null"]}, flags: {type: object}, name: {type: [string, "null"]}, a: {type: object}, b: {type: object}}
    start: find
    nodes:
      find: {response: {find: {dact: "{{ act }}", intent: "{{ intent }}", flags: "{{ flags }}"}}}
      fill: {response: {fill: {template: "{{ name }}", from: ["{{ a }}", "{{ b }}", null], locale: de, seed: x}}}
`

func load(t testing.TB, yaml string) *source.Value {
	t.Helper()
	s, list := spec.Load(fstest.MapFS{"spec.yaml": {Data: []byte(yaml)}}, ".", spec.Options{})
	if err := list.Err(); err != nil {
		t.Fatal(err)
	}
	return s.Root
}

func run(t testing.TB, node string, scope data) (data, error) {
	t.Helper()
	n := nodetest.Plan(t, nodes.Types(nodes.Deps{}), load(t, words), "main", node)
	all := data{"act": nil, "intent": nil, "flags": nil, "name": nil, "a": nil, "b": nil}
	maps.Copy(all, scope)
	out, err := (&nodetest.Run{Plan: n.Plan, Scope: all}).Do(t)
	if err != nil {
		return nil, err
	}
	return out.(data), nil
}

func TestFind(t *testing.T) {
	t.Parallel()
	nothing := data{
		"template": nil, "id": nil, "source": nil, "key": nil, "intent": "", "base": "", "known": false, "speaks": true, "block_hint": nil,
		"skip_naturalize": false, "naturalize": nil, "temperature": nil, "min_tokens": nil, "max_tokens": nil,
	}
	for _, tt := range []struct {
		scope, want data
	}{
		{data{}, data{}},
		{data{"intent": "unheard", "act": "unheard"}, data{"intent": "unheard", "base": "unheard"}},
		{data{"intent": "schedule"}, data{
			"template": "planned", "id": "planned.v1", "source": "base", "key": "schedule", "intent": "schedule", "base": "schedule", "known": true,
			"naturalize": "soften", "min_tokens": 5, "max_tokens": 50,
		}},
		{data{"intent": "report"}, data{
			"template": "planned", "id": "planned.v1", "source": "base", "key": "schedule", "intent": "report", "base": "schedule", "known": true,
			"naturalize": "soften", "min_tokens": 5, "max_tokens": 20,
		}},
		{data{"intent": "schedule", "act": "book"}, data{
			"template": "booked", "id": "booked.v3", "source": "override", "key": "book", "intent": "schedule", "base": "schedule", "known": true,
			"block_hint": "card", "skip_naturalize": true, "naturalize": "harden", "temperature": 0.2, "min_tokens": 1, "max_tokens": 50,
		}},
		{data{"intent": "plan", "flags": data{"keep_going": true}}, data{"intent": "plan", "base": "plan", "known": true, "speaks": false}},
	} {
		got, err := run(t, "find", tt.scope)
		if err != nil {
			t.Fatal(err)
		}
		want := maps.Clone(nothing)
		maps.Copy(want, tt.want)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%v: -want +got:\n%s", tt.scope, diff)
		}
	}
}

func TestFill(t *testing.T) {
	t.Parallel()
	got, err := run(t, "fill", data{"name": "booked", "a": data{"title": "Gym"}, "b": data{"title": "hidden", "cost": 1234.5}})
	if err != nil {
		t.Fatal(err)
	}
	want := data{
		"text": "Gym: 1.234,50", "values": []any{"Gym", "1.234,50"}, "variation": 0,
		"coverage": data{"placeholders": 2, "filled": 2, "missing": []any{}},
		"sections": []any{data{"held": true, "text": "Gym: 1.234,50"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	for _, scope := range []data{{}, {"name": ""}} {
		if got, err := run(t, "fill", scope); err != nil || got["text"] != "" {
			t.Errorf("%v: %v, %v", scope, got, err)
		}
	}
	if _, err := run(t, "fill", data{"name": "soften"}); err == nil || !strings.Contains(err.Error(), `no response template "soften"`) {
		t.Errorf("a prompt is filled: %v", err)
	}
}

func TestFindings(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ config, want string }{
		{"{fill: {template: boked}}", `response/template: there is no response template "boked"`},
		{"{fill: {template: soften}}", `response/template: there is no response template "soften"`},
		{`{find: {dact: "{{ actt }}"}}`, "expr/unknown-name"},
		{`{fill: {template: booked, from: ["{{ c }}"]}}`, "expr/unknown-name"},
	} {
		_, found := nodetest.Node(t, nodes.Types(nodes.Deps{}), load(t, words+"      bad: {response: "+tt.config+"}\n"), "main", "bad")
		if len(found) != 1 || !strings.HasPrefix(string(found[0].Code)+": "+found[0].Message, tt.want) || found[0].Hint == "" {
			t.Errorf("%s: found %v, want %s", tt.config, found, tt.want)
		}
	}
}
