package simulator_test

import (
	"context"
	"net"
	"testing"

	"github.com/weft-engine/weft/nodes/ues/simulator"
)

func TestServeUntilTheEnd(t *testing.T) {
	sim := fresh(t, simulator.Options{})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- sim.Serve(ctx, l) }()
	_, secret := sim.Admin()
	c := caller{tb: t, url: "http://" + l.Addr().String(), secret: secret}
	c.must(200, "GET", "/health", "")
	c.must(200, "GET", "/simulator/time", "")
	cancel()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if conn, err := net.Dial("tcp", l.Addr().String()); err == nil {
		_ = conn.Close()
		t.Error("it still listens")
	}
	if err := sim.Serve(t.Context(), l); err == nil {
		t.Error("a closed listener was served")
	}
}
