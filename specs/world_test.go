package specs_test

import (
	"context"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/rs/zerolog"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/chat"
	"github.com/weft-engine/weft/engine/compile"
	"github.com/weft-engine/weft/engine/inmem"
	"github.com/weft-engine/weft/engine/local"
	"github.com/weft-engine/weft/engine/spec"
	"github.com/weft-engine/weft/nodes"
)

// stub is the model of the cases: it says N(text) when it restyles and M(a|b|…) when it
// weaves texts together.
type stub struct {
	mu    sync.Mutex
	asked []chat.Request
	say   func(texts []string) (string, error) // nil: as above
}

// Complete answers from the texts that stand fenced in the last message.
func (s *stub) Complete(_ context.Context, req chat.Request, emit func(chat.Delta)) (chat.Response, error) {
	s.mu.Lock()
	s.asked = append(s.asked, req)
	s.mu.Unlock()
	texts := fenced(req.Messages[len(req.Messages)-1].Content)
	text := "N(" + strings.Join(texts, "|") + ")"
	if strings.Contains(req.Node, "/merge/weave") || len(texts) > 1 {
		text = "M(" + strings.Join(texts, "|") + ")"
	}
	if s.say != nil {
		var err error
		if text, err = s.say(texts); err != nil {
			return chat.Response{}, err
		}
	}
	if emit != nil {
		emit(chat.Delta{Text: text})
	}
	return chat.Response{Message: chat.Message{Role: chat.Assistant, Content: text}, Finish: "stop"}, nil
}

func (s *stub) calls() []chat.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked
}

func (s *stub) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = nil
}

// fenced returns what stands between marks in a prompt.
func fenced(prompt string) []string {
	var out []string
	var open []string
	inside := false
	for line := range strings.SplitSeq(prompt, "\n") {
		switch {
		case strings.Contains(line, "= BEGIN UNTRUSTED "):
			inside, open = true, nil
		case strings.Contains(line, "= END UNTRUSTED "):
			inside, out = false, append(out, strings.Join(open, "\n"))
		case inside:
			open = append(open, line)
		}
	}
	return out
}

// world is an engine with nothing in it.
type world struct {
	runner *local.Runner
	model  *stub
}

func newWorld() *world {
	ids := 0
	var mu sync.Mutex
	return &world{model: &stub{}, runner: &local.Runner{
		Store: inmem.New(), Clock: local.Wall{}, Owner: "test", Log: zerolog.Nop(), MaxWait: 1,
		Rand: func() float64 { return 0.5 },
		NewID: func() string {
			mu.Lock()
			defer mu.Unlock()
			ids++
			return "run" + strconv.Itoa(ids)
		},
	}}
}

// program compiles a spec for this world.
func (w *world) program(t testing.TB, sp *spec.Spec) *engine.Program {
	t.Helper()
	deps := nodes.Deps{Models: w.model}
	p, list := compile.Program(sp, nodes.Types(deps))
	report(t, list, sp.Source)
	return p
}

// run runs a graph and returns what it gives.
func (w *world) run(t testing.TB, p *engine.Program, graph string, input object) object {
	t.Helper()
	res, err := w.runner.Run(t.Context(), p, local.Start{Graph: graph, Input: input})
	if err != nil {
		t.Fatal(err)
	}
	if res.Status != engine.Done {
		t.Fatalf("%s: %s: %v", graph, res.Status, res.Failure)
	}
	out, ok := res.Output.(object)
	if !ok {
		t.Fatalf("%s gives %T", graph, res.Output)
	}
	return out
}
