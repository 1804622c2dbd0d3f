package ues_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/weft-engine/weft/nodes/ues"
	"github.com/weft-engine/weft/nodes/ues/uestest"
)

// counting keeps which endpoints were called.
type counting struct {
	inner http.RoundTripper
	seen  map[string]bool
}

func (c counting) RoundTrip(r *http.Request) (*http.Response, error) {
	c.seen[r.Method+" "+r.URL.Path] = true
	return c.inner.RoundTrip(r)
}

// Every call of the client is understood by the server of this repository, over
// loopback, and answers with what was done before.
func TestEveryCallAgainstTheSimulator(t *testing.T) {
	t.Parallel()
	server, _ := uestest.Start(t, true)
	seen := counting{http.DefaultTransport, map[string]bool{}}
	c, err := ues.New(ues.Options{URL: server.URL(), Key: server.Secret(), HTTP: &http.Client{Transport: seen}})
	if err != nil {
		t.Fatal(err)
	}
	for _, call := range []func(context.Context, *testing.T, *ues.Client) []error{
		callServer, callTime, callMail, callMessages, callCalendar, callOthers, callEvents, callKeys, callWebhooks, callScenario,
	} {
		for _, err := range call(t.Context(), t, c) {
			if err != nil {
				t.Error(err)
			}
		}
	}
	if len(seen.seen) < 85 { // those of a fresh world are not counted
		t.Errorf("only %d endpoints were called", len(seen.seen))
	}
}

// errs keeps the errors of calls whose results do not matter.
func errs(list ...error) []error { return list }

func second[T any](_ T, err error) error { return err }

func callServer(ctx context.Context, t *testing.T, c *ues.Client) []error {
	welcome, err := c.Welcome(ctx)
	if welcome.Version != "0.3.0" {
		t.Errorf("%+v", welcome)
	}
	return errs(err, c.Health(ctx), second(c.AccessLog().List(ctx, ues.AccessQuery{Limit: 5, Since: uestest.Begin})), second(c.AccessLog().Stats(ctx)), second(c.AccessLog().Clear(ctx)))
}

func callTime(ctx context.Context, t *testing.T, c *ues.Client) []error {
	out := errs(
		second(c.Time().Get(ctx)), second(c.Time().Advance(ctx, 1500*time.Millisecond)), second(c.Time().Pause(ctx)), second(c.Time().Resume(ctx)),
		second(c.Time().SetScale(ctx, 2)), second(c.Time().Set(ctx, uestest.Begin.Add(time.Minute))), second(c.Time().SkipToNext(ctx)),
	)
	now, err := c.Time().Get(ctx)
	if !now.CurrentTime.Equal(uestest.Begin.Add(time.Hour)) || now.TimeScale != 2 || now.Mode != "manual" {
		t.Errorf("%+v", now)
	}
	hold, heldErr := c.Simulation().Hold(ctx, ues.HoldRequest{Reason: new("thinking")})
	if _, err := c.Time().Advance(ctx, time.Second); ues.StatusOf(err) != 409 || !strings.Contains(err.Error(), "thinking") {
		t.Errorf("while held: %v", err)
	}
	holds, err2 := c.Simulation().Holds(ctx)
	if len(holds) != 1 || holds[0].HoldID != hold.HoldID {
		t.Errorf("%+v", holds)
	}
	out = append(out, err, heldErr, err2, c.Simulation().Release(ctx, hold.HoldID))
	undone, err := c.Simulation().Undo(ctx, 1)
	if undone.UndoneCount != 1 || !undone.CanRedo {
		t.Errorf("%+v", undone)
	}
	redone, err2 := c.Simulation().Redo(ctx, 1)
	status, err3 := c.Simulation().Status(ctx)
	if redone.RedoneCount != 1 || !status.IsRunning || status.ExecutedEvents != 1 || status.PendingEvents != 1 {
		t.Errorf("%+v %+v", redone, status)
	}
	return append(out, err, err2, err3)
}

