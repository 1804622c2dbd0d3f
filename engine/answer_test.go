package engine_test

import (
	"testing"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/shape"
)

// proposal is a plan that asks a human about arguments.
type proposal struct {
	params map[string]any
	args   map[string]any
}

func (p proposal) Next(in *engine.Invocation) (engine.Move, error) {
	params, err := shape.FromSchema(p.params)
	if err != nil {
		return engine.Move{}, err
	}
	out, wait, err := in.Do(func() (engine.Op, error) {
		return &engine.Ask{Params: params, Request: engine.InterruptRequest{Title: "so?", Allow: []engine.Response{engine.Edit}, Args: p.args}}, nil
	})
	if wait != nil || err != nil {
		return in.Stop(wait, err)
	}
	return engine.Finish(out.Answer.Args), nil
}

// TestEditsOfUnknownArgumentsAreRefused: a misspelt name would leave the call as it was.
func TestEditsOfUnknownArgumentsAreRefused(t *testing.T) {
	properties := map[string]any{"to": map[string]any{"type": "string"}, "subject": map[string]any{"type": "string"}}
	plain := map[string]any{"type": "object", "properties": properties}
	open := map[string]any{"type": "object", "properties": properties, "additionalProperties": true}
	for name, c := range map[string]struct {
		params, args, edit map[string]any
		want               string // "": accepted
	}{
		"known":             {plain, nil, map[string]any{"to": "ann"}, ""},
		"misspelt":          {plain, nil, map[string]any{"to": "ann", "subjet": "x"}, `the answer is refused: there is no argument "subjet"; did you mean "subject"?`},
		"unknown":           {plain, nil, map[string]any{"body": "x"}, `the answer is refused: there is no argument "body"; there are: subject, to`},
		"the model's own":   {plain, map[string]any{"body": "x"}, map[string]any{"body": "y"}, ""},
		"further ones":      {open, nil, map[string]any{"body": "x"}, ""},
		"any":               {map[string]any{}, nil, map[string]any{"body": "x"}, ""},
		"of the wrong kind": {plain, nil, map[string]any{"to": []any{}}, "the answer is refused: the arguments do not fit: /to: must be a string, not an array"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, program(graphOf("g", nil, &engine.Node{Name: "ask", Plan: proposal{c.params, c.args}})))
			w.start("g", nil)
			w.run()
			_, err := w.s.CheckAnswer(engine.Answer{Interrupt: w.s.Open()[0].ID, Response: engine.Edit, Args: c.edit})
			if got := text(err); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
