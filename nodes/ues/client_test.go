package ues_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/weft-engine/weft/nodes/ues"
)

const secret = "0123456789abcdef0123456789abcdef"

// client serves h and calls it.
func client(t testing.TB, h http.HandlerFunc) *ues.Client {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	c, err := ues.New(ues.Options{URL: s.URL + "/", Key: secret, HTTP: s.Client(), MaxBytes: 100_000})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// refusal is the error of an answer.
func refusal(t testing.TB, status int, body string) *ues.Error {
	t.Helper()
	c := client(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	})
	_, err := c.Time().Get(t.Context())
	var refused *ues.Error
	if !errors.As(err, &refused) {
		t.Fatalf("%d %s: %v", status, body, err)
	}
	return refused
}

func TestErrorsHaveADetail(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ body, want string }{
		{`{"detail":"Not Found"}`, "Not Found"},
		{`{"error":"Validation Error","detail":[{"type":"missing","loc":["body","a",0],"msg":"Field required"},{"loc":["body"],"msg":"no"}]}`, "body.a.0: Field required; body: no"},
		{`{"detail":{"message":"Time advancement blocked by 1 active hold(s)","active_holds":[]}}`, "Time advancement blocked by 1 active hold(s)"},
		{`{"detail":{"detail":"Batch validation failed at index 3","failed_index":3}}`, "Batch validation failed at index 3"},
		{`{"error":"Internal Server Error"}`, "Internal Server Error"},
		{`{"detail":7}`, "Conflict"},
		{`<html>`, "Conflict"},
		{``, "Conflict"},
		{`{"detail":"` + strings.Repeat("x", 3000) + `"}`, strings.Repeat("x", 2000) + "…"},
	} {
		err := refusal(t, 409, c.body)
		if err.Detail != c.want || err.Error() != "GET /simulator/time: status 409: "+c.want {
			t.Errorf("%.80s: %q", c.body, err.Error())
		}
	}
}

func TestRequestsAreWhatTheContractSays(t *testing.T) {
	t.Parallel()
	var got string
	c := client(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got = fmt.Sprintf("%s %s key=%s type=%s %s", r.Method, r.RequestURI, r.Header.Get("X-API-Key"), r.Header.Get("Content-Type"), strings.TrimSpace(string(body)))
		_, _ = io.WriteString(w, `{"status":"executed"}`)
	})
	at := time.Date(2026, 1, 28, 6, 0, 0, 0, time.FixedZone("", 3600))
	yes := true
	ctx := t.Context()
	for want, call := range map[string]func() error{
		"POST /simulation/clear key=" + secret + " type= ": func() error {
			_, err := c.Simulation().Clear(ctx, ues.ClearRequest{})
			return err
		},
		"POST /simulator/time/advance key=" + secret + ` type=application/json {"seconds":3599.5}`: func() error {
			_, err := c.Time().Advance(ctx, 3599500*time.Millisecond)
			return err
		},
		"GET /events?end_time=2026-01-28T06%3A00%3A01%2B01%3A00&start_time=2026-01-28T06%3A00%3A00%2B01%3A00&status=executed key=" + secret + " type= ": func() error {
			_, err := c.Events().List(ctx, ues.EventQuery{Status: ues.Executed, Start: at, End: at.Add(time.Second)})
			return err
		},
		"POST /email/query key=" + secret + ` type=application/json {"is_read":true,"received_after":"2026-01-28T06:00:00+01:00","sort_order":"asc"}`: func() error {
			_, err := c.Email().Query(ctx, ues.EmailQuery{IsRead: &yes, ReceivedAfter: ues.Ptr(at), SortOrder: "asc"})
			return err
		},
		"POST /chat/send key=" + secret + ` type=application/json {"role":"user","content":"a < b","conversation_id":"user-assistant"}`: func() error {
			_, err := c.Chat().Send(ctx, ues.NewChatMessage{Role: "user", Content: "a < b", ConversationID: "user-assistant"})
			return err
		},
		"DELETE /keys/a%2Fb%3F key=" + secret + " type= ": func() error { return c.Keys().Revoke(ctx, "a/b?") },
		"POST /email/star key=" + secret + ` type=application/json {"message_ids":["m"]}`: func() error {
			_, err := c.Email().Mark(ctx, ues.EmailMark{Verb: "star", MessageIDs: []string{"m"}})
			return err
		},
	} {
		if err := call(); err != nil {
			t.Error(err)
		}
		if got != want {
			t.Errorf("sent %s\nwant %s", got, want)
		}
	}
}

