// Package process starts and ends simulated environments, in three ways behind one
// interface: Embedded in this process, with or without a port; `weft ues` as a child; or
// any other command that speaks the same API, such as `ues server`.
//
//	s, err := process.Embedded{Options: opts}.Start(ctx)
//	defer s.Stop()
//	c, err := s.Client()
//
// Each environment has an admin key of its own, 64 random hexadecimal digits, which a
// child gets through its environment only. A child that ends by itself is noticed; none
// outlives this process, however it ends: on Linux the kernel ends it, elsewhere a child
// that watches its standard input ends when that closes.
package process

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/weft-engine/weft/nodes/ues"
	"github.com/weft-engine/weft/nodes/ues/simulator"
)

// The times of starting and ending.
const (
	DefaultReady = 30 * time.Second // how long a server may take to be up
	DefaultGrace = 5 * time.Second  // how long it may take to end
	probeTime    = 2 * time.Second  // of one question whether it is up
)

// Starter is a way to start an environment. The context bounds the starting alone.
type Starter interface {
	Start(ctx context.Context) (*Server, error)
}

// Server is an environment that runs. It is safe for concurrent use. Stop it.
type Server struct {
	url    string
	secret string
	http   *http.Client         // nil: over the network
	sim    *simulator.Simulator // nil: in another process
	output *ring

	end  func() error // ends it and waits; called once
	once sync.Once
	err  error // of end

	done chan struct{}
	why  error // set before done is closed
}

// URL is where it is. Without a port, only Client reaches it.
func (s *Server) URL() string { return s.url }

// Secret is the admin key.
func (s *Server) Secret() string { return s.secret }

// Simulator is the simulator of an embedded environment, nil of any other.
func (s *Server) Simulator() *simulator.Simulator { return s.sim }

// HTTP carries calls to it: nil is the network.
func (s *Server) HTTP() *http.Client { return s.http }

// Client returns a client with the admin key.
func (s *Server) Client() (*ues.Client, error) {
	return ues.New(ues.Options{URL: s.url, Key: s.secret, HTTP: s.http})
}

// Done is closed when the environment has ended.
func (s *Server) Done() <-chan struct{} { return s.done }

// Err is why it ended by itself, nil while it runs and when it was stopped.
func (s *Server) Err() error {
	select {
	case <-s.done:
		return s.why
	default:
		return nil
	}
}

// Output is the last lines that a child has written, at most 2000, without the key.
func (s *Server) Output() []string {
	if s.output == nil {
		return nil
	}
	return s.output.lines()
}

// Healthy asks whether it is up.
func (s *Server) Healthy(ctx context.Context) error {
	if err := s.Err(); err != nil {
		return err
	}
	c, err := s.Client()
	if err != nil {
		return err
	}
	return c.Health(ctx)
}

// Stop ends the environment and waits for it: a child is asked, and after 5 seconds
// killed. It may be called more than once.
func (s *Server) Stop() error {
	s.once.Do(func() { s.err = s.end() })
	return s.err
}

// newSecret makes an admin key: 64 hexadecimal digits.
func newSecret() string {
	var b [32]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// ended is the error of a server that ended by itself, with the end of what it wrote.
func ended(why error, output []string) error {
	const last = 5
	text := strings.Join(output[max(0, len(output)-last):], "\n")
	if why == nil {
		why = fmt.Errorf("exit status 0")
	}
	if text == "" {
		return fmt.Errorf("the environment ended by itself: %w", why)
	}
	return fmt.Errorf("the environment ended by itself: %w; it wrote:\n%s", why, text)
}