func callMail(ctx context.Context, t *testing.T, c *ues.Client) []error {
	m := ues.NewEmail{
		FromAddress: "ann@company.com", ToAddresses: []string{"me@company.com"}, Subject: "Files", BodyText: "Here.", Priority: "high",
		Attachments: []ues.EmailAttachment{{Filename: "a.pdf", Size: 7, MIMEType: "application/pdf"}},
	}
	out := errs(second(c.Email().Receive(ctx, m)), second(c.Email().Send(ctx, m)))
	for _, mark := range []ues.EmailMark{
		{Verb: "read"},
		{Verb: "unread"},
		{Verb: "star"},
		{Verb: "unstar"},
		{Verb: "archive"},
		{Verb: "delete"},
		{Verb: "label", Labels: []string{"x"}},
		{Verb: "unlabel", Labels: []string{"x"}},
		{Verb: "move", Folder: "inbox"},
	} {
		mark.MessageIDs = []string{"m1"}
		out = append(out, second(c.Email().Mark(ctx, mark)))
	}
	page, err := c.Email().Query(ctx, ues.EmailQuery{HasAttachments: new(true), Limit: 1, SortBy: "date"})
	if page.TotalCount != 2 || page.ReturnedCount != 1 || page.Emails[0].Attachments[0].Filename != "a.pdf" {
		t.Errorf("%+v", page)
	}
	summary, err2 := c.Email().Summary(ctx)
	state, err3 := c.Email().State(ctx)
	if summary.Statistics.TotalEmails != 4 || state.TotalEmailCount != 4 || state.UserEmailAddress != "me@company.com" || state.Emails["m1"].Folder != "inbox" {
		t.Errorf("%+v", summary.Statistics)
	}
	return append(out, err, err2, err3)
}

func callMessages(ctx context.Context, t *testing.T, c *ues.Client) []error {
	out := errs(
		second(c.SMS().Receive(ctx, ues.NewSMS{FromNumber: "+15550100001", ToNumbers: []string{"+15550100000"}, Body: "Hello"})),
		second(c.SMS().Send(ctx, ues.NewSMS{FromNumber: "+15550100000", ToNumbers: []string{"+15550100001"}, Body: "Hi"})),
	)
	page, err := c.SMS().Query(ctx, ues.SMSQuery{Direction: "incoming"})
	if len(page.Messages) != 1 {
		t.Fatalf("%+v", page)
	}
	id := page.Messages[0].MessageID
	out = append(out, err, second(c.SMS().React(ctx, id, "+15550100000", "👍")), second(c.SMS().Mark(ctx, "read", []string{id})),
		second(c.SMS().Mark(ctx, "unread", []string{id})), second(c.SMS().Mark(ctx, "delete", []string{id})), second(c.SMS().Compact(ctx)),
		second(c.SMS().Conversation(ctx, ues.ConversationChange{ThreadID: page.Messages[0].ThreadID, Pin: new(true), DraftMessage: new("later")})))
	sms, err := c.SMS().State(ctx)
	if m := sms.Messages[id]; !m.IsDeleted || len(m.Reactions) != 1 || !sms.Conversations[m.ThreadID].IsPinned {
		t.Errorf("%+v", sms)
	}
	out = append(out, err, second(c.Chat().Send(ctx, ues.NewChatMessage{Role: "user", Content: []any{map[string]any{"type": "text", "text": "Hi"}}, Metadata: map[string]any{"a": 1}})))
	chat, err := c.Chat().Query(ctx, ues.ChatQuery{Role: "user"})
	if len(chat.Messages) != 1 || chat.Messages[0].Text() != "" {
		t.Fatalf("%+v", chat)
	}
	return append(out, err, second(c.Chat().Compact(ctx)), second(c.Chat().Delete(ctx, chat.Messages[0].MessageID)), second(c.Chat().Clear(ctx, "")), second(c.Chat().State(ctx)))
}

func callCalendar(ctx context.Context, t *testing.T, c *ues.Client) []error {
	start := ues.Ptr(uestest.Begin.Add(24 * time.Hour))
	made, err := c.Calendar().Create(ctx, ues.EventChange{
		Title: new("Lunch"), Start: start, End: ues.Ptr(start.Add(time.Hour)), Attendees: []ues.Attendee{{Email: "ann@company.com"}},
		Recurrence: &ues.Recurrence{Frequency: "daily", Interval: 1, EndType: "never"},
	})
	_, rest, _ := strings.Cut(made.Message, "calendar_event_id: ")
	id := strings.TrimSuffix(rest, ")")
	out := errs(err, second(c.Calendar().Update(ctx, ues.EventChange{EventID: id, Location: new("Track 3")})),
		second(c.Calendar().Respond(ctx, ues.RSVP{EventID: id, AttendeeEmail: "ann@company.com", Response: "accepted", Comment: new("Yes")})))
	page, err := c.Calendar().Query(ctx, ues.CalendarQuery{Search: "lunch", Start: start, End: ues.Ptr(start.Add(72 * time.Hour)), ExpandRecurring: true})
	if page.TotalCount < 3 || page.Events[0].Attendees[0].Response != "accepted" || *page.Events[0].Location != "Track 3" {
		t.Errorf("%+v", page)
	}
	work := ues.CalendarChange{CalendarID: "work", Name: new("Work")}
	out = append(out, err, second(c.Calendar().CreateCalendar(ctx, work)), second(c.Calendar().UpdateCalendar(ctx, ues.CalendarChange{CalendarID: "work", Color: new("#000000")})),
		second(c.Calendar().SetDefaultCalendar(ctx, "work")), second(c.Calendar().SetDefaultCalendar(ctx, "primary")))
	list, err := c.Calendar().Calendars(ctx)
	if list.Count != 2 || list.DefaultCalendarID != "primary" || list.Calendars[1].Color != "#000000" {
		t.Errorf("%+v", list)
	}
	out = append(out, err, second(c.Calendar().DeleteCalendar(ctx, "work")), second(c.Calendar().Compact(ctx)),
		second(c.Calendar().Delete(ctx, ues.EventChange{EventID: id, RecurrenceScope: "all"})))
	state, err := c.Calendar().State(ctx)
	if state.EventCount != 1 || state.Events["e1"].Title != "Review" {
		t.Errorf("%+v", state)
	}
	return append(out, err)
}

