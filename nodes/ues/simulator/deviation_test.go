//go:build transcripts

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

// bend brings a recorded value into our form where the forms differ as a whole.
func (m *match) bend(_ string, recorded, ours any) (any, any) { return recorded, ours }
