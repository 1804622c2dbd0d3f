package process

import (
	"context"
	"fmt"
	"net"
	"net/http"

	"github.com/weft-engine/weft/nodes/ues/simulator"
)

// Embedded is a simulator in this process.
type Embedded struct {
	// Options are the simulator's; without AdminSecret one is made.
	Options simulator.Options

	// Listen serves it on a free port of the loopback interface, for other processes.
	// Otherwise only the server's own client reaches it, without any network.
	Listen bool
}

// Start makes the simulator.
func (e Embedded) Start(ctx context.Context) (*Server, error) {
	opts := e.Options
	if opts.AdminSecret == "" {
		opts.AdminSecret = newSecret()
	}
	sim, err := simulator.New(opts)
	if err != nil {
		return nil, err
	}
	s := &Server{sim: sim, secret: opts.AdminSecret, done: make(chan struct{})}
	if !e.Listen {
		s.url, s.http = "http://ues.internal", &http.Client{Transport: Direct(sim)}
		s.end = func() error {
			sim.Close()
			close(s.done)
			return nil
		}
		return s, nil
	}
	if err := s.serve(ctx); err != nil {
		sim.Close()
		return nil, err
	}
	return s, nil
}

// serve listens on loopback.
func (s *Server) serve(ctx context.Context) error {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("listen for the environment: %w", err)
	}
	s.url = "http://" + l.Addr().String()
	life, cancel := context.WithCancel(context.Background())
	go func() {
		if err := s.sim.Serve(life, l); err != nil && life.Err() == nil {
			s.why = ended(err, nil)
		}
		close(s.done)
	}()
	s.end = func() error {
		cancel()
		<-s.done
		s.sim.Close()
		return nil
	}
	return nil
}
