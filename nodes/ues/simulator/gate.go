package simulator

import "context"

// The bounds on what is done at a time: requests, and bodies large enough to matter.
const (
	mostRequests = 256
	mostLarge    = 4
	largeBody    = 256 << 10
)

// gate lets a bounded number of requests in.
type gate struct{ requests, large chan struct{} }

func newGate() gate {
	return gate{requests: make(chan struct{}, mostRequests), large: make(chan struct{}, mostLarge)}
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
