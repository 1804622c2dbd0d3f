package calendar_test

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	api "google.golang.org/api/calendar/v3"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/build"
	"github.com/weft-engine/weft/nodes/google/googletest"
	"github.com/weft-engine/weft/nodes/internal/googlecall/calltest"
)

// meeting is the arguments of a meeting with Ana.
func meeting() map[string]any {
	return map[string]any{
		"title": "Integration", "attendees": []any{"ana@partner.example", "Bo <bo@company.com>", me}, "start": "2026-03-10T14:00:00", "end": "2026-03-10T14:45:00",
		"timezone": "Europe/Berlin", "description": "How we go on.",
	}
}

func changed(args map[string]any, more map[string]any) map[string]any {
	maps.Copy(args, more)
	return args
}

func TestSchedule(t *testing.T) {
	w := newWorld(t)
	out, err := w.Call(t, `{"action": "schedule"}`, meeting())
	got := calltest.Must(t, out, err)
	events := w.Events(me)
	if len(events) != 1 {
		t.Fatalf("%d events", len(events))
	}
	e := events[0]
	want := map[string]any{
		"status": "scheduled", "id": e.Id, "title": "Integration", "attendees": []any{"ana@partner.example", "bo@company.com"}, "link": e.HtmlLink,
		"start": "2026-03-10T14:00:00+01:00", "end": "2026-03-10T14:45:00+01:00",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if e.Start.TimeZone != "Europe/Berlin" || e.Description != "How we go on." || e.Reminders == nil || !e.Reminders.UseDefault {
		t.Errorf("%+v", e)
	}
	notices := []googletest.Notice{{Event: e.Id, To: "ana@partner.example", What: "invite"}, {Event: e.Id, To: "bo@company.com", What: "invite"}}
	if diff := cmp.Diff(notices, w.Notices(me)); diff != "" {
		t.Error(diff)
	}
}

// TestLongTitle plans a meeting under the title that was agreed to, or not at all.
func TestLongTitle(t *testing.T) {
	w := newWorld(t)
	args := meeting()
	args["title"] = strings.Repeat("Quarterly ", 50)
	out, err := w.Call(t, `{"action": "schedule"}`, args)
	if got := calltest.Must(t, out, err)["title"]; got != strings.TrimSpace(args["title"].(string)) {
		t.Errorf("title %q", got)
	}
	args["title"] = strings.Repeat("Quarterly ", 110)
	_, err = w.Keyed(t.Context(), t, `{"action": "schedule"}`, "another", args)
	calltest.WantFailure(t, err, engine.Permanent, "the title is longer than 1024 letters")
}

func TestScheduleRefuses(t *testing.T) {
	for _, c := range []struct {
		name, config string
		more         map[string]any
		part         string
	}{
		{"no zone", "", map[string]any{"timezone": "Berlin"}, `"Berlin" is no time zone`},
		{"a zone that is a path", "", map[string]any{"timezone": "../../etc/passwd"}, "is no time zone"},
		{"the machine's zone", "", map[string]any{"timezone": "Local"}, "is no time zone"},
		{"no time", "", map[string]any{"start": "tomorrow"}, `start: "tomorrow" is no local time: write it as 2026-03-09T14:00:00`},
		{"an offset", "", map[string]any{"start": "2026-03-10T14:00:00Z"}, "is no local time"},
		{"an hour that does not exist", "", map[string]any{"start": "2026-03-29T02:30:00", "end": "2026-03-29T04:00:00"}, "2026-03-29T02:30:00 does not exist in Europe/Berlin"},
		{"an end before the start", "", map[string]any{"end": "2026-03-10T13:00:00"}, "is not after its start"},
		{"a year", "", map[string]any{"end": "2027-03-10T13:00:00"}, "takes more than 31 days"},
		{"the past", "", map[string]any{"start": "2026-03-08T14:00:00", "end": "2026-03-08T15:00:00"}, "would be over already"},
		{"nobody's address", "", map[string]any{"attendees": []any{"Ana"}}, "is no mail address"},
		{"who is not allowed", `, "recipients": ["@company.com"]`, nil, "invitations may not go to ana@partner.example"},
		{"no title", "", map[string]any{"title": ""}, "the argument title is missing"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			_, err := w.Call(t, `{"action": "schedule"`+c.config+`}`, changed(meeting(), c.more))
			calltest.WantFailure(t, err, engine.Permanent, c.part)
			if n := len(w.Events(me)) + len(w.Notices(me)); n != 0 {
				t.Errorf("%d events and invitations", n)
			}
		})
	}
}