func TestAFailedActIsAnError(t *testing.T) {
	t.Parallel()
	c := client(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"event_id":"e","status":"failed","message":"Failed to respond to event: ValueError: Event x not found"}`)
	})
	a, err := c.Calendar().Respond(t.Context(), ues.RSVP{EventID: "x"})
	var failed *ues.ActionError
	if !errors.As(err, &failed) || failed.Action.EventID != "e" || a.EventID != "e" || !strings.Contains(err.Error(), "Event x not found") {
		t.Fatalf("%+v, %v", a, err)
	}
}

func TestRevokingWhatIsGoneIsNoError(t *testing.T) {
	t.Parallel()
	for status, fails := range map[int]bool{200: false, 204: false, 404: false, 409: false, 400: true, 403: true, 500: true} {
		c := client(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) })
		if err := c.Keys().Revoke(t.Context(), "k"); (err != nil) != fails {
			t.Errorf("status %d: %v", status, err)
		}
	}
}

func TestTheKeyGoesNowhereElse(t *testing.T) {
	t.Parallel()
	var other atomic.Int32
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { other.Add(1) }))
	t.Cleanup(elsewhere.Close)
	c := client(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
	})
	_, err := c.Time().Get(t.Context())
	if ues.StatusOf(err) != 307 || other.Load() != 0 {
		t.Errorf("%v, %d requests elsewhere", err, other.Load())
	}
	for _, text := range []string{fmt.Sprint(c), fmt.Sprintf("%+v %#v", c, c), fmt.Sprintf("%v %#v", ues.NewKey{Secret: secret}, ues.NewKey{Secret: secret})} {
		if strings.Contains(text, secret) {
			t.Errorf("the secret is printed: %s", text)
		}
	}
}

func TestAnswersAreBounded(t *testing.T) {
	t.Parallel()
	c := client(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(make([]byte, 100_001)) })
	_, err := c.Environment().Report(t.Context())
	var answer *ues.AnswerError
	if !errors.As(err, &answer) || !strings.Contains(err.Error(), "larger than 100000 bytes") {
		t.Errorf("%v", err)
	}
	c = client(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"current_time":"soon"}`) })
	if _, err = c.Time().Get(t.Context()); !errors.As(err, &answer) {
		t.Errorf("%v", err)
	}
}

func TestLostCallsSayWhetherTheyLeft(t *testing.T) {
	t.Parallel()
	var lost *ues.LostError
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	c, err := ues.New(ues.Options{URL: gone.URL})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Health(t.Context()); !errors.As(err, &lost) || lost.Left {
		t.Errorf("nobody there: %+v", err)
	}
	arrived := make(chan struct{})
	ctx, cancel := context.WithCancel(t.Context())
	silent := client(t, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		close(arrived)
		<-r.Context().Done()
	})
	go func() { <-arrived; cancel() }()
	if _, err := silent.Time().Advance(ctx, time.Hour); !errors.As(err, &lost) || !lost.Left || !errors.Is(err, context.Canceled) {
		t.Errorf("no answer: %+v", err)
	}
	slow, err := ues.New(ues.Options{URL: silent.URL(), Timeout: time.Nanosecond})
	if err != nil {
		t.Fatal(err)
	}
	if err := slow.Health(t.Context()); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a deadline: %v", err)
	}
}

func TestAddresses(t *testing.T) {
	t.Parallel()
	for url, ok := range map[string]bool{
		"http://127.0.0.1:8000": true, "https://ues.example/base/": true, "": false, "127.0.0.1:8000": false, "ftp://a": false,
		"http://": false, "http://u:p@h": false, "http://h/?a=b": false, "http://h#x": false, "http://[::1": false,
	} {
		if _, err := ues.New(ues.Options{URL: url}); (err == nil) != ok {
			t.Errorf("%q: %v", url, err)
		}
	}
	if _, err := ues.New(ues.Options{URL: "http://h", Key: "a\nb"}); err == nil {
		t.Error("a key of two lines is taken")
	}
}

func TestTimesAreReadAsTheyAreWritten(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		micros := rapid.Int64Range(-6e16, 2e17).Draw(t, "micros")
		zone := time.FixedZone("", 60*rapid.IntRange(-14*60, 14*60).Draw(t, "minutes east"))
		want := time.UnixMicro(micros).In(zone)
		if want.Year() < 1 || want.Year() > 9999 {
			t.Skip()
		}
		got, err := ues.ParseTime(ues.At(want).String())
		if err != nil || !got.Equal(want) || got.Naive {
			t.Fatalf("%v is read as %v, %v", want, got, err)
		}
	})
}

func TestTimesOfEveryForm(t *testing.T) {
	t.Parallel()
	want := time.Date(2026, 1, 28, 6, 0, 0, 0, time.UTC)
	for text, naive := range map[string]bool{
		"2026-01-28T06:00:00Z": false, "2026-01-28T06:00:00+00:00": false, "2026-01-28T01:00:00.000000-05:00": false, "2026-01-28T06:00:00": true,
	} {
		got, err := ues.ParseTime(text)
		if err != nil || !got.Equal(want) || got.Naive != naive {
			t.Errorf("%s: %v %v %v", text, got.Time, got.Naive, err)
		}
	}
	var c ues.Clock
	if err := c.CurrentTime.UnmarshalJSON([]byte("7")); err == nil {
		t.Error("7 is an instant")
	}
	data, err := ues.Time{}.MarshalJSON()
	if diff := cmp.Diff("null", string(data)); diff != "" || err != nil {
		t.Error(diff, err)
	}
}

func FuzzParseTime(f *testing.F) {
	for _, s := range []string{"2026-01-28T06:00:00Z", "2026-01-28T06:00:00.123456+01:00", "2026-01-28T06:00:00", "x", ""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		at, err := ues.ParseTime(text)
		if err != nil || at.Year() > 9999 {
			return
		}
		again, err := ues.ParseTime(at.String())
		if err != nil || !again.Equal(at.Truncate(time.Microsecond)) {
			t.Fatalf("%q: %v, then %v %v", text, at, again, err)
		}
	})
}

func FuzzErrorBody(f *testing.F) {
	for _, s := range []string{`{"detail":"x"}`, `{"detail":[{"loc":["body",1],"msg":"m"}]}`, `{"detail":{"message":"m"}}`, `[`, `{"detail":[null,{"loc":null}]}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, body string) {
		if err := refusal(t, 422, body); err.Detail == "" {
			t.Fatalf("%q: no detail", body)
		}
	})
}
