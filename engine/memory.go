package engine

import "context"

// MemoryValue is the text of a memory and which change made it.
type MemoryValue struct {
	Text    string `json:"text"`
	Version Seq    `json:"version"` // 0: the default, never changed
}

// MemoryReader reads memories for the texts and expressions of a step.
type MemoryReader interface {
	// ReadMemory returns the current text, the default when it was never changed.
	// Who owns it follows from the memory's scope, the user and the thread.
	ReadMemory(ctx context.Context, m *Memory, user string, thread ThreadID) (MemoryValue, error)
}