// callOthers needs a world with all modalities: a fresh server's.
func callOthers(ctx context.Context, t *testing.T, _ *ues.Client) []error {
	server, c := uestest.Start(t, false)
	fresh := ues.EnvironmentImport{Data: map[string]any{
		"time_state": map[string]any{"current_time": "2026-01-28T06:00:00Z", "time_scale": 1, "is_paused": false, "auto_advance": false, "last_wall_time_update": "2026-01-28T06:00:00Z"},
		"modality_states": map[string]any{
			"contacts": map[string]any{"modality_type": "contacts", "last_updated": "2026-01-28T06:00:00Z"}, "location": map[string]any{"modality_type": "location", "last_updated": "2026-01-28T06:00:00Z"},
			"weather": map[string]any{"modality_type": "weather", "last_updated": "2026-01-28T06:00:00Z"},
		},
	}, Historic: "delete"}
	server.Simulator().Stop()
	out := errs(second(c.Scenario().ImportEnvironment(ctx, fresh)))
	for _, who := range []string{"ann@company.com", "bob@company.com"} {
		out = append(out, second(c.Contacts().Create(ctx, ues.Contact{FirstName: &who, Identifiers: []ues.Identifier{{IdentifierType: "email", Value: who}}})))
	}
	page, err := c.Contacts().Query(ctx, ues.ContactsQuery{HasEmail: new(true)})
	if len(page.Contacts) != 2 || page.Contacts[0].ResolvedName != "ann@company.com" {
		t.Fatalf("%+v, %v, %v", page, err, out)
	}
	ann, bob := page.Contacts[0].ContactID, page.Contacts[1].ContactID
	out = append(out, err, second(c.Contacts().Update(ctx, ues.ContactChange{Contact: ues.Contact{ContactID: ann, Company: new("Weft")}, AddGroups: []string{"team"}})),
		second(c.Contacts().Group(ctx, bob, "team", true)), second(c.Contacts().Group(ctx, bob, "team", false)), second(c.Contacts().Merge(ctx, ann, bob)), second(c.Contacts().Compact(ctx)))
	for _, verb := range []string{"block", "unblock", "favorite", "unfavorite"} {
		out = append(out, second(c.Contacts().Mark(ctx, verb, ann)))
	}
	state, err := c.Contacts().State(ctx)
	if state.TotalCount != 1 || *state.Contacts[ann].Company != "Weft" || len(state.Contacts[ann].Identifiers) != 2 {
		t.Errorf("%+v", state)
	}
	out = append(out, err, second(c.Contacts().Mark(ctx, "delete", ann)))
	for lat := range 2 {
		out = append(out, second(c.Location().Update(ctx, ues.Place{Latitude: new(float64(lat)), Longitude: new(2.0), NamedPlace: new("Office")})))
	}
	where, err := c.Location().State(ctx)
	places, err2 := c.Location().Query(ctx, ues.LocationQuery{NamedLocation: "Office"})
	if *where.Current.Latitude != 1 || len(where.History) != 1 || places.TotalCount != 2 {
		t.Errorf("%+v %+v", where, places)
	}
	report := map[string]any{"lat": 1, "lon": 2, "timezone": "UTC", "timezone_offset": 0}
	out = append(out, err, err2, second(c.Weather().Update(ctx, 1, 2, report)))
	weather, err := c.Weather().Query(ctx, ues.WeatherQuery{Lat: 1, Lon: 2, Units: "metric"})
	sky, err2 := c.Weather().State(ctx)
	if weather.Count != 1 || sky.LocationCount != 1 || sky.Locations["1.00,2.00"].UpdateCount != 1 {
		t.Errorf("%+v %+v", weather, sky)
	}
	return append(out, err, err2)
}

