package simulator_test

import (
	"context"
	"testing"
	"time"

	"github.com/weft-engine/weft/nodes/ues/simulator"
)

// fresh makes a simulator with the wall clock and closes it when the test ends.
func fresh(t testing.TB, opts simulator.Options) *simulator.Simulator {
	t.Helper()
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.Wait == nil {
		opts.Wait = wait
	}
	sim, err := simulator.New(opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(sim.Close)
	return sim
}

// wait blocks for a duration of the wall clock.
func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
