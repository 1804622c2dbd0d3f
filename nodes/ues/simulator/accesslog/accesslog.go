// Package accesslog keeps the last requests a simulator answered, in a ring of fixed
// size. It knows nothing of HTTP: the server tells it what happened.
package accesslog

import (
	"strings"
	"sync"
	"time"
)

// Capacity is the number of entries a log keeps; older ones are dropped.
const Capacity = 10_000

// The longest path and user agent kept, in bytes: a client chooses both.
const (
	longestPath  = 1024
	longestAgent = 256
)

// Entry is one answered request. Times are wall-clock instants.
type Entry struct {
	ID        [16]byte
	Time      time.Time
	Took      time.Duration
	Method    string
	Path      string
	KeyID     string // empty: nobody was identified
	KeyName   string
	Status    int
	ClientIP  string
	UserAgent string
}

// Success answers for 2xx and 3xx.
func (e *Entry) Success() bool { return e.Status < 400 }

// Log is a ring of entries. The zero value is empty and ready; it is safe for
// concurrent use.
type Log struct {
	mu    sync.Mutex
	ring  []Entry
	next  int // where the next entry goes once the ring is full
	stats Stats
}

// Stats counts what is in the log.
type Stats struct {
	Total, Success, ClientErrors, ServerErrors int
}

// Add notes a request.
func (l *Log) Add(e Entry) {
	e.Path, e.UserAgent = clip(e.Path, longestPath), clip(e.UserAgent, longestAgent)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stats.count(e.Status, 1)
	if len(l.ring) < Capacity {
		l.ring = append(l.ring, e)
		return
	}
	l.stats.count(l.ring[l.next].Status, -1)
	l.ring[l.next] = e
	l.next = (l.next + 1) % Capacity
}

func (s *Stats) count(status, by int) {
	s.Total += by
	switch {
	case status < 400:
		s.Success += by
	case status < 500:
		s.ClientErrors += by
	default:
		s.ServerErrors += by
	}
}

func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(strings.Clone(s[:n]), "")
}

// Newest gives copies of the entries that keep accepts, newest first, leaving out the
// first skip and stopping after limit. matched counts all that were accepted.
func (l *Log) Newest(keep func(*Entry) bool, skip, limit int) (entries []Entry, matched, total int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := len(l.ring)
	for i := range n {
		e := &l.ring[(l.next+n-1-i)%n]
		if !keep(e) {
			continue
		}
		if matched >= skip && len(entries) < limit {
			entries = append(entries, *e)
		}
		matched++
	}
	return entries, matched, len(l.ring)
}

// Stats gives the counts, the number of keys seen (nobody counts as one, as in the
// recordings) and the times of the oldest and the newest entry, zero in an empty log.
func (l *Log) Stats() (s Stats, keys int, oldest, newest time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	seen := map[string]struct{}{}
	for i := range l.ring {
		seen[l.ring[i].KeyID] = struct{}{}
	}
	if n := len(l.ring); n > 0 {
		oldest, newest = l.ring[l.next%n].Time, l.ring[(l.next+n-1)%n].Time
	}
	return l.stats, len(seen), oldest, newest
}

// Clear empties the log and gives the number of entries it held.
func (l *Log) Clear() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := len(l.ring)
	l.ring, l.next, l.stats = nil, 0, Stats{}
	return n
}
