package nodes_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/build"
	"github.com/weft-engine/weft/engine/chat"
	"github.com/weft-engine/weft/engine/compile"
	"github.com/weft-engine/weft/engine/inmem"
	"github.com/weft-engine/weft/engine/local"
	"github.com/weft-engine/weft/engine/memory"
	"github.com/weft-engine/weft/engine/spec"
	"github.com/weft-engine/weft/nodes"
	"github.com/weft-engine/weft/nodes/internal/nodetest"
)

const agent = `
name: agent
models: {default: {provider: ollama, model: m}}
memory:
  style: {default: Write briefly., update: {model: default}}
  triage: {default: Answer everyone., update: {model: default}}
tools:
  send:
    description: Sends.
    parameters: {type: object, required: [body], properties: {body: {type: string}}}
    ues: {}
    effect: once
    interrupt: review
  check: {description: Looks., ues: {}, effect: none}
  done: {description: Ends., result: "ended"}
interrupts:
  review:
    allow: [accept, edit, respond, ignore]
    title: "Send {{ call.args.body }}"
    on:
      edit: {remember: {memory: style, note: "edited {{ call.args.body }}"}}
      ignore: {stop: true, reply: "Ignored.", remember: {memory: triage, note: "ignored {{ call.args.body }}", context: true}}
graphs:
  main:
    input: {type: object, required: [mail], properties: {mail: {type: string}}}
    state:
      messages: {type: array, items: {$ref: "#/types/Message"}, reduce: append, default: []}
      learned: {type: array, items: {type: object, additionalProperties: true}, reduce: append, default: []}
    limits: {steps: 20}
    start: begin
    nodes:
      begin: {set: {messages: [{role: user, content: "{{ input.mail }}"}]}, next: agent}
      agent:
        llm_call: {system: "{{ memory.style }}", messages: "{{ messages }}", tools: [send, check, done], tool_choice: required}
        set: {messages: "{{ [output.message] }}"}
        next: act
      act:
        tool: {calls: "{{ tool_calls(messages) }}"}
        set: {messages: "{{ output.messages }}", learned: "{{ output.learned }}"}
        next:
          - {when: 'output.stopped or any(output.calls, .name == "done")', to: end}
          - {to: agent}
`

// model answers by what it is asked, so that it does not matter how often it is.
type model struct {
	turns    [][]chat.ToolCall
	requests []string // what each request was about
}

func (m *model) Complete(_ context.Context, req chat.Request, _ func(chat.Delta)) (chat.Response, error) {
	usage := chat.Usage{Model: req.Model.Name, Requests: 1}
	if req.Response != nil {
		material := req.Messages[1].Content
		old := strings.TrimPrefix(material[strings.Index(material, "\n")+1:strings.Index(material, "\n>>>")], "")
		note := material[strings.Index(material, "<<< NOTE\n")+9:]
		note = note[:strings.Index(note, "\n>>>")]
		m.requests = append(m.requests, "learn "+note)
		text := fmt.Sprintf(`{"reasoning": "", "content": %q}`, old+" "+note+".")
		return chat.Response{Message: chat.Message{Content: text}, Usage: usage, Finish: "stop"}, nil
	}
	turn := 0
	for _, said := range req.Messages {
		if said.Role == chat.Assistant {
			turn++
		}
	}
	m.requests = append(m.requests, fmt.Sprint("turn ", turn))
	return chat.Response{Message: chat.Message{ToolCalls: m.turns[turn]}, Usage: usage, Finish: "tool_calls"}, nil
}

func toolCall(id, name, body string) chat.ToolCall {
	args := map[string]any{}
	if body != "" {
		args["body"] = body
	}
	return chat.ToolCall{ID: id, Name: name, Args: args}
}

var errDead = errors.New("the process is dead")

// mortal is a store whose process dies at an append: before it, or after it when the
// append holds but nobody hears of it.
type mortal struct {
	engine.Store
	left  atomic.Int32
	after bool
}

func mortalUntil(store engine.Store, at int32, after bool) *mortal {
	m := &mortal{Store: store, after: after}
	m.left.Store(at)
	return m
}

func (m *mortal) Append(ctx context.Context, b engine.Batch) error {
	left := m.left.Add(-1)
	switch {
	case left > 0:
		return m.Store.Append(ctx, b)
	case left == 0 && m.after:
		b.Release = false
		if err := m.Store.Append(ctx, b); err != nil {
			return err
		}
	}
	return errDead
}

// outside is what outlives a process.
type outside struct {
	spec    *spec.Spec
	model   *model
	backend *nodetest.Backend
}

// life is one process over a store.
type life struct {
	runner  *local.Runner
	program *engine.Program
}

func begin(t *testing.T, world outside, store engine.Store, name string) life {
	t.Helper()
	memories := &memory.Store{Store: store, Now: func() time.Time { return nodetest.Now }}
	program, list := compile.Program(world.spec, build.Types{
		Nodes: nodes.All(nodes.Deps{Models: world.model, Memories: memories}), Backends: []build.BackendType{world.backend.Type()},
	})
	if err := list.Err(); err != nil {
		t.Fatal(err)
	}
	ids := 0
	return life{program: program, runner: &local.Runner{
		Store: store, Memory: memories, Clock: local.Wall{}, Owner: "owner",
		NewID: func() string { ids++; return fmt.Sprint(name, ids) }, Rand: func() float64 { return 0 },
	}}
}

