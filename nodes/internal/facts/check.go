package facts

// Check looks at a text while it is being written in place of another: piece by piece,
// cut where no fact is. It is not safe for concurrent use.
type Check struct {
	before reading
	seen   set // the numbers of the pieces so far
	last   int // the place of the latest of them in before
}

// NewCheck returns a check against the text that is to be replaced.
func NewCheck(before string) *Check { return &Check{before: read(before)} }

// Passes reports whether a piece brings no fact that the text before has not, and no
// number before another that stood in front of it. What passes in pieces can still have
// left facts out: only Compare tells.
func (c *Check) Passes(piece string) bool {
	r := read(piece)
	if len(added(c.before, r)) > 0 {
		return false
	}
	for _, n := range r.numbers.all {
		if c.seen.has(n) {
			continue
		}
		c.seen.add(n)
		at := c.before.numbers.at[n]
		if at < c.last {
			return false
		}
		c.last = at
	}
	return true
}
