package act_test

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/nodes/ues"
	"github.com/weft-engine/weft/nodes/ues/act"
	"github.com/weft-engine/weft/nodes/ues/uestest"
)

type data = map[string]any

func do(t *testing.T, c *ues.Client, name string, args data) (data, error) {
	t.Helper()
	v, err := act.Named(name).Do(t.Context(), c, args, "call")
	out, _ := v.(data)
	return out, err
}

func must(t *testing.T, c *ues.Client, name string, args data) data {
	t.Helper()
	out, err := do(t, c, name, args)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return out
}

// sent is the mail that a user sent last.
func sent(t *testing.T, c *ues.Client) ues.Email {
	t.Helper()
	page, err := c.Email().Query(t.Context(), ues.EmailQuery{Folder: "sent"})
	if err != nil || len(page.Emails) == 0 {
		t.Fatal("no mail was sent", err)
	}
	return page.Emails[len(page.Emails)-1]
}

func TestMailIsCompleted(t *testing.T) {
	t.Parallel()
	_, admin := uestest.Start(t, false)
	c, _ := uestest.User(t, admin)
	for _, k := range []struct {
		name, action string
		args         data
		want         ues.Email
	}{
		{
			"a new one", "email.send",
			data{"to_addresses": []any{"Ann Lee <ann@company.com>"}, "subject": "Hello", "body_text": "Hi.", "in_reply_to": nil},
			ues.Email{ToAddresses: []string{"ann@company.com"}, Subject: "Hello", References: []string{}},
		},
		{
			"an answer by its id", "email.send",
			data{"to_addresses": "ann@company.com", "subject": "Re: Lunch?", "body_text": "Yes.", "in_reply_to": "m1"},
			ues.Email{ToAddresses: []string{"ann@company.com"}, Subject: "Re: Lunch?", References: []string{"m0", "m1"}, ThreadID: "t1"},
		},
		{
			"an answer", "email.reply",
			data{"message_id": "m1", "body_text": "Yes."},
			ues.Email{ToAddresses: []string{"ann@company.com"}, Subject: "Re: Lunch?", References: []string{"m0", "m1"}, ThreadID: "t1"},
		},
		{
			"an answer to all", "email.reply",
			data{"message_id": "m1", "body_text": "Yes.", "all": true, "subject": "Noon"},
			ues.Email{ToAddresses: []string{"ann@company.com"}, CCAddresses: []string{"bob@company.com", "cy@company.com"}, Subject: "Noon", References: []string{"m0", "m1"}, ThreadID: "t1"},
		},
	} {
		must(t, c, k.action, k.args)
		got := sent(t, c)
		if got.FromAddress != "me@company.com" {
			t.Errorf("%s: sent by %s", k.name, got.FromAddress)
		}
		if k.want.CCAddresses == nil {
			k.want.CCAddresses = []string{}
		}
		if k.want.ThreadID == "" {
			k.want.ThreadID = "thread-" + got.MessageID
		}
		have := ues.Email{ToAddresses: got.ToAddresses, CCAddresses: got.CCAddresses, Subject: got.Subject, References: got.References, ThreadID: got.ThreadID}
		if diff := cmp.Diff(k.want, have); diff != "" {
			t.Errorf("%s (-want +got):\n%s", k.name, diff)
		}
	}
	for _, name := range []string{"email.send", "email.reply"} {
		_, err := do(t, c, name, data{"to_addresses": "a@b.io", "subject": "x", "body_text": "x", "in_reply_to": "m9", "message_id": "m9"})
		if err == nil || !strings.Contains(err.Error(), `there is no mail "m9"`) {
			t.Errorf("%s: an answer to nothing: %v", name, err)
		}
	}
}

