package simulator

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"
)

// The deadlines of a connection.
const (
	headTime  = 10 * time.Second // for the head of a request
	readTime  = time.Minute      // for a whole request
	writeTime = time.Minute      // for an answer
	idleTime  = 2 * time.Minute
	stopTime  = 5 * time.Second // for the requests under way when the server stops
	mostHead  = 64 << 10
)

// DefaultOrigins are the web origins that the original allows when nobody names others.
func DefaultOrigins() []string {
	return []string{"http://localhost:5173", "http://localhost:3000", "http://127.0.0.1:5173", "http://127.0.0.1:3000"}
}

// Serve answers on a listener, which it closes, until the context ends; then it lets
// requests finish for at most five seconds. Close ends the sockets.
func (s *Simulator) Serve(ctx context.Context, l net.Listener) error {
	server := &http.Server{
		Handler: s, ReadHeaderTimeout: headTime, ReadTimeout: readTime, WriteTimeout: writeTime,
		IdleTimeout: idleTime, MaxHeaderBytes: mostHead,
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(l) }()
	select {
	case err := <-ended:
		return fmt.Errorf("serve on %s: %w", l.Addr(), err)
	case <-ctx.Done():
	}
	stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTime)
	defer cancel()
	err := server.Shutdown(stopping)
	if err != nil {
		err = errors.Join(err, server.Close())
	}
	if served := <-ended; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	return err
}
