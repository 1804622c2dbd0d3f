package google_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/api/gmail/v1"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/nodes/google"
	"github.com/weft-engine/weft/nodes/google/googletest"
)

const me = "lance@company.com"

var start = time.Date(2026, 3, 9, 12, 0, 0, 0, time.UTC)

type world struct {
	*googletest.Server
	clock    *googletest.Clock
	accounts *google.Accounts
}

func newWorld(t testing.TB) *world {
	t.Helper()
	w := &world{clock: googletest.NewClock(start)}
	w.Server = googletest.Start(t, w.clock.Now)
	w.Account(me, "UTC")
	w.accounts = &google.Accounts{Dir: filepath.Join(t.TempDir(), "google"), Now: w.clock.Now, Sleep: w.clock.Sleep, Rand: func() float64 { return 0.5 }}
	return w
}

// browser opens the address and follows the way back.
func browser(t testing.TB, change func(back *url.URL)) func(string) {
	return func(address string) {
		go func() {
			stay := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
			res, err := stay.Get(address)
			if err != nil {
				t.Error(err)
				return
			}
			_ = res.Body.Close()
			back, err := res.Location()
			if err != nil {
				t.Errorf("%s leads nowhere: %v", address, err)
				return
			}
			if change != nil {
				change(back)
			}
			if res, err := stay.Get(back.String()); err == nil {
				_, _ = io.Copy(io.Discard, res.Body)
				_ = res.Body.Close()
			}
		}()
	}
}

func TestLogin(t *testing.T) {
	w := newWorld(t)
	var shown string
	got, err := w.accounts.Login(t.Context(), google.Login{Client: w.ClientFile(), Hint: me, Show: func(address string) {
		shown = address
		browser(t, nil)(address)
	}})
	if err != nil || got != me {
		t.Fatalf("%q, %v", got, err)
	}
	u, _ := url.Parse(shown)
	q := u.Query()
	if q.Get("access_type") != "offline" || q.Get("code_challenge_method") != "S256" || len(q.Get("code_challenge")) < 40 || len(q.Get("state")) < 20 || q.Get("login_hint") != me {
		t.Errorf("asked %v", q)
	}
	want := "https://www.googleapis.com/auth/gmail.modify https://www.googleapis.com/auth/calendar.events https://www.googleapis.com/auth/calendar.settings.readonly"
	if q.Get("scope") != want || !strings.HasPrefix(q.Get("redirect_uri"), "http://127.0.0.1:") {
		t.Errorf("asked for %s at %s", q.Get("scope"), q.Get("redirect_uri"))
	}
	if strings.Contains(shown, googletest.ClientSecret) {
		t.Error("the secret is shown")
	}
	file, dir := filepath.Join(w.accounts.Dir, me+".json"), w.accounts.Dir
	for path, mode := range map[string]os.FileMode{file: 0o600, dir: 0o700} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s: %v %v", path, info.Mode(), err)
		}
	}
	// It is used at once, and by another process.
	c, err := w.accounts.Client("", "")
	if err != nil {
		t.Fatal(err)
	}
	if p, err := c.Gmail.Users.GetProfile("me").Do(); err != nil || p.EmailAddress != me {
		t.Errorf("%v %v", p, err)
	}
}

