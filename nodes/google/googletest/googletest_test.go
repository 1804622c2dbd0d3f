package googletest_test

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/api/calendar/v3"
	"google.golang.org/api/gmail/v1"
	"google.golang.org/api/googleapi"
	"google.golang.org/api/option"

	"github.com/weft-engine/weft/nodes/google/googletest"
)

const (
	me  = "lance@company.com"
	ana = "ana@partner.example"
)

var start = time.Date(2026, 3, 9, 12, 0, 0, 0, time.UTC)

// world is a server with two users, and the client library as the first of them.
type world struct {
	*googletest.Server
	gmail    *gmail.Service
	calendar *calendar.Service
}

type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{Server: googletest.Start(t, func() time.Time { return start })}
	w.Account(me, "America/Los_Angeles")
	w.Account(ana, "Europe/Berlin")
	access, _, _ := w.Login(me, "gmail.modify", "calendar", "calendar.settings.readonly")
	client := option.WithHTTPClient(&http.Client{Transport: bearer(access)})
	var err error
	if w.gmail, err = gmail.NewService(t.Context(), client, option.WithEndpoint(w.URL)); err != nil {
		t.Fatal(err)
	}
	if w.calendar, err = calendar.NewService(t.Context(), client, option.WithEndpoint(w.URL+"/calendar/v3/")); err != nil {
		t.Fatal(err)
	}
	return w
}

// answers is a refusal as "404 notFound global", "" when there is none.
func answers(err error) string {
	api, ok := errors.AsType[*googleapi.Error](err)
	switch {
	case err == nil:
		return ""
	case !ok || len(api.Errors) == 0:
		return err.Error()
	}
	var body struct {
		Error struct {
			Errors []struct{ Domain string }
		}
	}
	_ = json.Unmarshal([]byte(api.Body), &body)
	return fmt.Sprint(api.Code, " ", api.Errors[0].Reason, " ", body.Error.Errors[0].Domain)
}

func raw(text string) string {
	return base64.URLEncoding.EncodeToString([]byte(strings.ReplaceAll(text, "\n", "\r\n")))
}