// live drives the thread until it ends, parks for good or the process dies. Humans
// answer by what an interrupt is titled.
func (l life) live(t *testing.T, human map[string]engine.Answer, asked *[]string) (local.Result, error) {
	t.Helper()
	ctx := t.Context()
	res, err := l.runner.Resume(ctx, l.program, "th")
	if errors.Is(err, engine.ErrNotFound) {
		res, err = l.runner.Run(ctx, l.program, local.Start{Thread: "th", Graph: "main", User: "alex", Input: map[string]any{"mail": "Hello"}})
	}
	if errors.Is(err, engine.ErrFinished) {
		return l.runner.Show(ctx, l.program, "th")
	}
	for err == nil && res.Status == engine.Parked {
		open := res.Interrupts[0]
		a, ok := human[open.Title]
		if !ok {
			t.Fatalf("nobody expects %q (%s)", open.Title, open.Kind)
		}
		*asked = append(*asked, open.Title+" "+open.ID)
		a.Interrupt = open.ID
		res, err = l.runner.Resume(ctx, l.program, "th", a)
	}
	return res, err
}

// A process dies at each of its appends, of the thread's events as of the memories';
// another goes on. Whatever the point: every effect once, every question one
// interrupt, every lesson one change, every call one message.
func TestDeathAtEveryAppend(t *testing.T) {
	turns := [][]chat.ToolCall{
		{toolCall("c1", "check", ""), toolCall("c2", "send", "one"), toolCall("c3", "send", "two")},
		{toolCall("c4", "send", "three"), toolCall("c5", "done", "")},
	}
	human := map[string]engine.Answer{
		"Send one":   {Response: engine.Edit, Args: map[string]any{"body": "uno"}},
		"Send two":   {Response: engine.Accept},
		"Send three": {Response: engine.Ignore},
	}
	sp, list := spec.Load(fstest.MapFS{"spec.yaml": {Data: []byte(agent)}}, ".", spec.Options{})
	if err := list.Err(); err != nil {
		t.Fatal(err)
	}
	for _, after := range []bool{false, true} {
		for at := int32(1); ; at++ {
			store, world := inmem.New(), outside{sp, &model{turns: turns}, &nodetest.Backend{Key: "ues"}}
			var asked []string
			_, died := begin(t, world, mortalUntil(store, at, after), "first").live(t, human, &asked)
			if died != nil && !errors.Is(died, errDead) {
				t.Fatalf("after %v at %d: %v", after, at, died)
			}
			res, err := begin(t, world, store, "second").live(t, human, &asked)
			if err != nil {
				t.Fatalf("after %v at %d: %v", after, at, err)
			}
			name := fmt.Sprintf("after %v at %d", after, at)
			checkWorld(t, name, store, world.backend, res)
			checkOnce(t, name, asked, world.model.requests)
			if died == nil {
				if at < 15 {
					t.Fatalf("only %d appends", at)
				}
				break
			}
		}
	}
}

func checkWorld(t *testing.T, name string, store engine.Store, b *nodetest.Backend, res local.Result) {
	t.Helper()
	if res.Status != engine.Done {
		t.Fatalf("%s: %s: %v", name, res.Status, res.Failure)
	}
	var sent []string
	for _, c := range b.Calls {
		if c.Tool == "send" {
			sent = append(sent, c.Args["body"].(string))
		}
	}
	if diff := cmp.Diff([]string{"uno", "two"}, sent); diff != "" {
		t.Errorf("%s: sent: %s", name, diff)
	}
	var said []string
	for _, m := range res.State["messages"].([]any) {
		m := m.(map[string]any)
		said = append(said, strings.TrimSpace(fmt.Sprint(m["role"], " ", m["tool_call_id"], " ", m["content"])))
	}
	want := []string{
		"user <nil> Hello", "assistant <nil>",
		"tool c1 done: check", "tool c2 The user changed the arguments; send was called with: {\"body\":\"uno\"}\n\ndone: send", "tool c3 done: send",
		"assistant <nil>", "tool c4 Ignored.", "tool c5 Not run: the user stopped after send.",
	}
	if diff := cmp.Diff(want, said); diff != "" {
		t.Errorf("%s: messages: %s", name, diff)
	}
	learned := []any{
		map[string]any{"memory": "style", "status": "applied", "version": 1}, map[string]any{"memory": "triage", "status": "applied", "version": 1},
	}
	if diff := cmp.Diff(learned, res.State["learned"]); diff != "" {
		t.Errorf("%s: learned: %s", name, diff)
	}
	memories := &memory.Store{Store: store}
	for memoryName, text := range map[string]string{"style": "Write briefly. edited one.", "triage": "Answer everyone. ignored three."} {
		v, err := memories.ReadMemory(t.Context(), &engine.Memory{Name: memoryName}, "alex", "th")
		if err != nil || v.Text != text || v.Version != 1 {
			t.Errorf("%s: memory %s is %+v, %v", name, memoryName, v, err)
		}
	}
}

// checkOnce: one interrupt for each question, and a request is repeated at most once:
// the one whose answer was lost.
func checkOnce(t *testing.T, name string, asked, requests []string) {
	t.Helper()
	ids := map[string]string{}
	for _, a := range asked {
		title, id := a[:strings.LastIndex(a, " ")], a[strings.LastIndex(a, " ")+1:]
		if before, ok := ids[title]; ok && before != id {
			t.Errorf("%s: %q was asked as %s and as %s", name, title, before, id)
		}
		ids[title] = id
	}
	if len(ids) != 3 {
		t.Errorf("%s: asked %v", name, asked)
	}
	count, repeated := map[string]int{}, 0
	for _, r := range requests {
		if count[r]++; count[r] > 1 {
			repeated++
		}
	}
	if len(count) != 4 || repeated > 1 {
		t.Errorf("%s: requests %v", name, requests)
	}
}
