package googletest

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// TokenFile is a login of a user as google.Accounts keeps it.
func (s *Server) TokenFile(address string, scopes ...string) []byte {
	if len(scopes) == 0 {
		scopes = []string{"gmail.modify", "calendar.events", "calendar.settings.readonly"}
	}
	access, refresh, expires := s.Login(address, scopes...)
	full := make([]string, len(scopes))
	for i, scope := range scopes {
		full[i] = scopeBase + scope
	}
	data, _ := json.Marshal(map[string]any{ //nolint:errchkjson // texts only
		"token": access, "refresh_token": refresh, "token_uri": s.URL + "/token", "client_id": ClientID, "client_secret": ClientSecret,
		"scopes": full, "account": address, "expiry": expires.UTC(), "revoke_uri": s.URL + "/revoke", "api_endpoint": s.URL, "created": s.Now().UTC(),
	})
	return data
}

// LogIn keeps a login of a user in a directory of logins.
func (s *Server) LogIn(t testing.TB, dir, address string, scopes ...string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, address+".json"), s.TokenFile(address, scopes...), 0o600); err != nil {
		t.Fatal(err)
	}
}

// Clock is a clock that goes on only when somebody sleeps by it. It is safe for
// concurrent use.
type Clock struct {
	mu    sync.Mutex
	now   time.Time
	slept []time.Duration
}

// NewClock returns a clock that stands at an instant.
func NewClock(at time.Time) *Clock { return &Clock{now: at} }

// Now returns what the clock says.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Sleep puts the clock forward and returns at once.
func (c *Clock) Sleep(ctx context.Context, d time.Duration) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
	c.slept = append(c.slept, d)
	return nil
}

// Advance puts the clock forward.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// Slept returns how long was slept each time.
func (c *Clock) Slept() []time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]time.Duration{}, c.slept...)
}
