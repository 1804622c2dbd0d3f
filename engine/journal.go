package engine

import (
	"context"
	"iter"
	"time"
)

// ThreadID names a thread: any text of 1 to 200 bytes without control characters.
type ThreadID string

// Seq numbers the events of a thread, from 1. Zero stands before the first.
type Seq uint64

// Record is an event as a store keeps it: EncodeEvent makes it, DecodeEvent reads it.
type Record struct {
	Seq   Seq
	Kind  Kind
	Data  []byte
	Blobs []Blob // the large values that Data refers to; empty when read back
}

// Blob is a large value, stored once however many events refer to it.
type Blob struct {
	Hash Hash
	Data []byte
}

// Hash is the SHA-256 of a blob's data.
type Hash [32]byte

// Batch is one atomic append to one thread.
type Batch struct {
	Thread   ThreadID
	After    Seq      // the last event the writer knows; 0 begins a thread
	Records  []Record // numbered After+1, After+2, …
	Owner    string   // who drives the thread: the append fails with ErrLeased when another does; "" takes no lease
	Release  bool     // give the thread up after this append
	Sync     bool     // force it to disk before Append returns
	Summary  *Summary // replaces the thread's summary when not nil
	Snapshot []byte   // replaces the thread's snapshot, taken at the last record, when not nil
}

// Journal keeps the events of threads.
type Journal interface {
	// Append adds a batch, all or nothing, and keeps the lease of Owner unless
	// Release is set. It returns ErrConflict when the thread does not end at After,
	// ErrLeased when a living owner other than Owner holds the thread.
	// A batch without records may still change lease, summary or snapshot of a thread
	// that exists; ErrNotFound when it does not. After Close it returns fs.ErrClosed.
	Append(ctx context.Context, batch Batch) error

	// Read yields the records of a thread after seq, in order, up to where the thread
	// ended when it began. A thread that does not exist has none. An error ends the
	// sequence.
	Read(ctx context.Context, thread ThreadID, after Seq) iter.Seq2[Record, error]

	// Blob returns a large value, or ErrNotFound.
	Blob(ctx context.Context, hash Hash) ([]byte, error)
}

// Store is a journal with what is needed to find and to drive threads.
type Store interface {
	Journal

	// Acquire makes owner the one who drives the thread and returns where it stands.
	// ErrNotFound when there is no such thread, ErrLeased when a living owner has it.
	// A lease ends with Batch.Release, and with the life of the process that took it:
	// one whose process is gone is taken over at once.
	Acquire(ctx context.Context, thread ThreadID, owner string) (Head, error)

	// Threads yields the heads that match, the one with the latest append first.
	Threads(ctx context.Context, filter Filter) iter.Seq2[Head, error]

	// Cached returns a value kept by Cache, or ErrNotFound when there is none or it expired at or before now.
	Cached(ctx context.Context, key string, now time.Time) ([]byte, error)

	// Cache keeps a value until expires.
	Cache(ctx context.Context, key string, value []byte, expires time.Time) error

	// Close waits for appends under way and gives every lease up.
	Close() error
}

// Head is where a thread stands.
type Head struct {
	Thread      ThreadID
	Seq         Seq
	Owner       string // empty when nobody drives it
	Summary     Summary
	Snapshot    []byte // nil when there is none; not filled in by Threads
	SnapshotSeq Seq    // the event after which Snapshot was taken
}

// Filter selects threads. Zero fields select all.
type Filter struct {
	Thread    ThreadID // this one only
	Status    Status
	Interrupt bool      // only threads with an open interrupt
	WakeBy    time.Time // only threads with a timer due by then
	Limit     int
}

// Summary is what lists show of a thread without folding it. It is a function of
// the thread's events; the runner keeps it up to date.
type Summary struct {
	Status     Status              `json:"status"`
	Graph      string              `json:"graph,omitempty"`
	Spec       string              `json:"spec,omitempty"` // content hash of the spec the last run is pinned to
	Run        string              `json:"run,omitempty"`
	Created    time.Time           `json:"created"`
	Updated    time.Time           `json:"updated"`
	Interrupts []*InterruptRequest `json:"interrupts,omitempty"` // open ones
	Wake       *time.Time          `json:"wake,omitempty"`       // the earliest timer
	Error      string              `json:"error,omitempty"`
}

// Status is the state of a thread's last run.
type Status string

// The statuses.
const (
	Running  Status = "running"  // being driven, or stopped halfway: resume goes on
	Parked   Status = "parked"   // waits for a human or a timer
	Done     Status = "done"     // ended
	Failed   Status = "failed"   // ended with an error that nothing caught
	Limited  Status = "limited"  // ended by a budget or a limit
	Canceled Status = "canceled" // ended by someone's wish
)

// Ended reports whether no event of the run can follow.
func (s Status) Ended() bool {
	switch s {
	case Done, Failed, Limited, Canceled:
		return true
	case Running, Parked:
	}
	return false
}
