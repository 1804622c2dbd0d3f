package googletest

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"strings"
	"time"
)

// Fault is a way to misbehave. The first that fits a request counts.
type Fault struct {
	Match      string        `json:"match"`       // part of "METHOD /path?query"; "" is every request
	After      int           `json:"after"`       // so many fitting requests go well first
	Times      int           `json:"times"`       // how many requests it spoils; 0 is once, -1 all
	Delay      time.Duration `json:"delay"`       // it answers that much later
	Cut        bool          `json:"cut"`         // the connection ends before anything is done
	Lost       bool          `json:"lost"`        // it is done, and the connection ends before the answer
	Status     int           `json:"status"`      // it is refused with this status
	Reason     string        `json:"reason"`      // and this reason: rateLimitExceeded
	Message    string        `json:"message"`     // and these words; "" says that it was told to
	RetryAfter string        `json:"retry_after"` // and this header

	seen, spoiled int
}

// Fault adds a fault.
func (s *Server) Fault(f Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = append(s.faults, &f)
}

// Heal ends all faults.
func (s *Server) Heal() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = nil
}

func (s *Server) fault(r *http.Request) *Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	line := r.Method + " " + r.URL.RequestURI()
	for _, f := range s.faults {
		if !strings.Contains(line, f.Match) || f.Times >= 0 && f.spoiled >= max(1, f.Times) {
			continue
		}
		if f.seen++; f.seen > f.After {
			f.spoiled++
			return f
		}
	}
	return nil
}

// wait holds a request back. It reports whether the client is still there.
func (f *Fault) wait(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, f.Delay)
	defer cancel()
	<-ctx.Done()
	return errors.Is(context.Cause(ctx), context.DeadlineExceeded)
}

func (f *Fault) answer(w http.ResponseWriter) {
	if f.RetryAfter != "" {
		w.Header().Set("Retry-After", f.RetryAfter)
	}
	fail(w, f.Status, f.Reason, cmp.Or(f.Message, "the local Google was told to answer "+f.Reason))
}
