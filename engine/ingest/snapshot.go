package ingest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/source"
)

// minSnapshot is how many events come before a ledger is worth a snapshot.
const minSnapshot = 500

// snapshotVersion tells snapshots of another form, which are not used.
const snapshotVersion = 1

// snapshot is a ledger without its past.
type snapshot struct {
	Version int                   `json:"version"`
	Cursor  string                `json:"cursor"`
	Known   []string              `json:"known"`
	Open    []engine.TriggerItem  `json:"open,omitempty"`
	Paused  *engine.TriggerPaused `json:"paused,omitempty"`
}

func (l *ledger) snapshot() ([]byte, error) {
	l.tidy()
	known := make([]string, 0, len(l.known))
	for key := range l.known {
		known = append(known, key)
	}
	slices.Sort(known)
	data, err := json.Marshal(snapshot{Version: snapshotVersion, Cursor: l.cursor, Known: known, Open: l.open, Paused: l.paused})
	if err != nil {
		return nil, fmt.Errorf("snapshot of the trigger's ledger: %w", err)
	}
	return data, nil
}

// restore reports whether it could begin from a snapshot. One that cannot be read is
// no loss: the events are all there.
func (l *ledger) restore(data []byte) bool {
	var s snapshot
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	if dec.Decode(&s) != nil || s.Version != snapshotVersion {
		return false
	}
	for i := range s.Open { // numbers as the journal has them
		raw, err := json.Marshal(s.Open[i].Input)
		if err != nil {
			return false
		}
		input, err := source.DecodeJSON(raw)
		if err != nil {
			return false
		}
		s.Open[i].Input, _ = input.(map[string]any)
	}
	for _, key := range s.Known {
		l.known[key] = true
	}
	l.cursor, l.open, l.paused = s.Cursor, s.Open, s.Paused
	return true
}
