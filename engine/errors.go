package engine

import "errors"

// The errors that a caller decides on.
var (
	// ErrNotFound: no such thread, blob or cached value.
	ErrNotFound = errors.New("not found")
	// ErrConflict: the thread has moved on since the writer read it.
	ErrConflict = errors.New("the thread has moved on")
	// ErrLeased: another process drives the thread.
	ErrLeased = errors.New("another process drives this thread")
	// ErrFinished: the run has ended; nothing can be added to it.
	ErrFinished = errors.New("the run has ended")
	// ErrDiverged: the journal does not fit the graph: another spec or engine wrote it.
	ErrDiverged = errors.New("the journal does not fit the graph")
	// ErrCorrupt: stored data cannot be read.
	ErrCorrupt = errors.New("stored data is corrupt")
	// ErrNewer: the store was written by a newer version of Weft.
	ErrNewer = errors.New("the store was written by a newer version of weft")
	// ErrRefused: an answer that the interrupt does not accept; it stays open.
	ErrRefused = errors.New("the answer is refused")
)
