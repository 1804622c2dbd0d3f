package response_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-engine/weft/engine/build"
	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/response"
	"github.com/weft-engine/weft/engine/source"
	"github.com/weft-engine/weft/engine/spec"
)

type data = map[string]any

// registry makes the registry of a spec.
func registry(t testing.TB, text string) *response.Registry {
	t.Helper()
	sp, list := spec.Load(fstest.MapFS{"spec.yaml": {Data: []byte("name: words\n" + text)}}, ".", spec.Options{})
	if err := list.Err(); err != nil {
		t.Fatal(err)
	}
	p := build.New(sp.Root, build.Types{}, list)
	if err := list.Err(); err != nil {
		t.Fatal(err)
	}
	return p.Responses()
}

const words = `
intents:
  read: {}
  prepare: {template: ready}
  transform: {base: prepare, naturalize: soften}
  analyze: {base: transform}
  plan: {speaks: "{{ !flags.keep_going }}"}
  trip: {base: plan}
  loud: {base: plan, speaks: true}
  internal: {speaks: false}
templates:
  found: {intent: read, text: Found.}
  ready: {version: v2, text: Ready.}
  changed: {intent: transform, text: Changed.}
  booked: {dact: book, version: 3, text: Booked.}
  again: {dact: book, text: Booked again.}
  numbered: {dact: number, version: "7", text: "7"}
`

func TestFind(t *testing.T) {
	r := registry(t, words)
	for _, tt := range []struct {
		act, intent, id string
		source          response.Source
	}{
		{"", "read", "found.v1", response.Base},
		{"unheard", "read", "found.v1", response.Base},
		{"book", "read", "booked.v3", response.Override},
		{"book", "", "booked.v3", response.Override},
		{"number", "", "numbered.v7", response.Override},
		{"", "prepare", "ready.v2", response.Base},
		{"", "transform", "ready.v2", response.Base},
		{"", "analyze", "changed.v1", response.Base},
		{"", "plan", "", ""},
		{"", "unheard", "", ""},
		{"", "", "", ""},
	} {
		got, source := r.Find(tt.act, tt.intent)
		id := ""
		if got != nil {
			id = got.ID()
		}
		if id != tt.id || source != tt.source {
			t.Errorf("%q of %q: %s (%s), want %s (%s)", tt.act, tt.intent, id, source, tt.id, tt.source)
		}
	}
}

func TestSays(t *testing.T) {
	r := registry(t, words)
	for _, tt := range []struct {
		intent string
		flags  data
		want   bool
	}{
		{"read", nil, true},
		{"plan", data{}, true},
		{"plan", data{"keep_going": true}, false},
		{"trip", data{"keep_going": true}, false},
		{"loud", data{"keep_going": true}, true},
		{"internal", nil, false},
		{"unheard", nil, true},
	} {
		flags := tt.flags
		if flags == nil {
			flags = data{}
		}
		if got, err := r.Says(tt.intent, flags); got != tt.want || err != nil {
			t.Errorf("%s with %v: %v, %v", tt.intent, tt.flags, got, err)
		}
	}
}

func TestFill(t *testing.T) {
	r := registry(t, `
templates:
  booked:
    dact: book
    sections:
      - "{{ title }} on {{ when }}. "
      - {when: not alone, text: "With {{ who }}.", else: Alone.}
      - {when: clash.with, text: "Mind {{ clash.with }}."}
      - "{{ note }}"
`)
	got, err := r.Named["booked"].Fill(response.Filling{Sources: []any{
		nil, "no object", data{"title": "Gym", "when": nil}, data{"title": "hidden", "when": "Friday", "who": []any{"Ann", "Bo"}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	want := response.Filled{
		Text:     "Gym on Friday. With Ann, Bo.",
		Sections: []response.Section{{Held: true, Text: "Gym on Friday."}, {Held: true, Text: "With Ann, Bo."}, {}, {Held: true}},
	}
	want.Placeholders, want.Done, want.Missing, want.Values = 4, 3, []string{"note"}, []string{"Gym", "Friday", "Ann", "Bo"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestVariations(t *testing.T) {
	t.Parallel()
	r := registry(t, "templates: {hi: {dact: hi, variations: [A., B., \"C {{ x }}.\"]}}").Named["hi"]
	said := map[string]int{}
	for i := range 300 {
		f := response.Filling{Seed: fmt.Sprint(i), Sources: []any{data{"x": 1}}}
		first, err := r.Fill(f)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := r.Fill(f); err != nil || again.Text != first.Text {
			t.Fatalf("seed %d: %q, then %q, %v", i, first.Text, again.Text, err)
		}
		said[first.Text]++
	}
	if len(said) != 3 || said["A."] < 50 || said["B."] < 50 || said["C 1."] < 50 {
		t.Errorf("said %v", said)
	}
}

func TestManySections(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("templates:\n  long:\n    dact: long\n    sections:\n")
	for i := range 500 {
		fmt.Fprintf(&b, "      - {when: a%d, text: \"{{ a%d }}{%% if b %%} {{ b }}{%% endif %%}\"}\n", i, i)
	}
	r := registry(t, b.String()).Named["long"]
	values := data{"b": "x"}
	for i := range 250 {
		values[fmt.Sprintf("a%d", 2*i)] = i + 1
	}
	got, err := r.Fill(response.Filling{Sources: []any{values}})
	if err != nil || got.Placeholders != 500 || got.Done != 500 || len(got.Sections) != 500 || !strings.HasSuffix(got.Text, " 249 x 250 x") {
		t.Errorf("%d of %d, %d sections, %v", got.Done, got.Placeholders, len(got.Sections), err)
	}
}

// A response without params may name anything, one with params what they declare.
func TestWhatResponsesMayName(t *testing.T) {
	t.Parallel()
	list := &diag.List{}
	field := func(key string, v *source.Value) source.Field { return source.Field{Key: key, Value: v} }
	text := func(s string) *source.Value { return &source.Value{Kind: source.String, Text: s} }
	object := func(fields ...source.Field) *source.Value { return &source.Value{Kind: source.Map, Fields: fields} }
	closed := object(field("type", text("object")), field("properties", object(field("title", object(field("type", text("string")))))))
	root := object(field("templates", object(
		field("free", object(field("dact", text("a")), field("text", text("{{ whatever }} {{ memory }}")))),
		field("bound", object(field("dact", text("b")), field("params", closed), field("text", text("{{ title }} {{ whatever }} {{ memory.x }}")))),
	)))
	build.New(root, build.Types{}, list)
	var found []string
	for _, f := range list.Sorted() {
		found = append(found, string(f.Code)+" "+f.Message)
	}
	want := []string{`expr/unknown-name unknown name "memory"`, `expr/unknown-name unknown name "whatever"`}
	if diff := cmp.Diff(want, found); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
