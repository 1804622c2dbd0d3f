package spectest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/source"
)

// Answers is a written list of what a human answers, used up in order:
//
//   - {interrupt: send_email, accept: true}
//   - {interrupt: send_email, edit: {body: Hello}}     the other arguments stay
//   - {interrupt: send_email, respond: "Shorter, please"}
//   - {interrupt: send_email, ignore: true}
//
// An interrupt is meant by its id, its action (the tool), its policy or its node; an
// answer without `interrupt` is for whichever is open. It belongs to one goroutine.
type Answers struct {
	items []*Answer
	used  []bool
}

// Answer is one written answer.
type Answer struct {
	Pos       diag.Pos
	Interrupt string // "" is any
	Response  engine.Response
	Text      string         // of respond
	Changes   map[string]any // of edit: the arguments that change

	// In tests only.
	Wait bool          // instead of an answer: let time pass
	For  time.Duration // how long; 0 is until the deadline
}

var responses = []string{"accept", "edit", "respond", "ignore"}

// ReadAnswers reads a list of answers; what is wrong with it is in list.
func ReadAnswers(v *source.Value, list *diag.List) *Answers {
	return readAnswers(v, &reader{list}, false)
}

func readAnswers(v *source.Value, r *reader, test bool) *Answers {
	out := &Answers{}
	for _, item := range r.items(v, "answers") {
		if a := r.answer(item, test); a != nil {
			out.items = append(out.items, a)
		}
	}
	out.used = make([]bool, len(out.items))
	return out
}

func (r *reader) answer(v *source.Value, test bool) *Answer {
	known, kinds := append([]string{"interrupt"}, responses...), responses
	if test {
		known = append(known, "wait")
		kinds = append(slices.Clip(kinds), "wait")
	}
	if !r.fields(v, "an answer", known...) {
		return nil
	}
	a := &Answer{Pos: v.Pos, Interrupt: r.text(v.Get("interrupt"), `"interrupt"`)}
	var said []string
	for _, kind := range kinds {
		if v.Has(kind) {
			said = append(said, kind)
		}
	}
	if len(said) != 1 {
		r.list.Add(missing.At(v.Pos, "an answer says one of %s; this one says %d of them", strings.Join(kinds, ", "), len(said)).
			WithHint("Keep one, for example {interrupt: NAME, accept: true}."))
		return nil
	}
	r.say(a, said[0], v.Get(said[0]))
	return a
}

func (r *reader) say(a *Answer, kind string, v *source.Value) {
	what := `"` + kind + `"`
	switch kind {
	case "accept", "ignore":
		a.Response = engine.Response(kind)
		if v.Kind != source.Bool || !v.Bool {
			r.list.Add(wrongType.At(v.Pos, "%s must be true, not %s", what, kindName(v)).WithHint("Write %s: true.", kind))
		}
	case "edit":
		a.Response, a.Changes = engine.Edit, r.object(v, what)
	case "respond":
		a.Response, a.Text = engine.Respond, r.text(v, what)
	case "wait":
		a.Wait = true
		if v.Kind != source.Bool {
			a.For = r.duration(v, what)
		} else if !v.Bool {
			r.list.Add(wrongType.At(v.Pos, "%s must be true or a duration", what).WithHint("Write wait: true, or wait: 1h."))
		}
	}
}

// Take uses up the first answer that is for one of the open interrupts. It returns nil
// when there is none.
func (l *Answers) Take(open []*engine.InterruptRequest) (*Answer, *engine.InterruptRequest) {
	for i, a := range l.items {
		if l.used[i] {
			continue
		}
		for _, request := range open {
			if a.Interrupt == "" || Names(request, a.Interrupt) {
				l.used[i] = true
				return a, request
			}
		}
	}
	return nil, nil
}

// Names reports whether a word means an interrupt: its id, action, policy or node.
func Names(request *engine.InterruptRequest, word string) bool {
	if word == request.ID || word == request.Action && word != "" || word == request.Policy && word != "" || word == request.Node {
		return true
	}
	node := request.Node[strings.LastIndexByte(request.Node, '/')+1:]
	if word == node {
		return true
	}
	bare, _, _ := strings.Cut(node, "[")
	return word == bare
}

// To returns the answer to an open interrupt.
func (a *Answer) To(request *engine.InterruptRequest, by string) engine.Answer {
	out := engine.Answer{Interrupt: request.ID, Response: a.Response, Text: a.Text, By: by}
	if a.Response == engine.Edit {
		out.Args = Edited(request, a.Changes)
	}
	return out
}

// Edited returns an interrupt's arguments with changes: those that changes names are
// replaced, the others stay.
func Edited(request *engine.InterruptRequest, changes map[string]any) map[string]any {
	out := make(map[string]any, len(request.Args)+len(changes))
	maps.Copy(out, request.Args)
	maps.Copy(out, changes)
	return out
}

// Left describes the answers that nothing asked for, in the order written.
func (l *Answers) Left() []string {
	var out []string
	for i, a := range l.items {
		if !l.used[i] {
			out = append(out, fmt.Sprintf("answer %d (%s)", i+1, a.describe()))
		}
	}
	return out
}

func (a *Answer) describe() string {
	said := string(a.Response)
	if a.Wait {
		said = "wait"
	}
	if a.Interrupt == "" {
		return said
	}
	return said + " to " + a.Interrupt
}