func TestLoginRefused(t *testing.T) {
	for _, c := range []struct {
		name    string
		consent func([]string) []string
		client  func(*world) []byte
		change  func(*url.URL)
		part    string
	}{
		{"by the person", func([]string) []string { return nil }, nil, nil, "access was not granted in the browser"},
		{"in part", func(s []string) []string { return s[:1] }, nil, nil, "not everything was granted: log in again and tick all boxes. Missing: calendar.events (to see what is on your calendar"},
		{"no client", nil, func(*world) []byte { return []byte("x") }, nil, "download it from the Google console"},
		{"another file", nil, func(*world) []byte { return []byte(`{"type": "service_account"}`) }, nil, "the file is no OAuth client"},
		{"a client for web sites", nil, func(w *world) []byte { return []byte(strings.Replace(string(w.ClientFile()), "installed", "web", 1)) }, nil, "make one of type Desktop app"},
		{"a client of somebody", nil, func(w *world) []byte {
			return []byte(strings.Replace(string(w.ClientFile()), w.URL+"/token", "http://evil.example/token", 1))
		}, nil, "sends secrets to"},
		{"a client with an endpoint", nil, func(w *world) []byte {
			return []byte(strings.Replace(string(w.ClientFile()), `"api_endpoint":"`+w.URL, `"api_endpoint":"https://evil.example`, 1))
		}, nil, "which only a local Google may have"},
		{"a code of somebody else", nil, nil, func(u *url.URL) { q := u.Query(); q.Set("code", "other"); u.RawQuery = q.Encode() }, "exchange the code for a login"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.Consent = c.consent
			client := w.ClientFile()
			if c.client != nil {
				client = c.client(w)
			}
			_, err := w.accounts.Login(t.Context(), google.Login{Client: client, Show: browser(t, c.change)})
			if err == nil || !strings.Contains(err.Error(), c.part) || strings.Contains(err.Error(), googletest.ClientSecret) {
				t.Errorf("%v, want %q", err, c.part)
			}
			if names, _ := w.accounts.Names(); len(names) != 0 {
				t.Errorf("logged in: %v", names)
			}
		})
	}
}

// TestLoginState turns away whoever knocks without the state, and goes on waiting.
func TestLoginState(t *testing.T) {
	w := newWorld(t)
	got, err := w.accounts.Login(t.Context(), google.Login{Client: w.ClientFile(), Show: func(address string) {
		u, _ := url.Parse(address)
		back := u.Query().Get("redirect_uri")
		for _, knock := range []string{back + "?code=evil&state=evil", back + "?code=evil", back + "?error=access_denied", strings.TrimSuffix(back, "/weft") + "/?code=x"} {
			res, err := http.Get(knock)
			if err != nil || res.StatusCode != http.StatusNotFound {
				t.Errorf("%s: %v", knock, err)
				continue
			}
			_ = res.Body.Close()
		}
		browser(t, nil)(address)
	}})
	if err != nil || got != me {
		t.Errorf("%q, %v", got, err)
	}
}

func TestLoginGivenUp(t *testing.T) {
	w := newWorld(t)
	ctx, stop := context.WithCancel(t.Context())
	_, err := w.accounts.Login(ctx, google.Login{Client: w.ClientFile(), Show: func(string) { stop() }})
	if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "nobody agreed in the browser") {
		t.Error(err)
	}
}

func TestAccounts(t *testing.T) {
	w := newWorld(t)
	w.Account("b@x.example", "UTC")
	w.LogIn(t, w.accounts.Dir, me)
	w.LogIn(t, w.accounts.Dir, "b@x.example")
	_ = os.WriteFile(filepath.Join(w.accounts.Dir, "client.json"), w.ClientFile(), 0o600)
	if names, err := w.accounts.Names(); err != nil || cmp.Diff([]string{"b@x.example", me}, names) != "" {
		t.Errorf("%v %v", names, err)
	}
	for _, name := range []string{me, "LANCE@company.com", "b@x.example"} {
		c, err := w.accounts.Client(strings.ToLower(name), "")
		if err != nil {
			t.Fatal(err)
		}
		if p, err := c.Gmail.Users.GetProfile("me").Do(); err != nil || p.EmailAddress != strings.ToLower(name) {
			t.Errorf("%v %v", p, err)
		}
	}
	for _, bad := range []string{"../" + me, "nobody@x.example", "x"} {
		if _, err := w.accounts.Client(bad, ""); !errors.Is(err, google.ErrNoLogin) {
			t.Errorf("%q: %v", bad, err)
		}
	}
	if _, err := w.accounts.Client(me, "https://evil.example"); err == nil {
		t.Error("a login is sent elsewhere")
	}
	var none *google.Accounts
	if _, err := none.Client(me, ""); !errors.Is(err, google.ErrNoLogin) {
		t.Error(err)
	}
}

