// Package world is a simulated environment that moves through time: a clock, a queue of
// events, the states of the modalities, undo and redo, holds, and scenarios in and out.
// It is one plain data structure without locks, goroutines, clocks or randomness of its
// own: the same calls with the same identifiers give the same world, byte for byte.
// Package simulator puts a lock around it and the doors into it.
package world

import (
	"fmt"
	"slices"
	"time"

	"github.com/weft-engine/weft/nodes/ues/simulator/field"
	"github.com/weft-engine/weft/nodes/ues/simulator/modality"
	"github.com/weft-engine/weft/nodes/ues/simulator/queue"
)

// Options are the parts of a World.
type Options struct {
	Kinds   []modality.Kind  // the modalities of a fresh world, in order
	Now     func() time.Time // the wall clock: start time, holds, auto-advance
	NewID   func() string    // UUIDs
	Version string           // the UES version in exports

	// Tell is told what happens, for listeners; nil: nobody listens. data appends the
	// notice's data and is called before Tell returns, or not at all.
	Tell func(kind string, data func(dst []byte) []byte)
}

// World is a simulated environment. It is not safe for concurrent use. Make one with New.
type World struct {
	opts    Options
	wallNow func() time.Time // w.wallTime, made once
	kinds   map[string]*modality.Kind
	id      string
	running bool
	manual  bool // started without auto-advance
	clock   clock
	names   []string // the modalities that exist, in order
	states  map[string]modality.State
	queue   queue.Queue
	undo    []applied
	redo    []*queue.Event
	holds   []Hold
}

// applied is an event that was executed, with what reverses it.
type applied struct {
	event *queue.Event
	undo  modality.Undo
}

// New makes the world of a fresh server: the wall clock's time, nothing in it.
func New(opts Options) *World {
	w := &World{opts: opts, kinds: map[string]*modality.Kind{}, states: map[string]modality.State{}, id: opts.NewID()}
	w.wallNow = w.wallTime
	if w.opts.Tell == nil {
		w.opts.Tell = func(string, func([]byte) []byte) {}
	}
	now := w.wall()
	w.clock = clock{now: now, scale: 1, wall: now}
	for i := range opts.Kinds {
		k := &opts.Kinds[i]
		w.kinds[k.Name] = k
		w.names = append(w.names, k.Name)
		w.states[k.Name] = k.New(w.Moment())
	}
	return w
}

// Moment is what modalities may ask of the world.
func (w *World) Moment() modality.Moment {
	return modality.Moment{Now: w.clock.now, NewID: w.opts.NewID, Wall: w.wallNow}
}

// State is a modality's state, or nil when the environment lacks the modality.
func (w *World) State(name string) modality.State { return w.states[name] }

// Modalities are the names of what the environment has, in its order.
func (w *World) Modalities() []string { return slices.Clone(w.names) }

// ID is the simulation's id, fixed for the life of the world.
func (w *World) ID() string { return w.id }

// Running answers whether the simulation was started.
func (w *World) Running() bool { return w.running }

// Moving reports whether the clock moves by itself, or would if it were not paused or held.
func (w *World) Moving() bool { return w.running && w.clock.auto && !w.manual }

// Queue gives the events, to read.
func (w *World) Queue() *queue.Queue { return &w.queue }

// Tell informs listeners; see Options.Tell.
func (w *World) Tell(kind string, data func(dst []byte) []byte) { w.opts.Tell(kind, data) }

func (w *World) wallTime() time.Time { return w.opts.Now().UTC().Truncate(time.Microsecond) }

func (w *World) wall() field.Time { return field.At(w.wallTime()) }

// Refusal is a request that the world does not fulfil. Status is the HTTP status that
// the contract gives it.
type Refusal struct {
	Status int
	Text   string
	Holds  []Hold // the leases in the way, when that is the reason
}

// Error is the contract's text.
func (r *Refusal) Error() string { return r.Text }

func refuse(status int, format string, args ...any) *Refusal {
	return &Refusal{Status: status, Text: fmt.Sprintf(format, args...)}
}

// missing is the error of using a modality that the environment lacks.
func (w *World) missing(name string) *modality.Fault {
	text := fmt.Sprintf("Modality '%s' not found in environment. Available modalities: %s", name, modality.List(w.names))
	return &modality.Fault{Class: "KeyError", Text: field.Repr(text)}
}
