package queue

import (
	"iter"
	"slices"

	"github.com/weft-engine/weft/nodes/ues/simulator/field"
)

// chunkSize is the number of events a chunk holds at most: small enough that inserting
// in its middle is one short move, large enough that the list of chunks stays short.
const chunkSize = 256

// chunk is a run of neighbouring events.
type chunk struct {
	events  []*Event
	pending int // how many of them are pending
	from    int // no event before this index is pending
}

// Queue is an ordered list of events. The zero value is empty and ready. It is not safe
// for concurrent use.
type Queue struct {
	chunks     []*chunk
	from       int // no chunk before this index has a pending event
	byID       map[string]*Event
	counts     [statuses]int
	modalities []Count
	seq        uint64
}

// Count is a number of events of one modality.
type Count struct {
	Modality string
	Events   int
}

// Len is the number of events, whatever their status.
func (q *Queue) Len() int { return len(q.byID) }

// Count is the number of events with a status.
func (q *Queue) Count(s Status) int { return q.counts[s] }

// Modalities counts events by modality, in order of first appearance.
func (q *Queue) Modalities() []Count { return q.modalities }

// Find gives an event by its id, or nil.
func (q *Queue) Find(id string) *Event { return q.byID[id] }

// Add inserts an event with the given status, after all events of equal order. The id
// must be new.
func (q *Queue) Add(e *Event, s Status) {
	q.seq++
	e.seq, e.status = q.seq, s
	if q.byID == nil {
		q.byID = map[string]*Event{}
	}
	q.byID[e.ID] = e
	q.counts[s]++
	q.tally(e.Modality)
	at := q.place(e)
	c := q.chunks[at]
	i, _ := slices.BinarySearchFunc(c.events, e, (*Event).compare)
	c.events = slices.Insert(c.events, i, e)
	e.home = c
	if i < c.from {
		c.from++
	}
	if s == Pending {
		c.pending++
		q.lower(at, i)
	}
}

func (q *Queue) tally(modality string) {
	for i := range q.modalities {
		if q.modalities[i].Modality == modality {
			q.modalities[i].Events++
			return
		}
	}
	q.modalities = append(q.modalities, Count{Modality: modality, Events: 1})
}

// place gives the index of the chunk that e belongs to, with room for it.
func (q *Queue) place(e *Event) int {
	at := q.chunkOf(e)
	if at == len(q.chunks) {
		at--
	}
	switch {
	case at < 0:
		q.chunks = append(q.chunks, newChunk())
		return 0
	case len(q.chunks[at].events) < chunkSize:
		return at
	}
	last := q.chunks[at].events[chunkSize-1]
	if at == len(q.chunks)-1 && last.compare(e) < 0 {
		q.chunks = append(q.chunks, newChunk()) // appended in order: chunks stay full
		return at + 1
	}
	q.split(at)
	return q.chunkOf(e)
}

// chunkOf is the first chunk whose last event does not come before e.
func (q *Queue) chunkOf(e *Event) int {
	at, _ := slices.BinarySearchFunc(q.chunks, e, func(c *chunk, e *Event) int {
		return c.events[len(c.events)-1].compare(e)
	})
	return at
}

func newChunk() *chunk { return &chunk{events: make([]*Event, 0, chunkSize)} }

// split moves the second half of a chunk into a new one behind it.
func (q *Queue) split(at int) {
	old, fresh := q.chunks[at], newChunk()
	fresh.events = append(fresh.events, old.events[chunkSize/2:]...)
	clear(old.events[chunkSize/2:])
	old.events = old.events[:chunkSize/2]
	for _, e := range fresh.events {
		e.home = fresh
		if e.status == Pending {
			fresh.pending++
		}
	}
	old.pending -= fresh.pending
	fresh.from = max(0, old.from-chunkSize/2)
	old.from = min(old.from, chunkSize/2)
	q.chunks = slices.Insert(q.chunks, at+1, fresh)
	if q.from > at {
		q.from++
	}
}

// lower notes a pending event at an index of a chunk.
func (q *Queue) lower(at, i int) {
	q.from = min(q.from, at)
	c := q.chunks[at]
	c.from = min(c.from, i)
}

// Mark gives an event another status. The event must be in the queue.
func (q *Queue) Mark(e *Event, s Status) {
	q.counts[e.status]--
	q.counts[s]++
	if e.status == Pending {
		e.home.pending--
	}
	e.status = s
	if s != Pending {
		return
	}
	e.home.pending++
	at := q.chunkOf(e)
	i, _ := slices.BinarySearchFunc(q.chunks[at].events, e, (*Event).compare)
	q.lower(at, i)
}

// Next is the first pending event, or nil.
func (q *Queue) Next() *Event {
	for ; q.from < len(q.chunks); q.from++ {
		c := q.chunks[q.from]
		if c.pending == 0 {
			continue
		}
		for c.events[c.from].status != Pending {
			c.from++
		}
		return c.events[c.from]
	}
	return nil
}

// Clear drops all events.
func (q *Queue) Clear() { *q = Queue{} }

// Keep drops the events that keep refuses and gives their number.
func (q *Queue) Keep(keep func(*Event) bool) int {
	var rest Queue
	dropped := 0
	for e := range q.All() {
		if keep(e) {
			rest.Add(e, e.status)
		} else {
			dropped++
		}
	}
	*q = rest
	return dropped
}

// All gives every event in order.
func (q *Queue) All() iter.Seq[*Event] {
	return q.walk(0, 0)
}

// From gives the events scheduled at or after an instant, in order.
func (q *Queue) From(t field.Time) iter.Seq[*Event] {
	at, _ := slices.BinarySearchFunc(q.chunks, t.Micros(), func(c *chunk, m int64) int {
		return beforeOrNot(c.events[len(c.events)-1], m)
	})
	if at == len(q.chunks) {
		return q.walk(at, 0)
	}
	i, _ := slices.BinarySearchFunc(q.chunks[at].events, t.Micros(), beforeOrNot)
	return q.walk(at, i)
}

// beforeOrNot is -1 for events scheduled before m and 1 for all others, which makes a
// binary search find the first of the others.
func beforeOrNot(e *Event, m int64) int {
	if e.Scheduled.Micros() < m {
		return -1
	}
	return 1
}

func (q *Queue) walk(at, i int) iter.Seq[*Event] {
	return func(yield func(*Event) bool) {
		for ; at < len(q.chunks); at++ {
			for ; i < len(q.chunks[at].events); i++ {
				if !yield(q.chunks[at].events[i]) {
					return
				}
			}
			i = 0
		}
	}
}
