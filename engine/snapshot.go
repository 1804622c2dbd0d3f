package engine

import (
	"fmt"
	"maps"
	"time"

	"github.com/weft-engine/weft/engine/chat"
)

// snapshotVersion is the layout of snapshots. One of another version is not read:
// the journal is folded from its beginning instead.
const snapshotVersion = 1

// snapshot is a scheduler between runs or at the beginning of a step, as stored.
type snapshot struct {
	Version int                    `json:"version"`
	Now     time.Time              `json:"now"`
	IDs     int                    `json:"ids"` // given out when the step began
	State   map[string]any         `json:"state"`
	Fields  map[string]any         `json:"fields,omitempty"` // of the run under way
	Run     *RunStarted            `json:"run,omitempty"`
	Used    map[string]chat.Usage  `json:"used,omitempty"`
	Memory  map[string]MemoryValue `json:"memory,omitempty"`
	Status  Status                 `json:"status,omitempty"`
	Failure *Failure               `json:"failure,omitempty"`
	Output  any                    `json:"output,omitempty"`
	Frame   int                    `json:"frame,omitempty"`
	Step    int                    `json:"step,omitempty"`
	Nodes   []int                  `json:"nodes,omitempty"`
	Ran     map[int]map[int]bool   `json:"ran,omitempty"`
	Waits   map[int]bool           `json:"waits,omitempty"`
}

// Snapshot returns the scheduler as data, from which Restore and the events that
// follow give the same scheduler as the whole journal. ok is false where none can be
// taken: in the middle of a step.
func (s *Scheduler) Snapshot() (data []byte, blobs []Blob, ok bool, err error) {
	snap, ok := s.snapshot()
	if !ok {
		return nil, nil, false, nil
	}
	e := &encoder{}
	e.value(snap)
	if e.err != nil {
		return nil, nil, false, fmt.Errorf("snapshot of thread %s: %w", s.thread, e.err)
	}
	return e.out, e.blobs, true, nil
}

func (s *Scheduler) snapshot() (snapshot, bool) {
	snap := snapshot{Version: snapshotVersion, Now: s.now, IDs: s.ids, State: s.state}
	if s.run == nil {
		return snap, true
	}
	r, started := s.run, s.Started()
	snap.Run, snap.Used, snap.Memory = &started, r.used, r.memory
	if r.closed {
		snap.Status, snap.Failure, snap.Output = r.status, r.failure, r.output
		return snap, true
	}
	if r.root == nil || !s.atStepStart() {
		return snap, false
	}
	f := r.root
	snap.Fields, snap.IDs, snap.Frame, snap.Step, snap.Ran, snap.Waits = fields(f.scope), f.base, f.id, f.step, f.ran, f.waits
	for _, a := range f.acts {
		snap.Nodes = append(snap.Nodes, a.node.Index)
	}
	return snap, true
}

// atStepStart reports whether nothing has happened in the step of the run's graph
// since it began, and nothing else is under way.
func (s *Scheduler) atStepStart() bool {
	f := s.run.root
	now, _ := f.about["now"].(time.Time)
	if len(f.load) > 0 || f.open != len(f.acts) || !now.Equal(s.now) {
		return false
	}
	for _, a := range f.acts {
		if a.failed != nil || a.node.ForEach != nil && a.next != a.running {
			return false
		}
	}
	for _, inv := range s.run.invs {
		if inv.act.frame != f || len(inv.in.done) > 0 || inv.raised || inv.intended || inv.attempt > 1 {
			return false
		}
		switch inv.phase {
		case backoff, doubting, inside: // something happened, be it in the same moment
			return false
		case planning, performing, asking, sleeping:
		}
	}
	return true
}

// Restore returns the scheduler that Snapshot made data of. ok is false when the data
// is of another version of the engine or of another spec; damaged data gives ErrCorrupt.
func Restore(p *Program, thread ThreadID, data []byte, blob func(Hash) ([]byte, error)) (s *Scheduler, ok bool, err error) {
	var snap snapshot
	d := &decoder{in: data, blob: blob}
	d.into(&snap)
	if d.err != nil {
		return nil, false, fmt.Errorf("snapshot of thread %s: %w: %w", thread, ErrCorrupt, d.err)
	}
	if snap.Version != snapshotVersion {
		return nil, false, nil
	}
	s = NewScheduler(p, thread)
	s.now, s.ids = snap.Now.UTC(), snap.IDs
	if snap.State != nil {
		s.state = snap.State
	}
	if snap.Run == nil {
		return s, true, nil
	}
	if snap.Run.Spec != p.Hash {
		return nil, false, nil
	}
	if err := s.restore(&snap); err != nil {
		return nil, false, fmt.Errorf("snapshot of thread %s: %w", thread, err)
	}
	return s, true, nil
}

func (s *Scheduler) restore(snap *snapshot) error {
	g := s.program.Graph(snap.Run.Graph)
	if g == nil {
		return fmt.Errorf("no graph %q in the spec: %w", snap.Run.Graph, ErrDiverged)
	}
	s.run = newRun(g, snap.Run)
	s.run.input = plainObject(snap.Run.Input)
	maps.Copy(s.run.used, snap.Used)
	maps.Copy(s.run.memory, snap.Memory)
	if snap.Status.Ended() {
		s.run.status, s.run.failure, s.run.closed = snap.Status, snap.Failure, true
		s.run.output, _ = Plain(snap.Output)
		return nil
	}
	f := s.newFrame(g, s.run.input, nil, nil)
	f.id, f.step, f.ran, f.waits = snap.Frame, snap.Step-1, snap.Ran, snap.Waits
	maps.Copy(f.scope, snap.Fields)
	f.scope["memory"] = texts(s.run.memory)
	s.run.root, s.ids = f, snap.IDs
	for _, n := range snap.Nodes {
		if n < 0 || n >= len(g.Nodes) {
			return fmt.Errorf("no node %d in graph %q: %w", n, g.Name, ErrDiverged)
		}
	}
	s.resume(f, snap.Nodes)
	s.settle()
	s.effects = nil
	return nil
}