// change is an action that must happen once, and what is to be seen when it has.
type change struct {
	config, match string
	args          func(w *world) map[string]any
	notices       int
	done          func(w *world) bool
}

var changes = map[string]change{
	"schedule": {
		`{"action": "schedule"}`, "POST /calendar/v3/calendars/primary/events", func(*world) map[string]any { return meeting() }, 2,
		func(w *world) bool { return len(w.Events(me)) == 1 },
	},
	"reschedule": {
		`{"action": "reschedule"}`, "PATCH ", func(w *world) map[string]any {
			w.Plan(me, planned())
			return map[string]any{"id": "meeting1", "start": "2026-03-11T14:00:00", "end": "2026-03-11T15:00:00", "timezone": "Europe/Berlin"}
		}, 1, func(w *world) bool { return w.Events(me)[0].Start.DateTime == "2026-03-11T14:00:00+01:00" },
	},
	"cancel": {
		`{"action": "cancel"}`, "DELETE ", func(w *world) map[string]any {
			w.Plan(me, planned())
			return map[string]any{"id": "meeting1"}
		}, 1, func(w *world) bool { return len(w.Events(me)) == 0 },
	},
}

func planned() *api.Event {
	return &api.Event{
		Id: "meeting1", Summary: "x", Start: &api.EventDateTime{DateTime: "2026-03-10T14:00:00+01:00"}, End: &api.EventDateTime{DateTime: "2026-03-10T15:00:00+01:00"},
		Attendees: []*api.EventAttendee{{Email: "ana@partner.example"}},
	}
}

// settle is what a new process does with a call in doubt.
func settle(t *testing.T, w *world, b build.Backend, args map[string]any, want bool) {
	t.Helper()
	o, _, err := calltest.Op(b, args)
	if err != nil {
		t.Fatal(err)
	}
	p := o.(*engine.Perform)
	_, found, err := p.Handler.(engine.Looker).Lookup(t.Context(), calltest.TheCall(p, "thread/run/1"))
	if err != nil || found != want {
		t.Fatalf("found %t, want %t: %v", found, want, err)
	}
	if !found {
		if _, err := p.Handler.Handle(t.Context(), calltest.TheCall(p, "thread/run/1")); err != nil {
			t.Fatal(err)
		}
	}
}

// TestOnce changes a calendar under every kind of trouble: it happens once, and people
// are told once.
func TestOnce(t *testing.T) {
	for name, c := range changes {
		for _, trouble := range []struct {
			name  string
			fault googletest.Fault
			class engine.Class
			done  bool
		}{
			{"no trouble", googletest.Fault{Match: "-"}, "", true},
			{"asked to slow down", googletest.Fault{Status: 403, Reason: "rateLimitExceeded", Times: 2}, "", true},
			{"the answer is lost", googletest.Fault{Lost: true}, "", true},
			{"the request is lost", googletest.Fault{Cut: true}, "", true},
			{"a server that is ill", googletest.Fault{Status: 503, Reason: "backendError"}, "", true},
			{"slow down for ever", googletest.Fault{Status: 429, Reason: "rateLimitExceeded", Times: -1}, engine.Transient, false},
			{"not allowed", googletest.Fault{Status: 403, Reason: "forbiddenForNonOrganizer", Times: -1}, engine.Permanent, false},
		} {
			t.Run(name+", "+trouble.name, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t)
				args := c.args(w)
				if trouble.fault.Match == "" {
					trouble.fault.Match = c.match
				}
				w.Fault(trouble.fault)
				_, err := w.Call(t, c.config, args)
				if trouble.class == "" && err != nil {
					t.Fatal(err)
				}
				if trouble.class != "" {
					calltest.WantFailure(t, err, trouble.class, "the meeting")
				}
				w.Heal()
				if c.done(w) != trouble.done {
					t.Errorf("done: %t", c.done(w))
				}
				w.Restart()
				settle(t, w, w.Tool(t, c.config), args, trouble.done)
				if n := len(w.Notices(me)); !c.done(w) || n != c.notices {
					t.Errorf("done: %t, people were told %d times, want %d", c.done(w), n, c.notices)
				}
			})
		}
	}
}

