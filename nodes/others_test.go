package nodes_test

import (
	"errors"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/build"
	"github.com/weft-engine/weft/engine/inmem"
	"github.com/weft-engine/weft/engine/memory"
	"github.com/weft-engine/weft/engine/shape"
	"github.com/weft-engine/weft/engine/source"
	"github.com/weft-engine/weft/engine/spec"
	"github.com/weft-engine/weft/nodes"
	"github.com/weft-engine/weft/nodes/internal/nodetest"
)

const everything = `
name: everything
models: {default: {provider: ollama, model: m}}
memory:
  style: {default: Write briefly., update: {model: default}, guard: {max_shrink: 0.5}}
  facts: {scope: thread}
interrupts:
  notify:
    allow: [respond, ignore]
    title: "{{ call.args.subject }}"
    description: "Mail for {{ account }}"
    on: {ignore: {remember: {memory: style, note: "ignored {{ call.args.subject }}"}}}
  plain: {allow: [ignore]}
templates:
  greeting: {params: {type: object, required: [name], properties: {name: {type: string}}}, text: "Dear {{ name }},"}
  here: {text: "For {{ account }} and {{ name }}"}
graphs:
  child:
    input: {type: object, required: [n], properties: {n: {type: integer}}}
    state: {n: {type: integer}}
    output: {twice: "{{ n * 2 }}"}
    start: only
    nodes: {only: {set: {n: "{{ n }}"}}}
  main:
    state:
      account: {type: string, default: alex}
      n: {type: integer, default: 3}
      at: {type: string}
      messages: {type: array, items: {$ref: "#/types/Message"}, reduce: append}
    start: notify
    nodes:
      notify: {interrupt: {policy: notify, args: {subject: "Hi {{ account }}"}}}
      inline: {interrupt: {allow: [accept, edit], args: {subject: "{{ account }}", n: "{{ n }}", tags: [a]}}}
      plain: {interrupt: {policy: plain}}
      greet: {template: {name: greeting, with: {name: "{{ account }}"}}}
      greet_here: {template: {name: here, with: {name: bo}}}
      text: {template: {text: "{{ account }} has {{ n }}{{ more }}", with: {more: "{{ n + 1 }}"}}}
      child: {graph: {name: child, input: {n: "{{ n }}"}}}
      nap: {wait: {for: 90s}}
      nap_n: {wait: {for: "{{ n }}s"}}
      nap_until: {wait: {until: at}}
      nap_later: {wait: {until: "run.started_at + duration('1h')"}}
      recall: {memory: {read: style}}
      learn: {memory: {update: {memory: style, note: "Be {{ account }}.", reason: told}}}
      learn_all: {memory: {update: {memory: style, messages: "{{ messages }}"}}}
      put: {memory: {write: {memory: facts, text: "n is {{ n }}", reason: counted}}}
      back: {memory: {undo: {memory: style}}}
      back_to: {memory: {undo: {memory: style, version: "{{ n }}"}}}
`

type world struct {
	model    *nodetest.Model
	memories *memory.Store
	types    build.Types
	root     *source.Value
}

func load(t testing.TB, yaml string) *source.Value {
	t.Helper()
	s, list := spec.Load(fstest.MapFS{"spec.yaml": {Data: []byte(yaml)}}, ".", spec.Options{})
	if err := list.Err(); err != nil {
		t.Fatal(err)
	}
	return s.Root
}

func newWorld(t testing.TB, answers ...string) *world {
	t.Helper()
	w := &world{model: nodetest.Say(answers...), root: load(t, everything)}
	w.memories = &memory.Store{Store: inmem.New(), Now: func() time.Time { return nodetest.Now }}
	w.types = nodes.Types(nodes.Deps{Models: w.model, Memories: w.memories})
	return w
}

func (w *world) run(t testing.TB, node string, human ...engine.Answer) *nodetest.Run {
	t.Helper()
	n := nodetest.Plan(t, w.types, w.root, "main", node)
	return &nodetest.Run{
		Plan: n.Plan, User: "alex",
		Scope: map[string]any{
			"account": "alex", "n": 3, "at": "2026-01-29T06:00:00Z", "messages": []any{map[string]any{"role": "user", "content": "Sign as Al."}},
			"run": map[string]any{"id": "run", "started_at": nodetest.Now}, "memory": map[string]any{},
		},
		Human: func(*engine.Ask) engine.Answer {
			a := human[0]
			human = human[1:]
			return a
		},
	}
}

func (w *world) place(name, scope string) memory.Place {
	return memory.Place{Memory: &engine.Memory{Name: name, Scope: scope, Default: "Write briefly."}, User: "alex", Thread: "thread"}
}

func do(t *testing.T, r *nodetest.Run, want any, ops ...string) {
	t.Helper()
	got, err := r.Do(t)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(ops, r.Labels()); diff != "" {
		t.Error(diff)
	}
}

