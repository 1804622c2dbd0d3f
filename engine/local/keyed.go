package local

import (
	"context"
	"sync"
)

// keyed is a lock for each of any number of names, held by one at a time.
type keyed struct {
	mu   sync.Mutex
	held map[string]chan struct{} // closed when given up
}

// lock waits for the name's lock until ctx ends.
func (k *keyed) lock(ctx context.Context, name string) (unlock func(), err error) {
	for {
		k.mu.Lock()
		held, busy := k.held[name]
		if !busy {
			if k.held == nil {
				k.held = map[string]chan struct{}{}
			}
			mine := make(chan struct{})
			k.held[name] = mine
			k.mu.Unlock()
			return func() {
				k.mu.Lock()
				delete(k.held, name)
				k.mu.Unlock()
				close(mine)
			}, nil
		}
		k.mu.Unlock()
		select {
		case <-held:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}