// TestKilled ends a process at each request of a call, before and after Google has seen
// it, and has another one go on.
func TestKilled(t *testing.T) {
	runs := 0
	for name, c := range changes {
		for _, after := range []bool{false, true} {
			for point := range 12 {
				for _, match := range []string{"", "GET ", strings.Fields(c.match)[0] + " "} {
					runs++
					w := newWorld(t)
					args := c.args(w)
					ctx, kill := context.WithCancel(t.Context())
					w.Accounts.HTTP = &calltest.Killer{Match: match, Point: point, After: after, Kill: kill}
					_, err := w.Keyed(ctx, t, c.config, "thread/run/1", args)
					kill()
					done := c.done(w)
					if err == nil && !done {
						t.Fatalf("%s, point %d: it is said to be done", name, point)
					}
					w.Restart()
					settle(t, w, w.Tool(t, c.config), args, done)
					if n := len(w.Notices(me)); !c.done(w) || n != c.notices {
						t.Fatalf("%s, point %d: done %t, people were told %d times", name, point, c.done(w), n)
					}
				}
			}
		}
	}
	t.Logf("%d runs", runs)
}

func TestChangesOfNothing(t *testing.T) {
	w := newWorld(t)
	for config, args := range map[string]map[string]any{
		`{"action": "cancel"}`:     {"id": "nothing"},
		`{"action": "reschedule"}`: {"id": "nothing", "start": "2026-03-11T14:00:00", "end": "2026-03-11T15:00:00", "timezone": "UTC"},
	} {
		_, err := w.Call(t, config, args)
		calltest.WantFailure(t, err, engine.Permanent, "there is no meeting nothing in this calendar")
		args["id"] = "../../users/me/settings"
		_, err = w.Call(t, config, args)
		calltest.WantFailure(t, err, engine.Permanent, "is no id of a meeting")
	}
	// An all-day event gets hours.
	w.Plan(me, &api.Event{Id: "allday", Summary: "x", Start: &api.EventDateTime{Date: "2026-03-10"}, End: &api.EventDateTime{Date: "2026-03-11"}})
	out, err := w.Call(t, `{"action": "reschedule"}`, map[string]any{"id": "allday", "start": "2026-03-11T14:00:00", "end": "2026-03-11T15:00:00", "timezone": "UTC"})
	if got := calltest.Must(t, out, err); got["start"] != "2026-03-11T14:00:00Z" {
		t.Errorf("%v", got)
	}
}