func TestInterrupt(t *testing.T) {
	w := newWorld(t, `{"reasoning": "r", "content": "Write briefly and rarely."}`)
	args := map[string]any{"subject": "Hi alex"}
	do(t, w.run(t, "notify", engine.Answer{Response: engine.Respond, Text: "do it", By: "bo"}),
		map[string]any{"response": "respond", "text": "do it", "args": args, "by": "bo", "learned": []any{}}, "ask Hi alex")
	r := w.run(t, "notify", engine.Answer{Response: engine.Ignore})
	do(t, r, map[string]any{
		"response": "ignore", "text": "", "args": args, "by": "",
		"learned": []any{map[string]any{"memory": "style", "status": "applied", "version": 1}},
	}, "ask Hi alex", "perform read style", "perform default", "perform write style")
	ask := r.Ops[0].(*engine.Ask)
	want := engine.InterruptRequest{
		Kind: "node", Policy: "notify", Title: "Hi alex", Description: "Mail for alex",
		Allow: []engine.Response{engine.Respond, engine.Ignore}, Args: args,
	}
	if diff := cmp.Diff(want, ask.Request); diff != "" || ask.Params != nil {
		t.Error(diff, ask.Params)
	}
}

func TestInterruptEdited(t *testing.T) {
	w := newWorld(t)
	edited := map[string]any{"subject": "bo", "n": "4", "tags": `["b"]`}
	r := w.run(t, "inline", engine.Answer{Response: engine.Edit, Args: edited})
	do(t, r, map[string]any{
		"response": "edit", "text": "", "args": map[string]any{"subject": "bo", "n": 4, "tags": []any{"b"}}, "by": "", "learned": []any{},
	}, "ask node")
	params := r.Ops[0].(*engine.Ask).Params
	for _, bad := range []map[string]any{{"subject": "x"}, {"subject": "x", "n": "many", "tags": []any{}}, {"subject": "x", "n": 1, "tags": []any{}, "more": 1}} {
		if _, problems := params.Coerce(bad); len(problems) == 0 {
			t.Errorf("%v is accepted", bad)
		}
	}
	if _, problems := params.Coerce(map[string]any{"subject": "x", "n": 1, "tags": []any{"a", "b"}}); len(problems) > 0 {
		t.Errorf("refused: %v", problems)
	}
}

func TestInterruptWithoutArgs(t *testing.T) {
	do(t, newWorld(t).run(t, "plain", engine.Answer{Response: engine.Ignore}),
		map[string]any{"response": "ignore", "text": "", "args": map[string]any{}, "by": "", "learned": []any{}}, "ask node")
}

func TestTemplate(t *testing.T) {
	do(t, newWorld(t).run(t, "greet"), "Dear alex,")
	do(t, newWorld(t).run(t, "greet_here"), "For alex and bo")
	do(t, newWorld(t).run(t, "text"), "alex has 34")
}

func TestGraph(t *testing.T) {
	r := newWorld(t).run(t, "child")
	do(t, r, map[string]any{"n": 3}, "graph child")
	r = newWorld(t).run(t, "child")
	r.Graph = func(*engine.RunGraph) (any, *engine.Failure) {
		return nil, &engine.Failure{Class: engine.Timeout, Message: "slow"}
	}
	_, err := r.Do(t)
	var f *engine.Failure
	if !errors.As(err, &f) || f.Class != engine.Timeout {
		t.Fatalf("got %v", err)
	}
}

func TestWait(t *testing.T) {
	never := time.Time{}.String()
	over := map[string]any{"at": "2026-01-28T12:00:00Z"}
	do(t, newWorld(t).run(t, "nap"), over, "sleep 1m30s "+never)
	do(t, newWorld(t).run(t, "nap_n"), over, "sleep 3s "+never)
	do(t, newWorld(t).run(t, "nap_until"), over, "sleep 0s 2026-01-29 06:00:00 +0000 UTC")
	do(t, newWorld(t).run(t, "nap_later"), over, "sleep 0s 2026-01-28 13:00:00 +0000 UTC")
	for at, want := range map[any]string{"tomorrow": "is no instant", nil: "an instant is wanted"} {
		r := newWorld(t).run(t, "nap_until")
		r.Scope["at"] = at
		if _, err := r.Do(t); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v", at, err)
		}
	}
	r := newWorld(t).run(t, "nap_n")
	r.Scope["n"] = -5
	do(t, r, over, "sleep 0s "+never)
	r = newWorld(t).run(t, "nap_n")
	r.Scope["n"] = "x"
	if _, err := r.Do(t); err == nil || !strings.Contains(err.Error(), "is no duration") {
		t.Errorf("got %v", err)
	}
}

