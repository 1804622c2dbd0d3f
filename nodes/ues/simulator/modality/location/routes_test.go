package location_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-engine/weft/nodes/ues/simulator/modality/modalitytest"
)

// trip was in a, b, c and is in d, one hour each, at latitudes 2, 1, 3 and 2.
func trip(t *testing.T) *modalitytest.Bench {
	t.Helper()
	b := bench()
	for i, p := range []string{
		`"latitude":2,"longitude":10,"named_location":"a","address":"x","speed":1`, `"latitude":1,"longitude":30,"named_location":"b"`,
		`"latitude":3,"longitude":20,"named_location":"b"`, `"latitude":2,"longitude":40,"named_location":"a","altitude":7`,
	} {
		b.MustApply(t, fmt.Sprintf(`{"timestamp":"2025-01-15T0%d:00:00Z",%s}`, 5+i, p))
	}
	return b
}

// found is the answer of a query: the page's positions, of so many in all.
func found(page string, total int) string {
	known := map[string]string{
		"a": `{"timestamp":"2025-01-15T05:00:00+00:00","latitude":2.0,"longitude":10.0,"address":"x","named_location":"a","speed":1.0,"is_current":false}`,
		"b": `{"timestamp":"2025-01-15T06:00:00+00:00","latitude":1.0,"longitude":30.0,"named_location":"b","is_current":false}`,
		"c": `{"timestamp":"2025-01-15T07:00:00+00:00","latitude":3.0,"longitude":20.0,"named_location":"b","is_current":false}`,
		"d": `{"timestamp":"2025-01-15T08:00:00+00:00","latitude":2.0,"longitude":40.0,"named_location":"a","altitude":7.0,"is_current":true}`,
	}
	list := strings.Fields(page)
	n := len(list)
	for i, p := range list {
		list[i] = known[p]
	}
	return fmt.Sprintf(`{"locations":[%s],"count":%d,"total_count":%d}`, strings.Join(list, ","), n, total)
}

func TestQuery(t *testing.T) {
	t.Parallel()
	b := trip(t)
	for _, c := range []struct {
		query, page string
		total       int
	}{
		{``, "d c b a", 4},
		{`"sort_order":"asc"`, "a b c d", 4},
		{`"include_current":false`, "c b a", 3},
		{`"named_location":"a"`, "d a", 2},
		{`"named_location":"A"`, "", 0},
		{`"named_location":""`, "", 0},
		{`"since":"2025-01-15T07:00:00Z"`, "d c", 2},
		{`"since":"2025-01-15T07:00:00.000001Z"`, "d", 1},
		{`"until":"2025-01-15T07:00:00+00:00"`, "c b a", 3},
		{`"since":"2025-01-15T08:00:00+02:00","until":"2025-01-15T08:00:00+01:00"`, "c b", 2},
		{`"limit":2`, "d c", 4},
		{`"limit":2,"offset":3`, "a", 4},
		{`"offset":9`, "", 4},
		{`"sort_by":"latitude","sort_order":"asc"`, "b d a c", 4},
		{`"sort_by":"latitude"`, "c d a b", 4},
		{`"sort_by":"longitude","sort_order":"asc"`, "a c b d", 4},
		{`"sort_by":"longitude","sort_order":"desc","limit":1`, "d", 4},
		{`"sort_by":"bogus"`, "d c b a", 4},
		{`"named_location":"b","include_current":false,"sort_order":"asc","limit":1,"offset":1`, "c", 2},
		{`"limit":null,"since":null,"more":[]`, "d c b a", 4},
	} {
		b.Expect(t, "POST /location/query", "{"+c.query+"}", 200, found(c.page, c.total))
	}
	for _, bad := range []string{
		`{"limit":0}`, `{"offset":-1}`, `{"since":"x"}`, `{"until":[]}`, `{"named_location":1}`, `{"include_current":"maybe"}`, `{"sort_order":"up"}`,
	} {
		if status, text := b.Call(t, "POST", "/location/query", bad); status != 422 {
			t.Errorf("%s: %d %s", bad, status, text)
		}
	}
	naive := `{"since":"2025-01-15T07:00:00"}`
	b.Expect(t, "POST /location/query", naive, 500, `{"error":"Internal Server Error","detail":"An unexpected error occurred","type":"TypeError"}`)
	bench().Expect(t, "POST /location/query", naive, 200, found("", 0))
}

