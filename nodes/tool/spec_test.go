package tool_test

import (
	"maps"
	"testing"
	"testing/fstest"
	"time"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/build"
	"github.com/weft-engine/weft/engine/inmem"
	"github.com/weft-engine/weft/engine/memory"
	"github.com/weft-engine/weft/engine/source"
	"github.com/weft-engine/weft/engine/spec"
	"github.com/weft-engine/weft/nodes"
	"github.com/weft-engine/weft/nodes/internal/nodetest"
)

// assistant is the part of an e-mail assistant that these tests are about.
const assistant = `
name: assistant
models:
  default: {provider: ollama, model: m}
tools:
  send:
    description: Send a mail.
    parameters:
      type: object
      required: [to, body]
      additionalProperties: false
      properties:
        to: {type: array, items: {type: string}}
        body: {type: string}
        urgent: {type: boolean, default: false}
    ues: {}
    effect: once
    interrupt: review
  schedule:
    description: Schedule a meeting.
    parameters: {type: object, required: [title], properties: {title: {type: string}, minutes: {type: integer}}}
    ues: {}
    effect: once
    interrupt: review
  check:
    description: Look at the calendar.
    parameters: {type: object, required: [day], properties: {day: {type: string}}}
    ues: {}
    effect: none
  question:
    description: Ask the user.
    parameters: {type: object, required: [content], properties: {content: {type: string}}}
    interrupt: ask
  done: {description: Finish., result: "finished {{ args.summary }}", parameters: {type: object, properties: {summary: {type: string, default: ""}}}}
  purge: {description: Not for models., ues: {}}
  bare: {description: Sends without asking for arguments., ues: {}}
memory:
  style:
    default: Write briefly.
    update: {model: default}
    guard: {max_shrink: 0.5}
  triage: {default: Answer everyone., update: {model: default, system: "Rewrite {{ name }}: {{ content }}"}}
interrupts:
  review:
    allow: [accept, edit, respond, ignore]
    title: "{{ call.name }} for {{ account }}"
    description: "Args: {{ json(call.args) }}"
    timeout: {after: 72h, as: ignore}
    on:
      edit: {remember: {memory: style, note: "changed {{ json(call.args) }} to {{ json(edited) }}"}}
      respond: {reply: "Feedback: {{ response }}", remember: {memory: style, note: "said {{ response }}", context: true}}
      ignore: {stop: true, reply: "The user ignored {{ call.name }}.", remember: {memory: triage, note: "ignored {{ call.name }}"}}
  ask:
    allow: [respond, ignore]
    on:
      respond: {reply: "The user answered: {{ response }}"}
graphs:
  main:
    state:
      account: {type: string, default: alex}
      messages: {type: array, items: {$ref: "#/types/Message"}, reduce: append}
      days: {type: array, items: {type: string}}
      one: {type: object, additionalProperties: true}
    start: agent
    nodes:
      agent:
        llm_call: {messages: "{{ messages }}", tools: [send, schedule, check, question, done, bare], tool_choice: required}
        next: act
      act: {tool: {calls: "{{ tool_calls(messages) }}"}}
      send_one: {tool: {name: send, args: {to: "{{ days }}", body: "Hello {{ account }}"}}}
      check_one: {tool: {name: check, args: {day: monday}}}
      ask_one: {tool: {name: question, args: {content: "When?"}}}
      dynamic: {tool: {name: send, args: "{{ one }}"}}
      done_one: {tool: {name: done, args: {summary: all}}}
`

// world is a spec with what its tools and models touch.
type world struct {
	backend  *nodetest.Backend
	model    *nodetest.Model
	store    engine.Store
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
	w := &world{backend: &nodetest.Backend{Key: "ues"}, model: nodetest.Say(answers...), store: inmem.New()}
	w.memories = &memory.Store{Store: w.store, Now: func() time.Time { return nodetest.Now }}
	deps := nodes.Deps{Models: w.model, Memories: w.memories}
	w.types = build.Types{Nodes: nodes.All(deps), Backends: []build.BackendType{w.backend.Type()}}
	w.root = load(t, assistant)
	return w
}

func (w *world) run(t testing.TB, node string, scope map[string]any, human func(*engine.Ask) engine.Answer) *nodetest.Run {
	t.Helper()
	all := map[string]any{"account": "alex", "run": map[string]any{"id": "run"}, "input": map[string]any{}}
	maps.Copy(all, scope)
	return &nodetest.Run{Plan: nodetest.Plan(t, w.types, w.root, "main", node).Plan, Scope: all, User: "alex", Human: human}
}

func call(id, name string, args map[string]any) map[string]any {
	return map[string]any{"id": id, "name": name, "args": args}
}

func sendCall(id, body string) map[string]any {
	return call(id, "send", map[string]any{"to": []any{"bo@example.com"}, "body": body})
}

// asking is a conversation whose last message makes these calls.
func asking(calls ...map[string]any) map[string]any {
	list := make([]any, len(calls))
	for i, c := range calls {
		list[i] = c
	}
	return map[string]any{"messages": []any{
		map[string]any{"role": "user", "content": "Answer this mail."},
		map[string]any{"role": "assistant", "content": "", "tool_calls": list},
	}}
}

// answers returns a human who gives these answers in turn.
func answers(t testing.TB, list ...engine.Answer) func(*engine.Ask) engine.Answer {
	t.Helper()
	return func(ask *engine.Ask) engine.Answer {
		t.Helper()
		if len(list) == 0 {
			t.Fatalf("nobody expects to be asked about %q", ask.Request.Title)
		}
		a := list[0]
		list = list[1:]
		return a
	}
}

var (
	accept = engine.Answer{Response: engine.Accept}
	ignore = engine.Answer{Response: engine.Ignore}
)

func respond(text string) engine.Answer {
	return engine.Answer{Response: engine.Respond, Text: text, By: "bo"}
}

func edit(args map[string]any) engine.Answer {
	return engine.Answer{Response: engine.Edit, Args: args}
}
