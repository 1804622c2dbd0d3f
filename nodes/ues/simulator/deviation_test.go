package simulator_test

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/weft-engine/weft/nodes/ues/simulator/ordered"
)

// deviation is a difference between the recordings and ours that is meant. docs/ues.md
// lists the same with the same reasons.
type deviation struct {
	name   string
	reason string
	path   string // of the request, a regular expression; empty: any
	at     string // of the place in the answer, a regular expression; "status" is the status
	fits   func(m *match, recorded, ours any) bool
}

var deviations = []deviation{
	{
		name:   "attribution",
		reason: "contract 1.1 and 4.6: events of action endpoints carry the key_id of the key that caused them",
		path:   `^/(events|scenario)`, at: `/agent_id$`,
		fits: func(_ *match, recorded, ours any) bool {
			id, isText := ours.(string)
			return recorded == nil && isText && strings.HasPrefix(id, "ues_")
		},
	},
	{
		name:   "contacts exist",
		reason: "contract 1: version 0.3.0 has eight modalities; the recorded build had no contacts yet",
		path:   `^/simulation/clear$`, at: `^/modalities_cleared$`,
		fits: func(_ *match, recorded, ours any) bool {
			return recorded == ordered.Number("7") && ours == ordered.Number("8")
		},
	},
	{
		name:   "redo tells no action",
		reason: "contract 5.3 names actions of undo only; no recording at hand shows a redo that did something",
		path:   `^/simulation/redo$`, at: `^/redone_events/\d+/action$`,
		fits: func(_ *match, recorded, ours any) bool {
			_, isText := recorded.(string)
			return isText && ours == nil
		},
	},
}

// excused tells whether a difference is meant.
func (m *match) excused(at string, recorded, ours any) bool {
	for _, d := range deviations {
		if matches(d.path, m.request.text("path")) && matches(d.at, at) && d.fits(m, recorded, ours) {
			return true
		}
	}
	return false
}

func matches(pattern, text string) bool {
	return pattern == "" || regexp.MustCompile(pattern).MatchString(text)
}

// wholeExcused tells whether a meant difference of the status makes the bodies differ.
func (m *match) wholeExcused(status int) bool {
	return fmt.Sprint(m.request.get("status")) != fmt.Sprint(status)
}

// bend brings a recorded value into our form where the forms differ as a whole: the
// recorded build still wrote the payloads of SMS endpoints with nested objects, while the
// contract (6.2) has them flat. What ours has beyond the recorded fields must be unset.
func (m *match) bend(at string, recorded, ours any) (any, any) {
	r, _ := recorded.(*ordered.Map)
	o, _ := ours.(*ordered.Map)
	action, nested := r.Get("action")
	if _, flat := o.Get("operation"); !nested || !flat || !strings.HasSuffix(at, "/data") {
		return recorded, ours
	}
	flattened := ordered.NewMap(ordered.Member{Name: "operation", Value: action})
	for name, v := range r.All() {
		switch inner := v.(type) {
		case *ordered.Map:
			for name, v := range inner.All() {
				flattened.Set(name, v)
			}
		case nil:
		default:
			if name != "action" {
				flattened.Set(name, v)
			}
		}
	}
	for name, v := range o.All() {
		if _, found := flattened.Get(name); !found && (v == nil || v == false || v == "sms") {
			flattened.Set(name, v)
		}
	}
	return flattened, ours
}