func callEvents(ctx context.Context, t *testing.T, c *ues.Client) []error {
	n := ues.NewEvent{ScheduledTime: ues.At(uestest.Begin.Add(3 * time.Hour)), Modality: "chat", Data: map[string]any{"operation": "send_message", "role": "user", "content": "Hi"}, Priority: new(9)}
	e, err := c.Events().Create(ctx, n)
	now, err2 := c.Events().CreateNow(ctx, n.Modality, n.Data)
	batch, err3 := c.Events().CreateBatch(ctx, ues.Batch{Events: []ues.NewEvent{n, n}})
	next, err4 := c.Events().Next(ctx)
	one, err5 := c.Events().Get(ctx, e.EventID)
	if batch.TotalCreated != 2 || next.EventID != now.EventID || one.Priority != 9 || one.AgentID == nil {
		t.Errorf("%+v %+v %+v", batch, next, one)
	}
	list, err6 := c.Events().List(ctx, ues.EventQuery{Status: ues.Pending, Modality: "chat", Start: n.ScheduledTime.Time, Limit: 2, Offset: 1})
	summary, err7 := c.Events().Summary(ctx)
	if len(list.Events) != 2 || list.Total != 3 || summary.ByModality["chat"] < 4 {
		t.Errorf("%+v %+v", list, summary)
	}
	return errs(err, err2, err3, err4, err5, err6, err7, c.Events().Cancel(ctx, e.EventID))
}

func callKeys(ctx context.Context, t *testing.T, c *ues.Client) []error {
	key, err := c.Keys().Create(ctx, "Guest", []string{"time:read"})
	_, err2 := c.With(key.Secret).Time().Get(ctx)
	info, err3 := c.Keys().Get(ctx, key.KeyID)
	err4, err5 := c.Keys().Revoke(ctx, key.KeyID), c.Keys().Revoke(ctx, key.KeyID)
	list, err6 := c.Keys().List(ctx, true)
	if !info.IsActive || list.Total != 2 || list.Revoked != 1 {
		t.Errorf("%+v %+v", info, list)
	}
	return errs(err, err2, err3, err4, err5, err6)
}

func callWebhooks(ctx context.Context, t *testing.T, c *ues.Client) []error {
	hook, err := c.Webhooks().Create(ctx, ues.WebhookRequest{URL: new("http://127.0.0.1:1/"), Events: &[]string{"webhook."}, Secret: new("s"), Metadata: map[string]any{"a": "b"}})
	changed, err2 := c.Webhooks().Update(ctx, hook.ID, ues.WebhookRequest{URL: new("http://127.0.0.1:1/x")})
	page, err3 := c.Webhooks().List(ctx, "active", 10, 0)
	test, err4 := c.Webhooks().Test(ctx, hook.ID)
	if !hook.HasSecret || changed.URL != "http://127.0.0.1:1/x" || page.Total != 1 || test.Success {
		t.Errorf("%+v %+v %+v %+v", hook, changed, page, test)
	}
	return errs(err, err2, err3, err4, second(c.Webhooks().Get(ctx, hook.ID)), second(c.Webhooks().Pause(ctx, hook.ID)), second(c.Webhooks().Resume(ctx, hook.ID)),
		second(c.Webhooks().Deliveries(ctx, hook.ID, 5)), c.Webhooks().Delete(ctx, hook.ID))
}

func callScenario(ctx context.Context, t *testing.T, c *ues.Client) []error {
	world, err := c.Environment().State(ctx)
	short, err2 := c.Environment().Compact(ctx)
	report, err3 := c.Environment().Report(ctx)
	names, err4 := c.Environment().Modalities(ctx)
	valid, err5 := c.Environment().Validate(ctx)
	if len(world.Modalities) != 4 || len(short.Modalities) != 4 || !strings.Contains(report, "UES Environment Snapshot") || len(names) != 4 || !valid.Valid {
		t.Errorf("%d %d %q %v %+v", len(world.Modalities), len(short.Modalities), report, names, valid)
	}
	whole, err6 := c.Scenario().Export(ctx, "me", "A day & a night")
	events, err7 := c.Scenario().ExportEvents(ctx)
	out := errs(err, err2, err3, err4, err5, err6, err7, second(c.Scenario().ExportEnvironment(ctx)), second(c.Simulation().Stop(ctx)))
	loaded, err := c.Scenario().Import(ctx, whole, true)
	again, err2 := c.Scenario().ImportEvents(ctx, events.Events, true)
	if loaded.EventsLoaded != events.TotalEvents || again.EventsLoaded != events.TotalEvents {
		t.Errorf("%+v %+v, %d exported", loaded, again, events.TotalEvents)
	}
	out = append(out, err, err2, second(c.Simulation().Start(ctx, ues.StartRequest{})))
	reset, err := c.Simulation().Reset(ctx)
	cleared, err2 := c.Simulation().Clear(ctx, ues.ClearRequest{ResetTimeTo: ues.Ptr(uestest.Begin)})
	if reset.Status != "reset" || !cleared.TimeReset.Equal(uestest.Begin) {
		t.Errorf("%+v %+v", reset, cleared)
	}
	return append(out, err, err2)
}
