package naturalize_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/weft-engine/weft/engine/chat"
	"github.com/weft-engine/weft/nodes/internal/facts"
	"github.com/weft-engine/weft/nodes/internal/nodetest"
)

// watched runs the node that streams, and returns what was shown and what came of it.
func watched(t testing.TB, text string, answer nodetest.Answer) ([]string, map[string]any) {
	t.Helper()
	m := &nodetest.Model{Answers: []nodetest.Answer{answer}}
	n := nodetest.Plan(t, types(m), load(t, words), "main", "full")
	scope := map[string]any{"keep": nil, "by": "", "warm": nil, "quiet": false, "messages": []any{}}
	maps.Copy(scope, map[string]any{"text": text})
	r := &nodetest.Run{Plan: n.Plan, Scope: scope}
	out, err := r.Do(t)
	if err != nil {
		t.Fatal(err)
	}
	return r.Emitted, out.(map[string]any)
}

func TestSentencesAreShownWhenTheyAreWhole(t *testing.T) {
	t.Parallel()
	const text = "Booked Gym for 09:00. It costs €5. See `a. b`."
	for _, tt := range []struct {
		name   string
		deltas []string
		shown  []string
		used   bool
	}{
		{
			"word by word",
			[]string{"Your Gym ", "is at 09", ":00. ", "It co", "sts €5.", " ", "See `a.", " b`."},
			[]string{"Your Gym is at 09:00. ", "It costs €5. ", "See `a. b`."},
			true,
		},
		{"all at once", []string{"Gym, 09:00! It costs €5.\nSee `a. b`."}, []string{"Gym, 09:00! It costs €5.\n", "See `a. b`."}, true},
		{"nothing until the end", []string{"Gym at 09:00, €5,", " see `a. b`"}, []string{"Gym at 09:00, €5, see `a. b`"}, true},
		{"another language", []string{"Gym 09:00。€5。見る`a. b`。"}, []string{"Gym 09:00。€5。", "見る`a. b`。"}, true},
		{"an amount in the first sentence", []string{"Gym is at 10:00. ", "It costs €5. See `a. b`."}, nil, false},
		{"a link in the second", []string{"Gym is at 09:00. ", "See https://evil.example for €5. ", "See `a. b`."}, []string{"Gym is at 09:00. "}, false},
		{"a link at the end", []string{"Gym is at 09:00, €5, `a. b`. ", "See www.evil.example"}, []string{"Gym is at 09:00, €5, `a. b`. "}, false},
		{"a date", []string{"Gym is at 09:00 tomorrow. ", "€5, `a. b`."}, nil, false},
		{"an address", []string{"Gym: 09:00.\nWrite to a@b.example.\nOr not."}, []string{"Gym: 09:00.\n"}, false},
		{"a code", []string{"Gym: 09:00.\nUse X-9.\nBye."}, []string{"Gym: 09:00.\n"}, false},
		{"quoted code that goes on", []string{"Gym: 09:00. Run `rm. ", "all` now. Bye."}, []string{"Gym: 09:00. "}, false},
		{"code that begins with two marks", []string{"Gym: 09:00. ", "``It costs €5. ", "See `a. b`."}, []string{"Gym: 09:00. "}, false},
		{"numbers change places", []string{"It costs €5. ", "Gym is at 09:00. ", "See `a. b`."}, []string{"It costs €5. "}, false},
		{"a currency on the next line", []string{"Gym: 09:00. It costs\n", "$", "\n5. Bye. Bye."}, []string{"Gym: 09:00. "}, false},
		{"facts are left out", []string{"Gym is at 09:00. ", "That is all."}, []string{"Gym is at 09:00. "}, false},
		{"the instructions again", []string{"===== BEGIN UNTRUSTED text =====\n", text}, nil, false},
		{"far too long", []string{strings.Repeat("and so on ", 100), "and on. ", "Bye."}, nil, false},
		{"blank", []string{" ", "\n"}, nil, false},
		{"letters in pieces", []string{"Gym: 09:00, \xe2", "\x82\xac5, `a. b`", "."}, []string{"Gym: 09:00, €5, `a. b`."}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			shown, out := watched(t, text, nodetest.Answer{Text: strings.Join(tt.deltas, ""), Deltas: tt.deltas})
			if diff := cmp.Diff(tt.shown, shown); diff != "" {
				t.Errorf("shown (-want +got):\n%s", diff)
			}
			if out["restyled"] != tt.used || !tt.used && out["text"] != text {
				t.Errorf("got %v", out)
			}
		})
	}
}

// A client that does not stream, or that fails in the middle, shows nothing wrong.
func TestStreamsThatBreak(t *testing.T) {
	t.Parallel()
	const text = "Gym is at 09:00. See you."
	for name, tt := range map[string]struct {
		answer nodetest.Answer
		shown  string
	}{
		"not streamed":              {nodetest.Answer{Text: "See you at 09:00, Gym."}, "See you at 09:00, Gym."},
		"not streamed, wrong":       {nodetest.Answer{Text: "See you at 10:00, Gym."}, ""},
		"the rest is not streamed":  {nodetest.Answer{Text: "Gym is at 09:00. Bye.", Deltas: []string{"Gym is at 09:00. B"}}, "Gym is at 09:00. Bye."},
		"asked again in the middle": {nodetest.Answer{Text: "At 09:00 Gym it is. Bye.", Deltas: []string{"Gym is at ", "\n", "At 09:00 Gym it is. ", "Bye."}}, "Gym is at \nAt 09:00 Gym it is. Bye."},
		"failed":                    {nodetest.Answer{Deltas: []string{"Gym is at 09:00. B"}, Err: &chat.Error{Message: "broken"}}, "Gym is at 09:00. "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			shown, _ := watched(t, text, tt.answer)
			if got := strings.Join(shown, ""); got != tt.shown {
				t.Errorf("shown %q, want %q", got, tt.shown)
			}
		})
	}
}

// However an answer arrives, what is shown of it is where it begins, brings no fact, and
// is all of it when it is used.
func TestWhatIsShown(t *testing.T) {
	t.Parallel()
	const text = "Gym costs €5 for Ann on Monday. See `x y`, code AB-1, 5% or 7."
	parts := rapid.SampledFrom([]string{
		text, "Gym costs", " €5", " $5", "€", "5", "7", "%", ".", ". ", "\n", "。", "`", "x y", " AB-1", "AB-2", " Monday", " Tuesday", " may", "!", "? ", " not",
		"https://a.example/x. ", "a@b.example", "=====", " UNTRUSTED ", "\u00a0", "May 5", "\xff", "é",
	})
	rapid.Check(t, func(rt *rapid.T) {
		answer := strings.Join(rapid.SliceOfN(parts, 0, 9).Draw(rt, "answer"), "")
		var deltas []string
		for rest := answer; rest != ""; {
			n := rapid.IntRange(1, min(len(rest), 12)).Draw(rt, "delta")
			deltas, rest = append(deltas, rest[:n]), rest[n:]
		}
		pieces, out := watched(t, text, nodetest.Answer{Text: answer, Deltas: deltas})
		shown := strings.Join(pieces, "")
		if !strings.HasPrefix(answer, shown) {
			rt.Fatalf("%q shows %q", answer, shown)
		}
		if out["restyled"] == true && shown != answer {
			rt.Fatalf("%q is used, and %q shown", answer, shown)
		}
		if r := facts.Compare(text, shown, nil); len(r.Added) > 0 || r.Moved {
			rt.Fatalf("%q shows %q: %+v", answer, shown, r)
		}
	})
}
