package process

// NewRing returns the ring that keeps a child's output, for tests of its own.
func NewRing(secret string) interface {
	Write(p []byte) (int, error)
	Lines() []string
} {
	return &exported{&ring{secret: secret}}
}

type exported struct{ *ring }

// Lines returns what is kept.
func (e *exported) Lines() []string { return e.lines() }