// TestRealLoginStays: a login at Google is not sent to an address on this machine.
func TestRealLoginStays(t *testing.T) {
	w := newWorld(t)
	file := map[string]any{}
	_ = json.Unmarshal(w.TokenFile(me), &file)
	file["token_uri"], file["api_endpoint"], file["revoke_uri"] = "https://oauth2.googleapis.com/token", "", ""
	write := func() {
		data, _ := json.Marshal(file)
		_ = os.MkdirAll(w.accounts.Dir, 0o700)
		_ = os.WriteFile(filepath.Join(w.accounts.Dir, me+".json"), data, 0o600)
	}
	write()
	if _, err := w.accounts.Client(me, w.URL); err == nil || !strings.Contains(err.Error(), "only a local Google") {
		t.Error(err)
	}
	file["api_endpoint"] = w.URL
	write()
	if _, err := w.accounts.Client(me, ""); err == nil || !strings.Contains(err.Error(), "only a local Google has one") {
		t.Error(err)
	}
}

// TestLoginOfAnotherProgram uses a file as Google's libraries write it: it names no
// account, and its permissions are wider. What is renewed stays in that file.
func TestLoginOfAnotherProgram(t *testing.T) {
	w := newWorld(t)
	file := map[string]any{}
	_ = json.Unmarshal(w.TokenFile(me, "gmail.modify", "calendar"), &file)
	file["account"], file["token"] = "", "ya29.old"
	delete(file, "expiry")
	data, _ := json.Marshal(file)
	_ = os.MkdirAll(w.accounts.Dir, 0o700)
	_ = os.WriteFile(filepath.Join(w.accounts.Dir, me+".json"), data, 0o600)
	c, err := w.accounts.Client("", "")
	if err != nil {
		t.Fatal(err)
	}
	if p, err := c.Gmail.Users.GetProfile("me").Do(); err != nil || p.EmailAddress != me {
		t.Errorf("%v %v", p, err)
	}
	left, _ := os.ReadDir(w.accounts.Dir)
	if len(left) != 1 || left[0].Name() != me+".json" {
		t.Errorf("files %v", left)
	}
	kept, _ := os.ReadFile(filepath.Join(w.accounts.Dir, me+".json"))
	if strings.Contains(string(kept), "ya29.old") || !strings.Contains(string(kept), me) {
		t.Error("what was renewed was not kept")
	}
	if list, err := w.accounts.Status(t.Context()); err != nil || len(list) != 1 || len(list[0].Missing) != 0 || list[0].Problem != "" {
		t.Errorf("%+v %v", list, err)
	}
}

func TestStatusAndRevoke(t *testing.T) {
	w := newWorld(t)
	w.LogIn(t, w.accounts.Dir, me)
	list, err := w.accounts.Status(t.Context())
	if err != nil || len(list) != 1 || list[0].Account != me || list[0].Problem != "" || len(list[0].Missing) != 0 || list[0].Local != w.URL || list[0].Open {
		t.Errorf("%+v %v", list, err)
	}
	_ = os.Chmod(list[0].File, 0o644)
	w.Withdraw(me)
	list, _ = w.accounts.Status(t.Context())
	if !list[0].Open || !strings.Contains(list[0].Problem, "has expired or was revoked") {
		t.Errorf("%+v", list)
	}
	// One that Google does not know any more is removed.
	if err := w.accounts.Revoke(t.Context(), me); err != nil {
		t.Error(err)
	}
	if names, _ := w.accounts.Names(); len(names) != 0 {
		t.Errorf("%v", names)
	}
	w.LogIn(t, w.accounts.Dir, me)
	w.Fault(googletest.Fault{Match: "/revoke", Status: 503})
	if err := w.accounts.Revoke(t.Context(), me); err == nil || !strings.Contains(err.Error(), "it is still there") {
		t.Error(err)
	}
	c, _ := w.accounts.Client(me, "")
	if err := w.accounts.Revoke(t.Context(), me); err != nil {
		t.Error(err)
	}
	if _, err := c.Gmail.Users.GetProfile("me").Do(); err == nil {
		t.Error("a revoked login works")
	}
	if err := w.accounts.Revoke(t.Context(), "nobody@x.example"); !errors.Is(err, google.ErrNoLogin) {
		t.Error(err)
	}
}

