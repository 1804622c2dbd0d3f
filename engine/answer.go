package engine

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/shape"
)

// Open returns the interrupts that wait for an answer, the oldest first.
func (s *Scheduler) Open() []*InterruptRequest {
	if s.run == nil || s.run.status.Ended() {
		return nil
	}
	var out []*InterruptRequest
	for _, id := range sortedInts(s.run.invs) {
		inv := s.run.invs[id]
		if (inv.phase == asking || inv.phase == doubting) && inv.raised {
			request := inv.request
			out = append(out, &request)
		}
	}
	return out
}

// CheckAnswer returns the answer as InterruptAnswered takes it: edited arguments
// complete and of the kinds the tool wants. An answer that the interrupt does not
// accept gives ErrRefused with the reason, one to no open interrupt ErrNotFound.
func (s *Scheduler) CheckAnswer(a Answer) (Answer, error) {
	inv := s.asked(a.Interrupt)
	if inv == nil {
		return a, fmt.Errorf("interrupt %q is not open: %w", a.Interrupt, ErrNotFound)
	}
	if !slices.Contains(inv.request.Allow, a.Response) {
		return a, fmt.Errorf("%w: %q is not allowed here; allowed: %s", ErrRefused, a.Response, allowed(inv.request.Allow))
	}
	switch a.Response {
	case Edit:
		return checkEdit(inv, a)
	case Respond:
		if strings.TrimSpace(a.Text) == "" {
			return a, fmt.Errorf("%w: respond needs a text", ErrRefused)
		}
	case Accept, Ignore:
	}
	a.Args = nil
	return a, nil
}

func checkEdit(inv *invocation, a Answer) (Answer, error) {
	op, ok := inv.op.(*Ask)
	if !ok || op.Params == nil {
		return a, fmt.Errorf("%w: there are no arguments to edit", ErrRefused)
	}
	if a.Args == nil {
		return a, fmt.Errorf("%w: edit needs the complete arguments", ErrRefused)
	}
	plain, err := Plain(maps.Clone(a.Args))
	if err != nil {
		return a, fmt.Errorf("%w: %w", ErrRefused, err)
	}
	coerced, problems := op.Params.Coerce(plain)
	if len(problems) > 0 {
		return a, fmt.Errorf("%w: the arguments do not fit: %s", ErrRefused, describe(problems))
	}
	if name := strange(op.Params.Type(), inv.request.Args, a.Args); name != "" {
		return a, fmt.Errorf("%w: there is no argument %q%s", ErrRefused, name, instead(name, op.Params.Type()))
	}
	a.Args, _ = coerced.(map[string]any)
	return a, nil
}

// strange returns an edited argument that neither the parameters nor the question
// know. A schema that says nothing of further properties admits it, and would let a
// misspelt name pass as if nothing had been edited.
func strange(params *shape.Type, asked, edited map[string]any) string {
	if params.Kind != shape.Object || params.Open {
		return ""
	}
	for _, name := range sortedKeys(edited) {
		if _, known := asked[name]; !known && params.Fields[name] == nil {
			return name
		}
	}
	return ""
}

// instead says which arguments there are.
func instead(name string, params *shape.Type) string {
	names := sortedKeys(params.Fields)
	if near := diag.Nearest(name, names); near != "" {
		return fmt.Sprintf("; did you mean %q?", near)
	}
	return "; there are: " + strings.Join(names, ", ")
}

func allowed(responses []Response) string {
	parts := make([]string, len(responses))
	for i, r := range responses {
		parts[i] = string(r)
	}
	return strings.Join(parts, ", ")
}

func (s *Scheduler) asked(id string) *invocation {
	if s.run == nil || s.run.status.Ended() {
		return nil
	}
	for _, inv := range s.run.invs {
		if (inv.phase == asking || inv.phase == doubting) && inv.raised && inv.request.ID == id {
			return inv
		}
	}
	return nil
}

func (s *Scheduler) interruptRaised(ev *InterruptRaised) error {
	inv, err := s.find(ev.Target, asking, doubting)
	if err != nil {
		return err
	}
	inv.request, inv.raised = ev.Request, true
	if ev.Request.Due != nil {
		inv.due = *ev.Request.Due
	}
	if !inv.due.IsZero() {
		s.ask(inv)
	}
	return nil
}

func (s *Scheduler) interruptAnswered(ev *InterruptAnswered) error {
	inv := s.asked(ev.Answer.Interrupt)
	if inv == nil {
		return fmt.Errorf("interrupt %q is not open: %w", ev.Answer.Interrupt, ErrDiverged)
	}
	if !inv.due.IsZero() {
		s.emit(&Abort{Target: inv.target()})
	}
	if inv.phase == asking {
		answer := ev.Answer
		s.reply(inv, Outcome{Answer: &answer, At: ev.At})
		return nil
	}
	switch ev.Answer.Response {
	case Accept:
		s.again(inv)
	case Respond:
		s.reply(inv, Outcome{Value: ev.Answer.Text, At: ev.At})
	default:
		s.reply(inv, Outcome{At: ev.At, Err: &Failure{Class: Permanent, Node: inv.in.Node, Message: "it was not known whether this happened; a human decided not to repeat it"}})
	}
	return nil
}
