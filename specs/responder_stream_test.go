package specs_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/chat"
)

// told is what somebody who follows a run is shown of its words.
type told struct{ streamed, amended []string }

// follow runs a turn with a threshold of one token.
func follow(t *testing.T, say func([]string) (string, error), config, input object) (told, object) {
	t.Helper()
	w := newWorld()
	w.model.say = say
	settings := with(object{"thresholds": object{"stream_threshold_tokens": 1}}, config)
	p := w.program(t, readCases(t).Fixtures.load(t, object{"config": settings}))
	var out told
	emits := map[engine.Target]bool{}
	w.runner.Watch.Text = func(_ engine.ThreadID, _, text string) { out.streamed = append(out.streamed, text) }
	w.runner.Watch.Call = func(_ engine.ThreadID, e *engine.Invoke) { emits[e.Target] = e.Perform.Label == "text" }
	w.runner.Watch.Event = func(_ engine.ThreadID, _ engine.Seq, ev engine.Event) {
		if done, ok := ev.(*engine.CallDone); ok && emits[done.Target] {
			out.amended = append(out.amended, done.Value.(string))
		}
	}
	answer := w.run(t, p, "respond", input)
	return out, answer
}

// What is streamed was compared before it is shown; when it does not count, what does is
// shown in its place.
func TestStreamOfATurn(t *testing.T) {
	t.Parallel()
	found := flow("a", "x", "read", "Completed", object{"count": 2, "noun": "slots", "display_name": "June"})
	recipe := flow("b", "draft_post", "prepare", "Completed", object{"title": "Bread"})
	pref := flow("c", "save_pref", "converse", "Completed", object{"key": "k", "value": "v"})
	const one, joined = "I found 2 slots in June.", "I found 2 slots in June. Also, The draft \"Bread\" is ready."
	says := func(text string) func([]string) (string, error) {
		return func(texts []string) (string, error) {
			if len(texts) == 1 && text != "" && texts[0] != one {
				return texts[0], nil
			}
			return text, nil
		}
	}
	weave := func(text string) func([]string) (string, error) {
		return func(texts []string) (string, error) {
			if len(texts) == 1 {
				return texts[0], nil
			}
			return text, nil
		}
	}
	for name, tt := range map[string]struct {
		say    func([]string) (string, error)
		config object
		stack  []any
		want   told
		raw    string
	}{
		"all is well":        {says("Done. In June I found 2 slots."), nil, []any{found}, told{streamed: []string{"Done. ", "In June I found 2 slots."}}, "Done. In June I found 2 slots."},
		"a fact changes":     {says("Done. In July I found 3 slots."), nil, []any{found}, told{[]string{"Done. "}, []string{one}}, one},
		"at once":            {says("See https://evil.example. Done."), nil, []any{found}, told{nil, []string{one}}, one},
		"the model is down":  {func([]string) (string, error) { return "", &chat.Error{Message: "overloaded"} }, nil, []any{found}, told{nil, []string{one}}, one},
		"nothing is held up": {says("Done. In June I found 2 slots."), object{"environment": "prod"}, []any{found}, told{streamed: []string{"Done. ", "In June I found 2 slots."}}, "Done. In June I found 2 slots."},
		"what a filter may hold back is not streamed": {
			says("Done. In June I found 2 slots."),
			object{"environment": "prod", "guardrails": object{"forbidden_patterns": []any{"4111"}}},
			[]any{found},
			told{},
			"Done. In June I found 2 slots.",
		},
		"the filter only warns": {
			says("Done. In June I found 2 slots."),
			object{"guardrails": object{"forbidden_patterns": []any{"4111"}}},
			[]any{found},
			told{streamed: []string{"Done. ", "In June I found 2 slots."}},
			"Done. In June I found 2 slots.",
		},
		"texts that are joined are not streamed": {says(one), nil, []any{found, recipe}, told{}, joined},
		"texts that are woven": {
			weave("Done. 2 slots in June I found. \"Bread\" the draft is, k = v saved."), nil,
			[]any{found, recipe, pref},
			told{streamed: []string{"Done. 2 slots in June I found. ", "\"Bread\" the draft is, k = v saved."}},
			"Done. 2 slots in June I found. \"Bread\" the draft is, k = v saved.",
		},
		"texts that are woven wrongly": {
			weave("Done. All of it."), nil,
			[]any{found, recipe, pref},
			told{[]string{"Done. "}, []string{joined + " Finally, Saved: k = v."}},
			joined + " Finally, Saved: k = v.",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, out := follow(t, tt.say, tt.config, object{"intent": "read", "stack": tt.stack})
			if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(told{})); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if said := raw(t, out); said != tt.raw {
				t.Errorf("said %q", said)
			}
		})
	}
}