func TestReview(t *testing.T) {
	mail := map[string]any{"from": "Ana <ana@partner.example>", "to": me}
	for _, c := range []struct {
		name, config string
		more         map[string]any
		make         func(w *world)
		want         map[string]any // of the fields that are named
	}{
		{"a meeting that fits", `{"action": "review"}`, map[string]any{"timezone": "America/Los_Angeles", "attendees": []any{"ana@partner.example"}}, nil, map[string]any{
			"title": "Integration", "day": "Tuesday, 10 March 2026", "start": "14:00", "end": "14:45", "end_day": "", "timezone": "America/Los_Angeles", "offset": "UTC-07:00",
			"own_time": "", "duration": "45 minutes", "attendees": []any{"ana@partner.example"}, "conflicts": []any{}, "flags": []any{}, "problem": "",
		}},
		{"a conflict", `{"action": "review"}`, map[string]any{"timezone": "America/Los_Angeles", "attendees": []any{}}, func(w *world) {
			w.Plan(me, timed("Dentist", "2026-03-10 14:30", "2026-03-10 15:30"))
		}, map[string]any{
			"conflicts": []any{"14:30-15:30 Dentist"},
			"flags":     []any{flagged("conflict", "14:30-15:30 Dentist", "There is something else at that time: 14:30-15:30 Dentist.")},
		}},
		{"another zone, at night", `{"action": "review"}`, map[string]any{"attendees": []any{}}, nil, map[string]any{
			"own_time": "Tuesday, 10 March, 06:00 to 06:45 (America/Los_Angeles)", "offset": "UTC+01:00",
			"flags": []any{flagged("outside_hours", "", "It is outside of the working hours.")},
		}},
		{"a stranger", `{"action": "review", "recipients": ["@partner.example"]}`, map[string]any{"timezone": "America/Los_Angeles", "attendees": []any{"eve@evil.example"}}, nil, map[string]any{
			"flags": []any{
				flagged("not_allowed", "eve@evil.example", "Invitations may not go to eve@evil.example: the spec does not list it under recipients. It will be refused."),
				flagged("new_domain", "eve@evil.example", "eve@evil.example was not in this conversation, and nobody of evil.example was."),
			},
		}},
		{"a calendar that does not answer", `{"action": "review", "zone": "America/Los_Angeles"}`, map[string]any{"timezone": "America/Los_Angeles", "attendees": []any{}}, func(w *world) {
			w.Fault(googletest.Fault{Match: "/events", Status: 503, Reason: "backendError", Times: -1})
		}, map[string]any{
			"day": "Tuesday, 10 March 2026", "flags": []any{flagged("not_checked", "", "The calendar was not seen: Google has a problem of its own (503).")},
		}},
		{"without looking", `{"action": "review", "conflicts": false}`, map[string]any{"attendees": []any{}}, func(w *world) {
			w.Fault(googletest.Fault{Status: 500, Times: -1})
		}, map[string]any{"day": "Tuesday, 10 March 2026", "flags": []any{}, "duration": "45 minutes"}},
		{"what cannot be", `{"action": "review"}`, map[string]any{"end": "2026-03-10T13:00:00"}, nil, map[string]any{
			"problem": "The meeting ends at 2026-03-10T13:00:00, which is not after its start at 2026-03-10T14:00:00.", "title": "Integration", "flags": []any{},
		}},
		{"over midnight", `{"action": "review", "conflicts": false}`, map[string]any{"start": "2026-03-10T23:00:00", "end": "2026-03-11T01:30:00", "attendees": []any{}}, nil, map[string]any{
			"day": "Tuesday, 10 March 2026", "end_day": "Wednesday, 11 March 2026", "duration": "2:30 hours",
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			if c.make != nil {
				c.make(w)
			}
			args := changed(meeting(), c.more)
			args["email"] = mail
			out, err := w.Call(t, c.config, args)
			got := calltest.Must(t, out, err)
			for name, want := range c.want {
				if diff := cmp.Diff(want, got[name]); diff != "" {
					t.Errorf("%s: %s", name, diff)
				}
			}
			if n := len(w.Events(me)); n > 1 {
				t.Errorf("%d events", n)
			}
		})
	}
}

func flagged(kind, value, text string) map[string]any {
	return map[string]any{"kind": kind, "value": value, "text": text}
}

func TestFindings(t *testing.T) {
	for config, part := range map[string]string{
		`{"action": "availability", "working_hours": {"mon": "9 to 5"}}`:                       `"9 to 5" is no range of a day`,
		`{"action": "availability", "working_hours": {"mon": "17:00-09:00"}}`:                  "ends before it begins",
		`{"action": "availability", "working_hours": {"mon": ["09:00-12:00", "11:00-13:00"]}}`: "overlap",
		`{"action": "availability", "zone": "Mars/Base"}`:                                      "is no time zone",
		`{"action": "cancel", "zone": "UTC"}`:                                                  "the action cancel does not go by zone",
		`{"action": "schedule", "recipients": ["company"]}`:                                    "is neither an address nor a domain",
		`{"action": "schedule", "endpoint": "http://10.0.0.1"}`:                                "is not an address on this machine",
	} {
		b, list := newWorld(t).Build(t, config, calltest.Open(t))
		if b.Backend != nil || list.Len() != 1 || !strings.Contains(list.Sorted()[0].Message, part) {
			t.Errorf("%s: %v", config, list.Sorted())
		}
	}
	_, list := newWorld(t).Build(t, `{"action": "cancel"}`, nil)
	if fmt.Sprint(list.Sorted()[0].Message) != `the action cancel needs the argument id, which tool "x" does not have` {
		t.Errorf("%v", list.Sorted())
	}
}
