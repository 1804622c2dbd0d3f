package ues_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-engine/weft/nodes/ues"
)

// line is one recorded exchange, as testdata/ues/README.md describes it.
type line struct {
	Method       string          `json:"method"`
	PathTemplate string          `json:"path_template"`
	Query        map[string]any  `json:"query"`
	Status       int             `json:"status"`
	Response     json.RawMessage `json:"response"`
}

const recordings = "../../testdata/ues/transcripts"

// lines reads all recordings.
func lines(t testing.TB) []line {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(recordings, "*.jsonl"))
	if err != nil || len(names) == 0 {
		t.Fatal("no recordings", err)
	}
	var out []line
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		s := bufio.NewScanner(bytes.NewReader(data))
		s.Buffer(nil, 4<<20)
		for s.Scan() {
			var l line
			if err := json.Unmarshal(s.Bytes(), &l); err != nil {
				t.Fatal(name, err)
			}
			out = append(out, l)
		}
		if s.Err() != nil {
			t.Fatal(name, s.Err())
		}
	}
	return out
}

// wrapped answers hold what the client gives in a field.
type (
	health struct {
		Status string `json:"status"`
	}
	cancelled struct {
		Cancelled bool   `json:"cancelled"`
		EventID   string `json:"event_id"`
	}
	revoked struct {
		KeyID     string   `json:"key_id"`
		Name      string   `json:"name"`
		RevokedAt ues.Time `json:"revoked_at"`
		Message   string   `json:"message"`
	}
	clearedLog struct {
		Cleared int    `json:"cleared_count"`
		Message string `json:"message"`
	}
)

// shapes are the typed answers by method and path; acts are all ues.Action.
var shapes = map[string]any{
	"GET /": ues.Welcome{}, "GET /health": health{},
	"GET /simulator/time": ues.Clock{}, "POST /simulator/time/advance": ues.Advanced{}, "POST /simulator/time/set": ues.Jumped{},
	"POST /simulator/time/skip-to-next": ues.NextEvent{}, "POST /simulator/time/set-scale": ues.Clock{},
	"POST /simulator/time/pause": ues.Paused{}, "POST /simulator/time/resume": ues.Paused{},
	"POST /simulation/start": ues.Started{}, "POST /simulation/stop": ues.Stopped{}, "GET /simulation/status": ues.SimulationStatus{},
	"POST /simulation/reset": ues.Reset{}, "POST /simulation/clear": ues.Cleared{}, "POST /simulation/undo": ues.Undone{},
	"GET /events": ues.EventList{}, "POST /events": ues.Event{}, "POST /events/immediate": ues.Event{}, "POST /events/batch": ues.BatchResult{},
	"GET /events/next": ues.Event{}, "GET /events/summary": ues.QueueSummary{}, "GET /events/ID": ues.Event{}, "DELETE /events/ID": cancelled{},
	"POST /keys": ues.NewKey{}, "GET /keys": ues.KeyList{}, "GET /keys/ID": ues.Key{}, "DELETE /keys/ID": revoked{},
	"GET /access-logs": ues.AccessPage{}, "GET /access-logs/stats": ues.AccessStats{}, "POST /access-logs/clear": clearedLog{},
	"GET /email/state": ues.EmailState{}, "POST /email/query": ues.EmailPage{},
	"GET /calendar/state": ues.CalendarState{}, "POST /calendar/query": ues.CalendarPage{},
	"GET /location/state": ues.LocationState{}, "POST /location/query": ues.LocationPage{},
}

func shape(l line) any {
	path := l.PathTemplate
	if i := strings.Index(path, "${"); i >= 0 {
		path = path[:i] + "ID"
	}
	if s, ok := shapes[l.Method+" "+path]; ok {
		return s
	}
	if verb := strings.Split(path, "/"); l.Method == "POST" && len(verb) == 3 {
		return ues.Action{}
	}
	return nil
}

// Every answer that was recorded is read whole: no field is unknown to the client, and
// written again it says the same.
func TestRecordedAnswersRoundTrip(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, l := range lines(t) {
		if l.Status > 299 || l.Query["summary"] != nil || l.Query["compact"] != nil {
			continue
		}
		what := l.Method + " " + l.PathTemplate
		s := shape(l)
		if s == nil {
			t.Errorf("%s: no type for it", what)
			continue
		}
		seen[what] = true
		v := reflect.New(reflect.TypeOf(s))
		dec := json.NewDecoder(bytes.NewReader(l.Response))
		dec.DisallowUnknownFields()
		if err := dec.Decode(v.Interface()); err != nil {
			t.Errorf("%s: %v in %.200s", what, err, l.Response)
			continue
		}
		again, err := json.Marshal(v.Interface())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(loose(t, l.Response), loose(t, again)); diff != "" {
			t.Errorf("%s (-recorded +ours):\n%s", what, diff)
		}
	}
	if len(seen) < 50 {
		t.Errorf("only %d kinds of answers were recorded", len(seen))
	}
}

// loose decodes JSON and drops what says nothing: null, "", 0, false, [] and {}. Instants
// are compared as such.
func loose(t testing.TB, data []byte) any {
	t.Helper()
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	return dropped(v)
}

func dropped(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for key, item := range v {
			if item = dropped(item); item != nil {
				out[key] = item
			}
		}
		if len(out) == 0 {
			return nil
		}
		return out
	case []any:
		var out []any
		for _, item := range v {
			out = append(out, dropped(item))
		}
		if len(out) == 0 {
			return nil
		}
		return out
	case string:
		if at, err := ues.ParseTime(v); err == nil {
			return at.UTC().Format("2006-01-02T15:04:05.000000")
		}
		if v == "" {
			return nil
		}
	case float64:
		if v == 0 {
			return nil
		}
	case bool:
		if !v {
			return nil
		}
	}
	return v
}

// What was refused is told with its status and a reason, whatever form the reason has.
func TestRecordedErrorsAreTold(t *testing.T) {
	t.Parallel()
	n := 0
	for _, l := range lines(t) {
		if l.Status < 400 {
			continue
		}
		n++
		err := refusal(t, l.Status, string(l.Response))
		if err.Status != l.Status || err.Detail == "" || strings.HasPrefix(err.Detail, "{") || strings.HasPrefix(err.Detail, "[") {
			t.Errorf("%d %s: told as %d %q", l.Status, l.Response, err.Status, err.Detail)
		}
		if list := bytes.Contains(l.Response, []byte(`"loc"`)); list != (len(err.Fields) > 0) {
			t.Errorf("%s: fields %v", l.Response, err.Fields)
		}
	}
	if n < 100 {
		t.Errorf("only %d errors were recorded", n)
	}
}
