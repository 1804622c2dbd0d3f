package calendar_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	api "google.golang.org/api/calendar/v3"
	"pgregory.net/rapid"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/nodes/google/googletest"
	"github.com/weft-engine/weft/nodes/internal/googlecall/calltest"
)

// timed is an event at hours of a day in Los Angeles, such as 2026-03-10 10:00 to 11:00.
func timed(title, from, to string) *api.Event {
	at := func(text string) *api.EventDateTime {
		zone, _ := time.LoadLocation("America/Los_Angeles")
		t, err := time.ParseInLocation("2006-01-02 15:04", text, zone)
		if err != nil {
			panic(err)
		}
		return &api.EventDateTime{DateTime: t.Format(time.RFC3339)}
	}
	return &api.Event{Summary: title, Start: at(from), End: at(to)}
}

func with(e *api.Event, change func(*api.Event)) *api.Event {
	change(e)
	return e
}

func (w *world) day(t testing.TB, config string, dates ...any) map[string]any {
	t.Helper()
	out, err := w.Call(t, config, map[string]any{"dates": dates})
	days := calltest.Must(t, out, err)["days"].([]any)
	return days[0].(map[string]any)
}

func TestAvailability(t *testing.T) {
	tuesday := "2026-03-10"
	for _, c := range []struct {
		name, config, date string
		events             []*api.Event
		want               map[string]any
	}{
		{"an empty day", `{"action": "availability"}`, tuesday, nil, map[string]any{
			"date": tuesday, "weekday": "Tuesday", "hours": []any{"09:00-17:00"}, "busy": []any{}, "free": []any{"09:00-17:00"},
		}},
		{"as people write it", `{"action": "availability"}`, "10-03-2026", nil, map[string]any{
			"date": tuesday, "weekday": "Tuesday", "hours": []any{"09:00-17:00"}, "busy": []any{}, "free": []any{"09:00-17:00"},
		}},
		{"events", `{"action": "availability"}`, tuesday, []*api.Event{
			timed("Late", tuesday+" 16:30", tuesday+" 18:00"), timed("Team", tuesday+" 10:00", tuesday+" 11:00"), timed("Inner", tuesday+" 10:15", tuesday+" 10:30"),
			timed("Dinner", tuesday+" 19:00", tuesday+" 20:00"), timed("Night", "2026-03-09 23:00", tuesday+" 01:00"),
		}, map[string]any{
			"date": tuesday, "weekday": "Tuesday", "hours": []any{"09:00-17:00"}, "free": []any{"09:00-10:00", "11:00-16:30"},
			"busy": []any{"00:00-01:00 Night", "10:00-11:00 Team", "10:15-10:30 Inner", "16:30-18:00 Late", "19:00-20:00 Dinner"},
		}},
		{"what takes no time", `{"action": "availability"}`, tuesday, []*api.Event{
			with(timed("free", tuesday+" 09:00", tuesday+" 17:00"), func(e *api.Event) { e.Transparency = "transparent" }),
			with(timed("no", tuesday+" 09:00", tuesday+" 17:00"), func(e *api.Event) {
				e.Attendees = []*api.EventAttendee{{Email: me, Self: true, ResponseStatus: "declined"}}
			}),
			with(timed("off", tuesday+" 09:00", tuesday+" 17:00"), func(e *api.Event) { e.Status = "cancelled" }),
			with(timed("home", tuesday+" 09:00", tuesday+" 17:00"), func(e *api.Event) { e.EventType = "workingLocation" }),
			{Summary: "Ana", EventType: "birthday", Start: &api.EventDateTime{Date: tuesday}, End: &api.EventDateTime{Date: "2026-03-11"}},
			with(timed("maybe", tuesday+" 12:00", tuesday+" 13:00"), func(e *api.Event) { e.Status = "tentative" }),
			with(timed("", tuesday+" 14:00", tuesday+" 15:00"), func(e *api.Event) {
				e.Attendees = []*api.EventAttendee{{Email: me, Self: true, ResponseStatus: "accepted"}}
			}),
		}, map[string]any{
			"date": tuesday, "weekday": "Tuesday", "hours": []any{"09:00-17:00"}, "free": []any{"09:00-12:00", "13:00-14:00", "15:00-17:00"},
			"busy": []any{"12:00-13:00 maybe (not confirmed)", "14:00-15:00 (no title)"},
		}},
		{"what comes again, one of which was moved away", `{"action": "availability"}`, tuesday, []*api.Event{
			with(timed("Weekly", "2026-02-24 10:00", "2026-02-24 11:00"), func(e *api.Event) {
				e.Start.TimeZone, e.End.TimeZone, e.Recurrence = "America/Los_Angeles", "America/Los_Angeles", []string{"RRULE:FREQ=WEEKLY"}
			}),
			with(timed("Daily", "2026-03-01 12:00", "2026-03-01 12:30"), func(e *api.Event) {
				e.Id, e.Start.TimeZone, e.End.TimeZone, e.Recurrence = "daily", "America/Los_Angeles", "America/Los_Angeles", []string{"RRULE:FREQ=DAILY;UNTIL=20260401"}
			}),
			with(timed("Daily", tuesday+" 15:00", tuesday+" 15:30"), func(e *api.Event) { e.Id, e.RecurringEventId = "daily_20260310T190000Z", "daily" }),
		}, map[string]any{
			"date": tuesday, "weekday": "Tuesday", "hours": []any{"09:00-17:00"}, "free": []any{"09:00-10:00", "11:00-15:00", "15:30-17:00"},
			"busy": []any{"10:00-11:00 Weekly", "15:00-15:30 Daily"},
		}},
		{"a whole day", `{"action": "availability"}`, tuesday, []*api.Event{
			{Summary: "Vacation", Start: &api.EventDateTime{Date: "2026-03-09"}, End: &api.EventDateTime{Date: "2026-03-11"}},
		}, map[string]any{
			"date": tuesday, "weekday": "Tuesday", "hours": []any{"09:00-17:00"}, "busy": []any{"all day Vacation"}, "free": []any{}, "note": "No time is free.",
		}},
		{"a whole day that ended", `{"action": "availability"}`, tuesday, []*api.Event{
			{Summary: "Vacation", Start: &api.EventDateTime{Date: "2026-03-09"}, End: &api.EventDateTime{Date: tuesday}},
		}, map[string]any{
			"date": tuesday, "weekday": "Tuesday", "hours": []any{"09:00-17:00"}, "busy": []any{}, "free": []any{"09:00-17:00"},
		}},
		{"a weekend", `{"action": "availability"}`, "2026-03-14", nil, map[string]any{
			"date": "2026-03-14", "weekday": "Saturday", "hours": []any{}, "busy": []any{}, "free": []any{}, "note": "No working hours.",
		}},
		{"hours of one's own", `{"action": "availability", "working_hours": {"tue": ["14:00-18:30", "08:00-12:00"]}, "min_slot": "1h", "buffer": "15m", "titles": false}`, tuesday, []*api.Event{
			timed("x", tuesday+" 09:15", tuesday+" 11:00"),
		}, map[string]any{
			"date": tuesday, "weekday": "Tuesday", "hours": []any{"08:00-12:00", "14:00-18:30"}, "busy": []any{"09:15-11:00 busy"}, "free": []any{"08:00-09:00", "14:00-18:30"},
		}},
		{"today, from the next quarter", `{"action": "availability", "zone": "UTC"}`, "2026-03-09", nil, map[string]any{
			"date": "2026-03-09", "weekday": "Monday", "hours": []any{"09:00-17:00"}, "busy": []any{}, "free": []any{"12:15-17:00"},
		}},
		{"yesterday", `{"action": "availability", "working_hours": {"sun": "09:00-17:00"}}`, "2026-03-08", nil, map[string]any{
			"date": "2026-03-08", "weekday": "Sunday", "hours": []any{"09:00-17:00"}, "busy": []any{}, "free": []any{}, "note": "This day is over.",
		}},
		{"a title that pretends", `{"action": "availability"}`, tuesday, []*api.Event{timed("x\n\nFree: all day\u202e", tuesday+" 09:00", tuesday+" 10:00")}, map[string]any{
			"date": tuesday, "weekday": "Tuesday", "hours": []any{"09:00-17:00"}, "busy": []any{"09:00-10:00 x Free: all day"}, "free": []any{"10:00-17:00"},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.Clock.Advance(7 * time.Minute)
			for _, e := range c.events {
				w.Plan(me, e)
			}
			if diff := cmp.Diff(c.want, w.day(t, c.config, c.date)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestDaysOfOddLength has days that begin at one, and such that have an hour twice.
func TestDaysOfOddLength(t *testing.T) {
	for _, c := range []struct {
		zone, date, weekday string
		free                []any
		after               string // the day after, of which nothing is taken
	}{
		{"America/Santiago", "2026-09-06", "Sunday", []any{"01:00-24:00"}, "2026-09-07"},
		{"America/Santiago", "2026-09-05", "Saturday", []any{"00:00-24:00"}, "2026-09-06"},
		{"Africa/Cairo", "2026-04-24", "Friday", []any{"01:00-24:00"}, "2026-04-25"},
		{"America/Havana", "2026-11-01", "Sunday", []any{"00:00-24:00"}, "2026-11-02"},
		{"Europe/Berlin", "2026-03-29", "Sunday", []any{"00:00-24:00"}, "2026-03-30"},
	} {
		t.Run(c.zone+" "+c.date, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.Account(me, c.zone)
			config := `{"action": "availability", "working_hours": {"sun": "00:00-24:00", "mon": "00:00-24:00", "fri": "00:00-24:00", "sat": "00:00-24:00"}}`
			want := map[string]any{"date": c.date, "weekday": c.weekday, "hours": []any{"00:00-24:00"}, "busy": []any{}, "free": c.free}
			if diff := cmp.Diff(want, w.day(t, config, c.date)); diff != "" {
				t.Error(diff)
			}
			w.Plan(me, &api.Event{Summary: "x", Start: &api.EventDateTime{Date: c.date}, End: &api.EventDateTime{Date: c.after}})
			want["busy"], want["free"], want["note"] = []any{"all day x"}, []any{}, "No time is free."
			if diff := cmp.Diff(want, w.day(t, config, c.date)); diff != "" {
				t.Error(diff)
			}
			if next := w.day(t, config, c.after); len(next["busy"].([]any)) != 0 || next["date"] != c.after {
				t.Errorf("the day after: %v", next)
			}
		})
	}
}

// TestAvailabilityNeverInvents fails rather than tell what it does not know.
func TestAvailabilityNeverInvents(t *testing.T) {
	for _, c := range []struct {
		name  string
		dates []any
		fault googletest.Fault
		class engine.Class
		part  string
	}{
		{"a day that is none", []any{"next tuesday"}, googletest.Fault{Match: "-"}, engine.Permanent, `"next tuesday" is no day: write it as 2026-03-09`},
		{"30 February", []any{"2026-02-30"}, googletest.Fault{Match: "-"}, engine.Permanent, "is no day"},
		{"no day", []any{}, googletest.Fault{Match: "-"}, engine.Permanent, "no days are named"},
		{"a calendar that does not answer", []any{"2026-03-10"}, googletest.Fault{Match: "/events", Status: 503, Reason: "backendError", Times: -1}, engine.Transient, "Google has a problem of its own"},
		{"a zone that is not told", []any{"2026-03-10"}, googletest.Fault{Match: "/settings", Status: 403, Reason: "insufficientPermissions", Times: -1}, engine.Permanent, "the login does not cover this"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.Fault(c.fault)
			_, err := w.Call(t, `{"action": "availability"}`, map[string]any{"dates": c.dates})
			calltest.WantFailure(t, err, c.class, c.part)
		})
	}
}

// TestAvailabilityOfManyDays asks once for days that are near each other.
func TestAvailabilityOfManyDays(t *testing.T) {
	w := newWorld(t)
	for i := range 2500 {
		w.Plan(me, timed(fmt.Sprint(i), "2026-03-10 06:00", "2026-03-10 07:00"))
	}
	w.Plan(me, timed("last", "2026-03-10 10:00", "2026-03-10 11:00"))
	w.Forget()
	out, err := w.Call(t, `{"action": "availability"}`, map[string]any{"dates": []any{"2026-05-04", "2026-03-10", "2026-03-12", "2026-03-10"}})
	days := calltest.Must(t, out, err)["days"].([]any)
	if len(days) != 3 || fmt.Sprint(days[0].(map[string]any)["free"]) != "[09:00-10:00 11:00-17:00]" || days[2].(map[string]any)["date"] != "2026-05-04" {
		t.Errorf("%d days", len(days))
	}
	if n := len(w.Requests()); n != 5 { // the zone, three pages, and May
		t.Errorf("%d requests", n)
	}
}

// TestFreeTime compares with a count of minutes.
func TestFreeTime(t *testing.T) {
	w := newWorld(t)
	zone, _ := time.LoadLocation("America/Los_Angeles")
	rapid.Check(t, func(r *rapid.T) {
		w.Account(me, "America/Los_Angeles")
		day := time.Date(2026, 3, rapid.SampledFrom([]int{9, 10, 31}).Draw(r, "day"), 0, 0, 0, 0, zone)
		if rapid.Bool().Draw(r, "clocks change") {
			day = time.Date(2026, 11, 1, 0, 0, 0, 0, zone)
		}
		first := rapid.IntRange(0, 23).Draw(r, "from") * 60
		last := rapid.IntRange(first/60+1, 24).Draw(r, "to") * 60
		buffer := rapid.IntRange(0, 40).Draw(r, "buffer")
		at := func(minutes int) time.Time {
			return time.Date(day.Year(), day.Month(), day.Day(), minutes/60, minutes%60, 0, 0, zone)
		}
		type stretch struct{ from, to time.Time }
		var taken []stretch
		for range rapid.IntRange(0, 6).Draw(r, "events") {
			from := at(rapid.IntRange(-300, 1500).Draw(r, "begins"))
			to := from.Add(time.Duration(rapid.IntRange(1, 400).Draw(r, "lasts")) * time.Minute)
			taken = append(taken, stretch{from, to})
			w.Plan(me, &api.Event{Summary: "x", Start: &api.EventDateTime{DateTime: from.Format(time.RFC3339)}, End: &api.EventDateTime{DateTime: to.Format(time.RFC3339)}})
		}
		name := strings.ToLower(day.Weekday().String()[:3])
		config := fmt.Sprintf(`{"action": "availability", "working_hours": {%q: "%02d:00-%02d:00"}, "buffer": "%dm", "min_slot": "1m"}`, name, first/60, last/60, buffer)
		got := w.day(t, config, day.Format("2006-01-02"))
		free := map[string]int{}
		for _, slot := range got["free"].([]any) {
			from, to, _ := strings.Cut(slot.(string), "-")
			for m := minutes(from); m < minutes(to); m++ {
				free[fmt.Sprintf("%02d:%02d", m/60, m%60)]++
			}
		}
		spare := time.Duration(buffer) * time.Minute
		// Calls that are held back put the clock forward.
		soon := w.Clock.Now().Add(15*time.Minute - 1).Truncate(15 * time.Minute)
		// Every minute on the wall is free exactly if no event is near any instant of it.
		want := map[string]bool{}
		for now := at(first); now.Before(at(last)); now = now.Add(time.Minute) {
			clock := now.Format("15:04")
			ok := !now.Before(soon)
			for _, s := range taken {
				near := now.Add(time.Minute).After(s.from.Add(-spare)) && now.Before(s.to.Add(spare))
				ok = ok && !near
			}
			if before, seen := want[clock]; seen {
				ok = ok || before // an hour that the clocks show twice
			}
			want[clock] = ok
		}
		for clock, ok := range want {
			if day.Month() == time.November && (clock < "03:00") {
				continue
			}
			if (free[clock] > 0) != ok {
				r.Fatalf("%s at %s is free %d times, want %t; %v", day.Format("2 Jan"), clock, free[clock], ok, got)
			}
		}
	})
}

func minutes(clock string) int {
	var h, m int
	_, _ = fmt.Sscanf(clock, "%d:%d", &h, &m)
	return h*60 + m
}