func TestActionsDoWhatTheySay(t *testing.T) {
	t.Parallel()
	_, admin := uestest.Start(t, false)
	c, _ := uestest.User(t, admin)
	ctx := t.Context()
	must(t, c, "email.mark_read", data{"message_id": "m1"})
	must(t, c, "email.label", data{"message_ids": "m1", "labels": "food"})
	must(t, c, "email.star", data{"message_ids": []any{"m1"}})
	must(t, c, "email.move", data{"message_ids": []any{"m1"}, "folder": "friends"})
	box, err := c.Email().State(ctx)
	if m := box.Emails["m1"]; err != nil || !m.IsRead || !m.IsStarred || m.Folder != "friends" || !slices.Equal(m.Labels, []string{"food"}) {
		t.Errorf("%+v, %v", m, err)
	}
	if got := must(t, c, "email.get", data{"message_id": "m1"}); got["subject"] != "Lunch?" {
		t.Errorf("got %v", got)
	}
	must(t, c, "sms.send", data{"to_numbers": "(555) 010-0001", "body": "On my way."})
	must(t, admin, "sms.receive", data{"from_number": "5550100001", "to_numbers": []any{"+15550100000"}, "body": "Good."})
	if got := must(t, c, "sms.query", data{"from_number": "+15550100001"}); got["total_count"] != 1 {
		t.Errorf("got %v", got)
	}
	must(t, c, "chat.send", data{"content": "Done."})
	chat, err := c.Chat().State(ctx)
	if err != nil || len(chat.Messages) != 1 || chat.Messages[0].Role != "assistant" || chat.Messages[0].ConversationID != "user-assistant" {
		t.Errorf("%+v, %v", chat, err)
	}
	made := must(t, c, "calendar.create", data{
		"title": "Lunch", "start": uestest.Begin.Add(6 * time.Hour), "end": "2026-01-28T13:00:00Z", "attendees": []any{"Ann Lee <Ann@company.com>", "bob@company.com"},
	})
	calendar, err := c.Calendar().State(ctx)
	id, _ := made["id"].(string)
	e := calendar.Events[id]
	if err != nil || e.Title != "Lunch" || e.Organizer == nil || *e.Organizer != "me@company.com" || len(e.Attendees) != 2 || e.Attendees[0].Email != "ann@company.com" || *e.Attendees[0].DisplayName != "Ann Lee" {
		t.Errorf("%s: %+v, %v", id, e, err)
	}
	must(t, c, "calendar.respond", data{"event_id": "e1", "response": "declined"})
	if calendar, err = c.Calendar().State(ctx); err != nil || calendar.Events["e1"].Attendees[0].Response != "declined" {
		t.Errorf("%+v, %v", calendar.Events["e1"], err)
	}
	if got := must(t, admin, "events.query", data{"modality": "chat", "limit": 5}); got["total"] != 1 {
		t.Errorf("got %v", got)
	}
	if got := must(t, c, "time.get", nil); got["current_time"] != "2026-01-28T06:00:00Z" {
		t.Errorf("got %v", got)
	}
}