func TestMemoryRead(t *testing.T) {
	w := newWorld(t)
	do(t, w.run(t, "recall"), map[string]any{"text": "Write briefly.", "version": 0}, "perform read style")
	w.write(t, "Write at length.")
	do(t, w.run(t, "recall"), map[string]any{"text": "Write at length.", "version": 1}, "perform read style")
}

func (w *world) write(t *testing.T, texts ...string) {
	t.Helper()
	for i, text := range texts {
		change := memory.Change{Key: text, Base: engine.Seq(i), Text: text}
		if _, _, err := w.memories.Write(t.Context(), w.place("style", "user"), change); err != nil {
			t.Fatal(err)
		}
	}
}

func change(name, status string, version int, text string) map[string]any {
	return map[string]any{"memory": name, "status": status, "version": version, "text": text, "reason": ""}
}

func TestMemoryUpdate(t *testing.T) {
	w := newWorld(t, `{"reasoning": "why not", "content": "Write briefly. Be alex."}`, `{"reasoning": "", "content": "Write briefly. Sign."}`)
	ops := []string{"perform read style", "perform default", "perform write style"}
	do(t, w.run(t, "learn"), change("style", "applied", 1, "Write briefly. Be alex."), ops...)
	material := w.model.Asked[0].Messages[1].Content
	want := "<<< TEXT style\nWrite briefly.\n>>>\n\n<<< NOTE\nBe alex.\n>>>\n\nWrite the whole text anew, in view of the note."
	if diff := cmp.Diff(want, material); diff != "" {
		t.Error(diff)
	}
	past, err := w.memories.History(t.Context(), w.place("style", "user"))
	if err != nil || len(past) != 1 || past[0].Why != "told\n\nwhy not" || past[0].By != "alex" {
		t.Errorf("%+v, %v", past, err)
	}
	w.memories = &memory.Store{Store: inmem.New(), Now: w.memories.Now}
	w.types = nodes.Types(nodes.Deps{Models: w.model, Memories: w.memories})
	do(t, w.run(t, "learn_all"), change("style", "applied", 1, "Write briefly. Sign."), ops...)
	if material := w.model.Asked[1].Messages[1].Content; !strings.Contains(material, "<<< WHAT HAPPENED\nuser:\n  Sign as Al.\n>>>") {
		t.Errorf("the model is told %s", material)
	}
}

func TestMemoryUpdateIsGuarded(t *testing.T) {
	want := change("style", "proposed", 1, "Write briefly.")
	want["reason"] = "the text would shrink from 14 to 3 characters; guard.max_shrink is 0.5"
	do(t, newWorld(t, `{"reasoning": "r", "content": "No."}`).run(t, "learn"), want, "perform read style", "perform default", "perform write style")
}

// An update node is for learning: when that fails, it fails.
func TestMemoryUpdateFails(t *testing.T) {
	w := newWorld(t, "no", "no")
	_, err := w.run(t, "learn").Do(t)
	var f *engine.Failure
	if !errors.As(err, &f) || f.Class != engine.Permanent || !strings.Contains(f.Message, "there is no JSON") {
		t.Fatalf("got %v", err)
	}
	r := newWorld(t).run(t, "learn_all")
	r.Scope["messages"] = []any{}
	if _, err := r.Do(t); err == nil || !strings.Contains(err.Error(), `memory "style" is told nothing`) {
		t.Fatalf("got %v", err)
	}
}

// The same invocation asked again after a crash writes nothing twice.
func TestMemoryWrite(t *testing.T) {
	w := newWorld(t)
	ops := []string{"perform read facts", "perform write facts"}
	do(t, w.run(t, "put"), change("facts", "applied", 1, "n is 3"), ops...)
	do(t, w.run(t, "put"), change("facts", "applied", 1, "n is 3"), ops...)
	past, err := w.memories.History(t.Context(), w.place("facts", "thread"))
	if err != nil || len(past) != 1 || past[0].Text != "n is 3" || past[0].Why != "counted" {
		t.Fatalf("%+v, %v", past, err)
	}
}

func TestMemoryWriteGivesUp(t *testing.T) {
	r := newWorld(t).run(t, "put")
	r.Before = func(op engine.Op) *engine.Outcome {
		if p, ok := op.(*engine.Perform); ok && p.Label == "write facts" {
			return &engine.Outcome{Value: map[string]any{"status": "conflict"}}
		}
		return nil
	}
	_, err := r.Do(t)
	var f *engine.Failure
	if !errors.As(err, &f) || f.Class != engine.Transient || len(r.Ops) != 6 {
		t.Fatalf("%d operations: %v", len(r.Ops), err)
	}
}