// TestRefreshTogether: many requests and several processes renew one login.
func TestRefreshTogether(t *testing.T) {
	w := newWorld(t)
	w.LogIn(t, w.accounts.Dir, me)
	other := &google.Accounts{Dir: w.accounts.Dir, Now: w.clock.Now, Sleep: w.clock.Sleep, Rand: w.accounts.Rand}
	w.clock.Advance(59*time.Minute + 30*time.Second) // nearly over: renewed before it ends
	var group sync.WaitGroup
	for i := range 40 {
		group.Go(func() {
			a := w.accounts
			if i%2 == 0 {
				a = other
			}
			c, err := a.Client(me, "")
			if err == nil {
				_, err = c.Gmail.Users.GetProfile("me").Do()
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	left, _ := os.ReadDir(w.accounts.Dir)
	if len(left) != 1 {
		t.Errorf("%d files are left", len(left))
	}
}

func (w *world) client(t testing.TB) *google.Client {
	t.Helper()
	w.LogIn(t, w.accounts.Dir, me)
	c, err := w.accounts.Client(me, "")
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func profile(c *google.Client) func(context.Context) error {
	return func(ctx context.Context) error {
		_, err := c.Gmail.Users.GetProfile("me").Context(ctx).Do()
		return err
	}
}

func TestRepeats(t *testing.T) {
	path := "/profile"
	for _, c := range []struct {
		name     string
		fault    googletest.Fault
		repeat   bool
		requests int
		class    engine.Class
		slept    []time.Duration
	}{
		{"busy", googletest.Fault{Status: 429, Times: 2}, false, 3, "", []time.Duration{375 * time.Millisecond, 750 * time.Millisecond}},
		{"busy, as Google says", googletest.Fault{Status: 429, RetryAfter: "7"}, false, 2, "", []time.Duration{7 * time.Second}},
		{"busy, until a time", googletest.Fault{Status: 503, RetryAfter: "Mon, 09 Mar 2026 12:00:09 GMT"}, true, 2, "", []time.Duration{9 * time.Second}},
		{"busy, as Gmail says", googletest.Fault{Status: 429, Message: "User-rate limit exceeded.  Retry after 2026-03-09T12:00:11.000Z"}, false, 2, "", []time.Duration{11 * time.Second}},
		{"busy for ever", googletest.Fault{Status: 403, Reason: "userRateLimitExceeded", Times: -1}, false, 6, engine.Transient, nil},
		{"ill, and harmless", googletest.Fault{Status: 500, Times: 1}, true, 2, "", nil},
		{"ill, and not harmless", googletest.Fault{Status: 500, Times: 1}, false, 1, engine.Uncertain, nil},
		{"lost, and not harmless", googletest.Fault{Lost: true, Times: 1}, false, 1, engine.Uncertain, nil},
		{"quota of the minute, by its words", googletest.Fault{Status: 403, Reason: "quotaExceeded", Message: "Quota exceeded for quota metric 'Queries' and limit 'Queries per minute per user'", Times: 1}, true, 2, "", nil},
		{"quota of the day", googletest.Fault{Status: 403, Reason: "dailyLimitExceeded", Times: -1}, true, 1, engine.Permanent, nil},
		{"forbidden", googletest.Fault{Status: 403, Reason: "domainPolicy", Times: -1}, true, 1, engine.Permanent, nil},
		{"wrong", googletest.Fault{Status: 400, Times: -1}, true, 1, engine.Permanent, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			client := w.client(t)
			if c.fault.Match = path; c.fault.Reason == "" {
				c.fault.Reason = "reason"
			}
			w.Fault(c.fault)
			err := client.Do(t.Context(), google.Ask{Repeat: c.repeat}, profile(client))
			var f *engine.Failure
			if c.class == "" && err != nil || c.class != "" && (!errors.As(google.Failure("ask", err, c.repeat), &f) || f.Class != c.class) {
				t.Errorf("%v", err)
			}
			if n := len(w.Requests()); n != c.requests {
				t.Errorf("%d requests, want %d", n, c.requests)
			}
			if c.slept != nil {
				if diff := cmp.Diff(c.slept, w.clock.Slept()); diff != "" {
					t.Error(diff)
				}
			}
		})
	}
}

// TestDeadline gives up when the pause would end after it, and says how long to wait.
func TestDeadline(t *testing.T) {
	w := newWorld(t)
	c := w.client(t)
	w.Fault(googletest.Fault{Match: "/profile", Status: 429, Reason: "rateLimitExceeded", RetryAfter: "600", Times: -1})
	ctx, stop := context.WithDeadline(t.Context(), time.Now().Add(time.Hour))
	defer stop()
	// The clock of the client is that of the test, so its deadline is far in the future or past.
	end, _ := ctx.Deadline()
	if w.clock.Now().Before(end.Add(-10 * time.Minute)) {
		w.clock.Advance(end.Sub(w.clock.Now()) - time.Minute)
	}
	w.Expire()
	err := c.Do(ctx, google.Ask{}, profile(c))
	var f *engine.Failure
	if !errors.As(google.Failure("ask", err, true), &f) || f.Class != engine.Transient || f.RetryAfter != 10*time.Minute {
		t.Errorf("%v", err)
	}
}

// TestLimit never spends more in a minute than there is, and lets people go before bulk.
func TestLimit(t *testing.T) {
	w := newWorld(t)
	w.accounts.UnitsPerMinute = 1000
	c := w.client(t)
	var at []time.Time
	spend := func(units int, bulk bool) {
		if err := c.Do(t.Context(), google.Ask{Units: units, Bulk: bulk}, func(context.Context) error {
			for range units / 100 {
				at = append(at, w.clock.Now())
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	for range 9 {
		spend(100, true)
	}
	if !w.clock.Now().Equal(start) {
		t.Errorf("it waited %v for what there was", w.clock.Slept())
	}
	spend(100, false)
	if !w.clock.Now().Equal(start) {
		t.Error("a person waits behind bulk")
	}
	for i := range 60 {
		spend(100, i%3 == 0)
	}
	for i := range at {
		n := 0
		for _, other := range at[i:] {
			if other.Sub(at[i]) < time.Minute {
				n++
			}
		}
		if n > 10 {
			t.Fatalf("%d00 units in the minute after %s", n, at[i])
		}
	}
	if total := w.clock.Now().Sub(start); total > 8*time.Minute {
		t.Errorf("7,000 units took %s", total)
	}
}

// TestTooLarge ends reading an answer that does not end.
func TestTooLarge(t *testing.T) {
	w := newWorld(t)
	c := w.client(t)
	id := w.Deliver(me, []byte("From: a@x.example\r\n\r\n"+strings.Repeat("x", 20<<20)))
	var m *gmail.Message
	err := c.Do(t.Context(), google.Ask{Repeat: true}, func(ctx context.Context) (err error) {
		m, err = c.Gmail.Users.Messages.Get("me", id).Format("full").Context(ctx).Do()
		return err
	})
	if !errors.Is(err, google.ErrTooLarge) || m != nil || len(w.Requests()) != 1 {
		t.Errorf("%v", err)
	}
}