func TestUpdateRoute(t *testing.T) {
	t.Parallel()
	b := bench()
	b.Expect(t, "POST /location/update", `{"latitude":40.7128,"longitude":-74,"named_location":"Home","bearing":359.9,"timestamp":"1999-01-01T00:00:00Z"}`, 200,
		`{"event_id":"id-2","scheduled_time":"2025-01-15T09:00:00Z","status":"executed","message":"Location updated to (40.7128, -74.0)","modality":"location"}`)
	want := []string{`location.updated {"latitude":40.7128,"longitude":-74.0,"address":null,"named_location":"Home","altitude":null,"accuracy":null,"speed":null,"bearing":359.9}`}
	if diff := cmp.Diff(want, b.Notices); diff != "" {
		t.Errorf("notices (-want +got):\n%s", diff)
	}
	before := b.Dump()
	for _, c := range []struct{ body, want string }{
		{`{"latitude":91,"longitude":0}`, `{"detail":"Invalid location data: 1 validation error for LocationInput\nlatitude\n  Value error, Latitude must be between -90 and 90, got 91.0 ` +
			`[type=value_error, input_value=91.0, input_type=float]\n    For further information visit https://errors.pydantic.dev/2.10/v/value_error"}`},
		{`{"latitude":0,"longitude":0,"speed":-1}`, `{"detail":"Invalid location data: 1 validation error for LocationInput\nspeed\n  Value error, Speed must be non-negative, got -1.0 ` +
			`[type=value_error, input_value=-1.0, input_type=float]\n    For further information visit https://errors.pydantic.dev/2.10/v/value_error"}`},
		{`{"latitude":1}`, `{"error":"Validation Error","detail":[{"type":"missing","loc":["body","longitude"],"msg":"Field required","input":{"latitude":1}}]}`},
		{`{"latitude":"x","longitude":0}`, `{"error":"Validation Error","detail":[{"type":"float_parsing","loc":["body","latitude"],
			"msg":"Input should be a valid number, unable to parse string as a number","input":"x"}]}`},
	} {
		b.Expect(t, "POST /location/update", c.body, 422, c.want)
	}
	if b.Dump() != before || len(b.Notices) != 1 {
		t.Error("a refused update did something")
	}
}

func TestStates(t *testing.T) {
	t.Parallel()
	b := bench()
	nothing := `{"latitude":null,"longitude":null,"address":null,"named_location":null,"altitude":null,"accuracy":null,"speed":null,"bearing":null}`
	b.Expect(t, "GET /location/state", "", 200, `{"modality_type":"location","last_updated":"2025-01-15T09:00:00Z","update_count":0,"current":`+nothing+`,"history":[]}`)
	b.Expect(t, "GET /location/state?compact=true", "", 200,
		`{"modality_type":"location","last_updated":"2025-01-15T09:00:00+00:00","update_count":0,"current":{},"history_count":0}`)
	b.MustApply(t, `{"latitude":1,"longitude":2}`)
	b.MustApply(t, `{"timestamp":"2025-01-15T10:00:00Z","latitude":3,"longitude":4,"address":"A","accuracy":5}`)
	b.Expect(t, "GET /location/state?compact=0", "", 200, `{"modality_type":"location","last_updated":"2025-01-15T10:00:00Z","update_count":2,
		"current":{"latitude":3.0,"longitude":4.0,"address":"A","named_location":null,"altitude":null,"accuracy":5.0,"speed":null,"bearing":null},
		"history":[{"timestamp":"2025-01-15T09:00:00Z","latitude":1.0,"longitude":2.0,"address":null,"named_location":null,"altitude":null,"accuracy":null,"speed":null,"bearing":null}]}`)
	b.Expect(t, "GET /location/state?compact=1", "", 200, `{"modality_type":"location","last_updated":"2025-01-15T10:00:00+00:00","update_count":2,
		"current":{"latitude":3.0,"longitude":4.0,"address":"A","accuracy":5.0},"history_count":1}`)
	if status, text := b.Call(t, "GET", "/location/state?compact=maybe", ""); status != 422 {
		t.Errorf("compact=maybe: %d %s", status, text)
	}
	b.State = nil
	absent := `{"error":"Internal Server Error","detail":"An unexpected error occurred","type":"KeyError"}`
	b.Expect(t, "GET /location/state", "", 500, absent)
	b.Expect(t, "POST /location/query", "{}", 500, absent)
	b.Expect(t, "POST /location/update", `{"latitude":1,"longitude":2}`, 200, `{"event_id":"id-4","scheduled_time":"2025-01-15T09:00:00Z","status":"failed",
		"message":"Failed to update location: KeyError: no such modality","modality":"location"}`)
}

func TestSummaries(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ payload, want string }{
		{"", `{"summary":"Location not set","current":null}`},
		{`{"latitude":1.00005,"longitude":-74.006}`, `{"summary":"At 1.0001, -74.0060","current":{"latitude":1.00005,"longitude":-74.006}}`},
		{
			`{"latitude":1,"longitude":2,"address":"Street","named_location":"","accuracy":3,"speed":4,"altitude":5}`,
			`{"summary":"At Street","current":{"latitude":1.0,"longitude":2.0,"address":"Street","named_location":"","accuracy_meters":3.0,"speed_mps":4.0}}`,
		},
		{
			`{"latitude":1,"longitude":2,"address":"Street","named_location":"Home"}`,
			`{"summary":"At Home","current":{"latitude":1.0,"longitude":2.0,"address":"Street","named_location":"Home"}}`,
		},
	} {
		b := bench()
		if c.payload != "" {
			b.MustApply(t, c.payload)
		}
		if got := string(b.State.AppendCompact(nil, b.Moment())); got != c.want {
			t.Errorf("%s: %s", c.payload, got)
		}
	}
}