// TestRefusals asks for what Google refuses.
func TestRefusals(t *testing.T) {
	w := newWorld(t)
	id := w.Deliver(me, []byte("From: a@x.example\r\n\r\nhi"))
	at := func(text string) *calendar.EventDateTime { return &calendar.EventDateTime{DateTime: text} }
	meet := func(change func(e *calendar.Event)) error {
		e := &calendar.Event{Id: "meet0", Start: at("2026-03-10T10:00:00Z"), End: at("2026-03-10T11:00:00Z")}
		change(e)
		_, err := w.calendar.Events.Insert("primary", e).Do()
		return err
	}
	for _, c := range []struct {
		name string
		ask  func() error
		want string
	}{
		{"no mail", func() error { _, err := w.gmail.Users.Messages.Get("me", "18f").Do(); return err }, "404 notFound global"},
		{"no id", func() error { _, err := w.gmail.Users.Messages.Get("me", "NEW_EMAIL").Do(); return err }, "400 invalidArgument global"},
		{"somebody else", func() error { _, err := w.gmail.Users.GetProfile(ana).Do(); return err }, "403 forbidden global"},
		{"no recipient", func() error {
			_, err := w.gmail.Users.Messages.Send("me", &gmail.Message{Raw: raw("Subject: s\n\nhi")}).Do()
			return err
		}, "400 invalidArgument global"},
		{"no conversation", func() error {
			_, err := w.gmail.Users.Messages.Send("me", &gmail.Message{Raw: raw("To: a@x.example\n\nhi"), ThreadId: "18f"}).Do()
			return err
		}, "404 notFound global"},
		{"no change", func() error {
			_, err := w.gmail.Users.Messages.Modify("me", id, &gmail.ModifyMessageRequest{}).Do()
			return err
		}, "400 invalidArgument global"},
		{"no label", func() error {
			_, err := w.gmail.Users.Messages.Modify("me", id, &gmail.ModifyMessageRequest{AddLabelIds: []string{"Label_9"}}).Do()
			return err
		}, "400 invalidArgument global"},
		{"a label that is there", func() error {
			_, err := w.gmail.Users.Labels.Create("me", &gmail.Label{Name: "inbox"}).Do()
			return err
		}, "409 aborted global"},
		{"history of another mailbox", func() error { _, err := w.gmail.Users.History.List("me").StartHistoryId(1 << 40).Do(); return err }, "404 notFound global"},
		{"no event", func() error { _, err := w.calendar.Events.Get("primary", "none0").Do(); return err }, "404 notFound global"},
		{"an event", func() error { return meet(func(*calendar.Event) {}) }, ""},
		{"the same event", func() error { return meet(func(*calendar.Event) {}) }, "409 duplicate global"},
		{"an id that is none", func() error { return meet(func(e *calendar.Event) { e.Id = "Meet-0" }) }, "400 invalid global"},
		{"an end before the start", func() error {
			return meet(func(e *calendar.Event) { e.Id, e.End = "meet1", at("2026-03-10T10:00:00Z") })
		}, "400 timeRangeEmpty global"},
		{"no zone", func() error {
			return meet(func(e *calendar.Event) { e.Id, e.Start = "meet2", at("2026-03-10T10:00:00") })
		}, "400 required global"},
		{"no zone there is", func() error {
			return meet(func(e *calendar.Event) { e.Id, e.Start.TimeZone = "meet3", "Mars/Olympus" })
		}, "400 required global"},
		{"an empty stretch", func() error {
			_, err := w.calendar.Events.List("primary").TimeMin("2026-03-10T10:00:00Z").TimeMax("2026-03-10T10:00:00Z").Do()
			return err
		}, "400 timeRangeEmpty global"},
		{"no such mode", func() error { return w.calendar.Events.Delete("primary", "meet0").SendUpdates("some").Do() }, "400 invalidParameter global"},
		{"a deletion", func() error { return w.calendar.Events.Delete("primary", "meet0").Do() }, ""},
		{"what is deleted", func() error { return w.calendar.Events.Delete("primary", "meet0").Do() }, "410 deleted global"},
		{"an id that was deleted", func() error { return meet(func(*calendar.Event) {}) }, "409 duplicate global"},
		{"too fast", func() error {
			w.Fault(googletest.Fault{Match: "/profile", Status: 403, Reason: "userRateLimitExceeded"})
			_, err := w.gmail.Users.GetProfile("me").Do()
			return err
		}, "403 userRateLimitExceeded usageLimits"},
	} {
		if got := answers(c.ask()); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestMailArrives sends a mail from one user to another, who answers.
func TestMailArrives(t *testing.T) {
	w := newWorld(t)
	sent, err := w.gmail.Users.Messages.Send("me", &gmail.Message{Raw: raw("From: " + me + "\nTo: " + ana + "\nBcc: x@x.example,\n y@x.example\nSubject: Lunch?\n\nToday?\n")}).Do()
	if err != nil || sent.ThreadId != sent.Id || cmp.Diff([]string{"SENT"}, sent.LabelIds) != "" {
		t.Fatalf("%+v %v", sent, err)
	}
	got := w.Mails(ana, "INBOX", "UNREAD")
	if len(got) != 1 || got[0].Header("Bcc") != "" || got[0].Header("Message-ID") == "" || got[0].Text() != "Today?\n" {
		t.Fatalf("%+v", got)
	}
	if w.Mail(me, sent.Id).Header("Bcc") == "" {
		t.Error("the sender does not see whom it went to")
	}
	for _, c := range []struct {
		subject, refs string
		same          bool
	}{
		{"Re: Lunch?", "References: " + got[0].Header("Message-ID"), true},
		{"Dinner?", "References: " + got[0].Header("Message-ID"), false},
		{"Re: Lunch?", "X-None: 1", false},
	} {
		m, err := w.gmail.Users.Messages.Send("me", &gmail.Message{
			ThreadId: sent.ThreadId, Raw: raw("To: " + ana + "\nSubject: " + c.subject + "\n" + c.refs + "\n\nAgain\n"),
		}).Do()
		if err != nil || (m.ThreadId == sent.ThreadId) != c.same {
			t.Errorf("%s %s: %+v %v", c.subject, c.refs, m, err)
		}
	}
}

// TestRecurring looks at a weekly meeting over the day on which clocks change.
func TestRecurring(t *testing.T) {
	w := newWorld(t)
	zone := "Europe/Berlin"
	id := w.Plan(me, &calendar.Event{
		Id: "weekly", Summary: "Team", Recurrence: []string{"RRULE:FREQ=WEEKLY;BYDAY=TU,TH;COUNT=6", "EXDATE;TZID=Europe/Berlin:20260326T100000"},
		Start: &calendar.EventDateTime{DateTime: "2026-03-24T10:00:00", TimeZone: zone}, End: &calendar.EventDateTime{DateTime: "2026-03-24T10:30:00", TimeZone: zone},
	})
	list := func() []string {
		t.Helper()
		got, err := w.calendar.Events.List("primary").TimeMin("2026-03-20T00:00:00Z").TimeMax("2026-05-01T00:00:00Z").SingleEvents(true).OrderBy("startTime").Do()
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for _, e := range got.Items {
			out = append(out, e.Id+" "+e.Start.DateTime+" "+e.RecurringEventId)
		}
		return out
	}
	want := []string{
		"weekly_20260324T090000Z 2026-03-24T10:00:00+01:00 weekly", "weekly_20260331T080000Z 2026-03-31T10:00:00+02:00 weekly",
		"weekly_20260402T080000Z 2026-04-02T10:00:00+02:00 weekly", "weekly_20260407T080000Z 2026-04-07T10:00:00+02:00 weekly",
		"weekly_20260409T080000Z 2026-04-09T10:00:00+02:00 weekly",
	}
	if diff := cmp.Diff(want, list()); diff != "" {
		t.Error(diff)
	}
	if err := w.calendar.Events.Delete("primary", "weekly_20260331T080000Z").Do(); err != nil {
		t.Fatal(err)
	}
	moved := &calendar.Event{Start: &calendar.EventDateTime{DateTime: "2026-04-03T08:00:00Z"}, End: &calendar.EventDateTime{DateTime: "2026-04-03T09:00:00Z"}}
	if _, err := w.calendar.Events.Patch("primary", "weekly_20260402T080000Z", moved).Do(); err != nil {
		t.Fatal(err)
	}
	want = []string{want[0], "weekly_20260402T080000Z 2026-04-03T08:00:00Z weekly", want[3], want[4]}
	if diff := cmp.Diff(want, list()); diff != "" {
		t.Error(diff)
	}
	if err := w.calendar.Events.Delete("primary", id).Do(); err != nil {
		t.Fatal(err)
	}
	if got := list(); len(got) != 0 {
		t.Errorf("%v", got)
	}
}

// TestNotices: Google writes to guests only when the query says so.
func TestNotices(t *testing.T) {
	w := newWorld(t)
	for i, mode := range []string{"", "none", "externalOnly", "all"} {
		e := &calendar.Event{
			Id: fmt.Sprint("meet", i), Start: &calendar.EventDateTime{Date: "2026-03-10"}, End: &calendar.EventDateTime{Date: "2026-03-11"},
			Attendees: []*calendar.EventAttendee{{Email: me}, {Email: ana}, {Email: "x@x.example"}},
		}
		call := w.calendar.Events.Insert("primary", e)
		if mode != "" {
			call = call.SendUpdates(mode)
		}
		made, err := call.Do()
		if err != nil || !made.Attendees[0].Self || made.Attendees[1].Self {
			t.Errorf("%+v %v", made, err)
		}
	}
	want := []googletest.Notice{{Event: "meet2", To: "x@x.example", What: "invite"}, {Event: "meet3", To: ana, What: "invite"}, {Event: "meet3", To: "x@x.example", What: "invite"}}
	if diff := cmp.Diff(want, w.Notices(me)); diff != "" {
		t.Error(diff)
	}
}

// TestLastingLogins: a refresh token comes with the first consent, or when it is asked
// for again, and only for offline access.
func TestLastingLogins(t *testing.T) {
	for _, c := range []struct {
		name, query string
		before      bool
		want        bool
	}{
		{"first", "access_type=offline", false, true},
		{"online", "prompt=consent", false, false},
		{"again", "access_type=offline", true, false},
		{"again, with consent", "access_type=offline&prompt=consent", true, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := googletest.Start(t, func() time.Time { return start })
			w.Account(me, "UTC")
			if c.before {
				w.Login(me, "gmail.modify")
			}
			stay := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
			ask := url.Values{"client_id": {googletest.ClientID}, "response_type": {"code"}, "redirect_uri": {"http://127.0.0.1:1/x"}, "scope": {"a"}}
			res, err := stay.Get(w.URL + "/o/oauth2/auth?" + ask.Encode() + "&" + c.query)
			if err != nil {
				t.Fatal(err)
			}
			_ = res.Body.Close()
			back, err := res.Location()
			if err != nil {
				t.Fatal(err)
			}
			res, err = http.PostForm(w.URL+"/token", url.Values{
				"grant_type": {"authorization_code"}, "code": {back.Query().Get("code")}, "redirect_uri": {"http://127.0.0.1:1/x"},
				"client_id": {googletest.ClientID}, "client_secret": {googletest.ClientSecret},
			})
			if err != nil {
				t.Fatal(err)
			}
			body, _ := io.ReadAll(res.Body)
			_ = res.Body.Close()
			if got := strings.Contains(string(body), "refresh_token"); got != c.want || res.StatusCode != http.StatusOK {
				t.Errorf("%d %s", res.StatusCode, body)
			}
		})
	}
}
