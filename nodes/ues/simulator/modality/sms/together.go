package sms

import (
	"github.com/weft-engine/weft/nodes/ues/simulator/field"
	"github.com/weft-engine/weft/nodes/ues/simulator/modality"
)

// together is what /sms/read, /unread and /delete do to all messages they name, besides
// what the recorded event does to the first.
type together struct {
	ids  []string
	what string // the last word of the path
	at   field.Time
}

// changeAll does it, with ids that are unknown passed over, and gives what takes it back.
// A nil together does nothing.
func (s *State) changeAll(t *together) func() {
	var undo modality.Reversal
	if t == nil {
		return undo.Run
	}
	done := map[*Message]bool{}
	for _, id := range t.ids {
		msg, found := s.messages.Get(id)
		if !found || done[msg] {
			continue
		}
		done[msg] = true
		switch t.what {
		case "read":
			undo.Add(setStatus(msg, statusRead, t.at))
		case "unread":
			undo.Add(modality.Assign(&msg.IsRead, false))
			undo.Add(modality.Assign(&msg.ReadAt, nil))
		default:
			undo.Add(modality.Assign(&msg.IsDeleted, true))
		}
	}
	return undo.Run
}

// count is the number of named messages that are known.
func (s *State) count(ids []string) int {
	n := 0
	for _, id := range ids {
		if s.messages.Has(id) {
			n++
		}
	}
	return n
}
