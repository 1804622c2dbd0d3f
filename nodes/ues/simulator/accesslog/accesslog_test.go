package accesslog_test

import (
	"strings"
	"testing"
	"time"

	"github.com/weft-engine/weft/nodes/ues/simulator/accesslog"
)

func at(i int) time.Time { return time.Date(2026, 1, 1, 0, 0, i, 0, time.UTC) }

func TestRing(t *testing.T) {
	var l accesslog.Log
	const n = accesslog.Capacity + 500
	for i := range n {
		status := 200
		if i%2 == 1 {
			status = 404 + i%3*48 // 404, 452 and 500
		}
		l.Add(accesslog.Entry{Time: at(i), Status: status, KeyID: "k"})
	}
	entries, matched, total := l.Newest(func(e *accesslog.Entry) bool { return e.Status == 200 }, 3, 2)
	if total != accesslog.Capacity || matched != accesslog.Capacity/2 || len(entries) != 2 || !entries[0].Time.Equal(at(n-2-6)) {
		t.Fatalf("total %d matched %d entries %v", total, matched, entries)
	}
	s, keys, oldest, newest := l.Stats()
	if s.Total != accesslog.Capacity || s.Success != accesslog.Capacity/2 || s.ClientErrors+s.ServerErrors != accesslog.Capacity/2 || keys != 1 {
		t.Fatalf("stats %+v, %d keys", s, keys)
	}
	if !oldest.Equal(at(500)) || !newest.Equal(at(n-1)) {
		t.Fatalf("from %v to %v", oldest, newest)
	}
	if cleared := l.Clear(); cleared != accesslog.Capacity {
		t.Fatalf("cleared %d", cleared)
	}
	if s, keys, oldest, _ := l.Stats(); s != (accesslog.Stats{}) || keys != 0 || !oldest.IsZero() {
		t.Fatalf("after clearing: %+v", s)
	}
}

func TestLongTextsAreCut(t *testing.T) {
	var l accesslog.Log
	l.Add(accesslog.Entry{Path: strings.Repeat("ä", 100_000), UserAgent: strings.Repeat("x", 100_000)})
	entries, _, _ := l.Newest(func(*accesslog.Entry) bool { return true }, 0, 1)
	if e := entries[0]; len(e.Path) > 1024 || len(e.UserAgent) > 256 {
		t.Fatalf("kept %d and %d bytes", len(e.Path), len(e.UserAgent))
	}
}