func TestMemoryUndo(t *testing.T) {
	w := newWorld(t)
	w.write(t, "text one", "text two", "text three", "text four")
	do(t, w.run(t, "back"), change("style", "undone", 5, "text three"), "perform undo style")
	v, err := w.memories.ReadMemory(t.Context(), w.place("style", "user").Memory, "alex", "")
	if err != nil || v.Text != "text three" {
		t.Fatalf("%+v, %v", v, err)
	}
	w = newWorld(t)
	w.write(t, "text one", "text two", "text three", "text four")
	do(t, w.run(t, "back_to"), change("style", "undone", 5, "text two"), "perform undo style")
	if v, err = w.memories.ReadMemory(t.Context(), w.place("style", "user").Memory, "alex", ""); err != nil || v.Text != "text two" {
		t.Fatalf("%+v, %v", v, err)
	}
	var f *engine.Failure
	if _, err := newWorld(t).run(t, "back").Do(t); !errors.As(err, &f) || f.Class != engine.Permanent || !strings.Contains(f.Message, "no change to undo") {
		t.Fatalf("got %v", err)
	}
	r := newWorld(t).run(t, "back_to")
	r.Scope["n"] = 0
	if _, err := r.Do(t); err == nil || !strings.Contains(err.Error(), "version must be a whole number") {
		t.Fatalf("got %v", err)
	}
}

func TestOutputTypes(t *testing.T) {
	w := newWorld(t)
	for node, field := range map[string]string{
		"notify": "response", "inline": "args", "child": "twice", "recall": "version", "learn": "status", "put": "status", "back": "version",
	} {
		out := nodetest.Plan(t, w.types, w.root, "main", node).Output
		if out == nil || out.Fields[field] == nil {
			t.Errorf("%s: the output has no %s", node, field)
		}
	}
	for node, once := range map[string]bool{"recall": false, "learn": true, "put": true, "back": true, "greet": false} {
		if got := nodetest.Plan(t, w.types, w.root, "main", node).Once; got != once {
			t.Errorf("%s: once is %v: a cache could leave its change out", node, got)
		}
	}
	if kind := nodetest.Plan(t, w.types, w.root, "main", "greet").Output.Kind; kind != shape.String {
		t.Errorf("greet gives %v", kind)
	}
}

func TestFindings(t *testing.T) {
	for _, tc := range []struct{ node, want string }{
		{`{interrupt: {title: Hello}}`, "interrupt-node/policy: the interrupt does not say what may be answered"},
		{`{interrupt: {policy: notify, allow: [ignore]}}`, `interrupt-node/policy: the interrupt has a policy, "notify", and one written in place`},
		{`{interrupt: {policy: nottify}}`, `interrupt/unknown: there is no interrupt "nottify"`},
		{`{interrupt: {allow: [accept, edit]}}`, "interrupt-node/edit: the interrupt lets people edit arguments, and has none"},
		{`{template: {name: greting}}`, `template/unknown: there is no template "greting"`},
		{`{graph: {name: chidl}}`, `graph/unknown: there is no graph "chidl"`},
		{`{graph: {name: child}}`, `graph-node/input: graph "child" needs the input "n"`},
		{`{graph: {name: child, input: {n: "{{ messages }}"}}}`, `graph-node/input: input "n" of graph "child" wants a whole number`},
		{`{wait: {until: "n"}}`, "wait/type: an instant is wanted here, and this is a whole number"},
		{`{wait: {for: "{{ messages }}"}}`, "wait/type: a duration is wanted here, and this is a list"},
		{`{memory: {read: stile}}`, `memory/unknown: there is no memory "stile"`},
		{`{memory: {update: {memory: style}}}`, "memory-node/learns-nothing: the memory is to learn, and is told nothing"},
		{`{memory: {update: {memory: facts, note: x}}}`, `memory/no-update: memory "facts" cannot learn`},
		{`{memory: {undo: {memory: style, version: "{{ account }}x"}}}`, "memory-node/version: a version is a whole number, and this is a text"},
	} {
		root := load(t, everything+"      bad: "+tc.node+"\n")
		_, findings := nodetest.Node(t, newWorld(t).types, root, "main", "bad")
		if len(findings) != 1 {
			t.Errorf("%s: %d findings: %v", tc.node, len(findings), findings)
			continue
		}
		f := findings[0]
		if got := string(f.Code) + ": " + f.Message; !strings.HasPrefix(got, tc.want) || f.Hint == "" || f.Pos.Line < 30 {
			t.Errorf("%s:\n got %s (%s, %s)\nwant %s", tc.node, got, f.Hint, f.Pos, tc.want)
		}
	}
}

func TestRules(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range nodes.Rules() {
		if seen[string(r.Code)] || r.Summary == "" || r.Explain == "" || r.Severity == "" {
			t.Errorf("rule %+v", r)
		}
		seen[string(r.Code)] = true
	}
	if len(seen) < 12 {
		t.Errorf("only %d rules", len(seen))
	}
}
