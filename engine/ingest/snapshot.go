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
	Failed  []engine.TriggerItem  `json:"failed,omitempty"`
	Paused  *engine.TriggerPaused `json:"paused,omitempty"`
}

func (l *ledger) snapshot() ([]byte, error) {
	l.tidy()
	known := make([]string, 0, len(l.known))
	for key := range l.known {
		known = append(known, key)
	}
	slices.Sort(known)
	data, err := json.Marshal(snapshot{Version: snapshotVersion, Cursor: l.cursor, Known: known, Open: l.open, Failed: l.failed, Paused: l.paused})
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
	if !plain(s.Open) || !plain(s.Failed) {
		return false
	}
	for _, key := range s.Known {
		l.known[key] = true
	}
	l.cursor, l.open, l.failed, l.paused = s.Cursor, s.Open, s.Failed, s.Paused
	return true
}

// plain makes the inputs what they are in the journal: its numbers are ints where they can be.
func plain(items []engine.TriggerItem) bool {
	for i := range items {
		raw, err := json.Marshal(items[i].Input)
		if err != nil {
			return false
		}
		input, err := source.DecodeJSON(raw)
		if err != nil {
			return false
		}
		items[i].Input, _ = input.(map[string]any)
	}
	return true
}
