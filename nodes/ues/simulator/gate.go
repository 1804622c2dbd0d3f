package simulator

import "context"

// The bounds on what is done at a time: requests, those among them of callers without a
// key, who could send slowly and keep the others out, bodies large enough to matter, and
// answers that are.
const (
	mostRequests  = 256
	mostStrangers = 64
	mostLarge     = 4
	mostHeavy     = 2
	largeBody     = 256 << 10
)

// gate lets a bounded number of requests in.
type gate struct{ requests, strangers, large, heavy chan struct{} }

func newGate() gate {
	return gate{
		requests: make(chan struct{}, mostRequests), strangers: make(chan struct{}, mostStrangers),
		large: make(chan struct{}, mostLarge), heavy: make(chan struct{}, mostHeavy),
	}
}

// enter waits for a place; it gives false when the context ends first.
func enter(ctx context.Context, places chan struct{}) bool {
	select {
	case places <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

func leave(places chan struct{}) { <-places }