func TestAgendaIsInTheUsersTime(t *testing.T) {
	t.Parallel()
	_, c := uestest.Start(t, false)
	must(t, c, "calendar.create", data{"title": "Night train", "start": "2026-01-29T22:00:00-05:00", "end": "2026-01-30T06:30:00-05:00", "location": "Track 3"})
	got := must(t, c, "calendar.agenda", data{"dates": []any{"2026-01-29", "2026-01-30", "2026-01-31"}})
	days, _ := got["days"].([]any)
	for _, day := range days {
		for _, e := range day.(data)["events"].([]any) {
			delete(e.(data), "id")
		}
	}
	want := data{"timezone": "America/New_York", "days": []any{
		data{"date": "2026-01-29", "weekday": "Thursday", "events": []any{
			data{"title": "Review", "start": "14:00", "end": "15:00", "all_day": false, "status": "confirmed", "attendees": []any{"me@company.com"}},
			data{"title": "Night train", "start": "22:00", "end": "24:00", "all_day": false, "status": "confirmed", "location": "Track 3"},
		}},
		data{"date": "2026-01-30", "weekday": "Friday", "events": []any{
			data{"title": "Night train", "start": "00:00", "end": "06:30", "all_day": false, "status": "confirmed", "location": "Track 3"},
		}},
		data{"date": "2026-01-31", "weekday": "Saturday", "events": []any{}},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for _, args := range []data{{}, {"dates": []any{"tomorrow"}}, {"dates": []any{"2026-01-29"}, "timezone": "Mars/Olympus"}, {"dates": make([]any, 400)}} {
		if _, err := do(t, c, "calendar.agenda", args); err == nil {
			t.Errorf("%v has an agenda", args)
		}
	}
}

// What was done is found again, and what was not is not: by its content and who did it.
func TestFind(t *testing.T) {
	t.Parallel()
	for name, args := range map[string]data{
		"email.send":      {"to_addresses": []any{"Ann <ann@company.com>"}, "cc_addresses": []any{}, "subject": "Hi", "body_text": "Hi.", "in_reply_to": "m1"},
		"email.reply":     {"message_id": "m1", "body_text": "Hi.", "all": true},
		"email.mark_read": {"message_ids": []any{"m1"}},
		"sms.send":        {"to_numbers": []any{"555-010-0001"}, "body": "Hi"},
		"sms.react":       {"message_id": "sms", "emoji": "👍"},
		"chat.send":       {"content": "Hi", "metadata": data{"mood": "good"}},
		"calendar.create": {"title": "Lunch", "start": "2026-01-28T12:00:00+01:00", "end": "2026-01-28T13:00:00+01:00", "attendees": []any{"Ann@company.com"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, admin := uestest.Start(t, false)
			user, id := uestest.User(t, admin)
			if name == "sms.react" {
				must(t, admin, "sms.receive", data{"from_number": "+15550100001", "to_numbers": []any{"+15550100000"}, "body": "Hello"})
				state, err := admin.SMS().State(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				for message := range state.Messages {
					args["message_id"] = message
				}
			}
			find := func(agent, key string, args data) bool {
				v, found, err := act.Named(name).Find(t.Context(), admin, []string{agent}, args, key)
				if err != nil {
					t.Fatal(err)
				}
				if got, _ := v.(data); found && (got["event_id"] == "" || name == "calendar.create" && got["id"] == nil) {
					t.Errorf("found %v", v)
				}
				return found
			}
			if find(id, "call", args) {
				t.Error("found before it was done")
			}
			if _, err := act.Named(name).Do(t.Context(), user, args, "call"); err != nil {
				t.Fatal(err)
			}
			if !find(id, "call", args) {
				t.Error("not found")
			}
			if find("ues_somebody", "call", args) {
				t.Error("found as somebody else's")
			}
			if name == "chat.send" && find(id, "other", args) {
				t.Error("found for another call")
			}
			for field := range args {
				if text, ok := args[field].(string); ok && field != "message_id" && field != "in_reply_to" {
					other := maps.Clone(args)
					if other[field] = text + "!"; !strings.HasPrefix(text, "2026") && find(id, "call", other) {
						t.Errorf("found with another %s", field)
					}
				}
			}
		})
	}
}

func TestFindNeedsTheEvents(t *testing.T) {
	t.Parallel()
	_, admin := uestest.Start(t, false)
	user, _ := uestest.User(t, admin)
	if _, _, err := act.Named("chat.send").Find(t.Context(), user, nil, data{"content": "x"}, "k"); ues.StatusOf(err) != http.StatusForbidden {
		t.Errorf("%v", err)
	}
	if _, _, err := act.Named("email.query").Find(t.Context(), admin, nil, nil, "k"); err == nil {
		t.Error("a look was found")
	}
}

func TestScheduled(t *testing.T) {
	t.Parallel()
	_, c := uestest.Start(t, false)
	n := ues.NewEvent{ScheduledTime: ues.At(uestest.Begin.Add(time.Hour)), Modality: "chat", Data: data{"operation": "send_message", "role": "user", "content": "Hi"}}
	if e, err := act.Scheduled(t.Context(), c, n); e != nil || err != nil {
		t.Fatal(e, err)
	}
	made, err := c.Events().Create(t.Context(), n)
	if err != nil {
		t.Fatal(err)
	}
	if e, err := act.Scheduled(t.Context(), c, n); err != nil || e == nil || e.EventID != made.EventID {
		t.Fatal(e, err)
	}
	if err := c.Events().Cancel(t.Context(), made.EventID); err != nil {
		t.Fatal(err)
	}
	if e, err := act.Scheduled(t.Context(), c, n); e != nil || err != nil {
		t.Error("a cancelled event counts", err)
	}
}

// A user's key can do every action that tools are for, and none of those that belong to
// the environment.
func TestWhatAUserMayDo(t *testing.T) {
	t.Parallel()
	_, admin := uestest.Start(t, false)
	user, _ := uestest.User(t, admin)
	var refused []string
	for _, name := range act.Names() {
		_, err := act.Named(name).Do(t.Context(), user, data{"message_id": "m1"}, "")
		if ues.StatusOf(err) == http.StatusForbidden {
			refused = append(refused, name)
		}
	}
	want := []string{"contacts.create", "contacts.query", "email.receive", "events.query", "location.query", "location.update", "sms.receive", "weather.query"}
	if diff := cmp.Diff(want, refused); diff != "" {
		t.Error(diff)
	}
}

func TestFailuresAreClassed(t *testing.T) {
	t.Parallel()
	stopped, stop := context.WithCancel(t.Context())
	stop()
	for _, c := range []struct {
		err  error
		want engine.Class
	}{
		{&ues.LostError{Left: true, Err: errors.New("reset")}, engine.Uncertain},
		{&ues.LostError{Err: errors.New("refused")}, engine.Transient},
		{&ues.AnswerError{Err: errors.New("html")}, engine.Uncertain},
		{&ues.Error{Status: 500}, engine.Permanent},
		{&ues.Error{Status: 401}, engine.Permanent},
		{&ues.Error{Status: 409}, engine.Transient},
		{&ues.Error{Status: 503}, engine.Uncertain},
		{&ues.ActionError{}, engine.Permanent},
		{&engine.Failure{Class: engine.Limit}, engine.Limit},
	} {
		var f *engine.Failure
		if err := act.Failure(t.Context(), c.err); !errors.As(err, &f) || f.Class != c.want {
			t.Errorf("%#v: %v", c.err, err)
		}
	}
	if err := act.Failure(stopped, &ues.LostError{Left: true}); !errors.Is(err, context.Canceled) {
		t.Errorf("a stop: %v", err)
	}
	if act.Failure(t.Context(), nil) != nil {
		t.Error("nothing failed")
	}
}

func TestAnswersThatAreNoJSON(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("{")) }))
	t.Cleanup(s.Close)
	c, err := ues.New(ues.Options{URL: s.URL})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range act.Names() {
		if _, err := act.Named(name).Do(t.Context(), c, data{"dates": []any{"2026-01-01"}}, ""); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
