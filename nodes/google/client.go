package google

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
	"google.golang.org/api/calendar/v3"
	"google.golang.org/api/gmail/v1"
	"google.golang.org/api/option"
)

// parallel is how many requests of one account are under way at once: Google refuses
// more than a few.
const parallel = 8

// attempts is how often a request is sent at most.
const attempts = 6

// firstPause and maxPause bound the pauses between attempts.
const (
	firstPause = 500 * time.Millisecond
	maxPause   = 32 * time.Second
)

// Client is one account's Gmail and Calendar. It is safe for concurrent use.
type Client struct {
	Account  string
	Gmail    *gmail.Service
	Calendar *calendar.Service

	accounts *Accounts
	source   *source
	limit    *limiter // of Gmail's units
	events   *limiter // of requests to Calendar
	room     chan struct{}
}

// newClient makes a client; a.mu is held.
func (a *Accounts) newClient(account, endpoint string) (*Client, error) {
	token, err := a.load(account)
	if err != nil {
		return nil, err
	}
	if endpoint == "" {
		endpoint = token.Endpoint
	} else if !Loopback(endpoint) || !Loopback(token.TokenURI) {
		return nil, fmt.Errorf("the endpoint %q: only a local Google can be reached elsewhere, with a login made there", endpoint)
	}
	c := &Client{
		Account: account, accounts: a, room: make(chan struct{}, parallel),
		limit:  &limiter{now: a.Now, sleep: a.Sleep, most: usualUnits},
		events: &limiter{now: a.Now, sleep: a.Sleep, most: usualRequests},
	}
	if a.UnitsPerMinute > 0 {
		c.limit.most = a.UnitsPerMinute
	}
	base := a.transport()
	c.source = &source{accounts: a, account: account, http: &http.Client{Transport: base, CheckRedirect: noRedirect}, token: token}
	return c, c.services(&http.Client{Transport: &bearer{source: c.source, base: base}, CheckRedirect: noRedirect}, endpoint)
}

func (c *Client) services(client *http.Client, endpoint string) (err error) {
	ctx := context.Background()
	mail, cal := []option.ClientOption{option.WithHTTPClient(client)}, []option.ClientOption{option.WithHTTPClient(client)}
	if endpoint != "" {
		endpoint = strings.TrimSuffix(endpoint, "/")
		mail = append(mail, option.WithEndpoint(endpoint+"/"))
		cal = append(cal, option.WithEndpoint(endpoint+"/calendar/v3/"))
	}
	if c.Gmail, err = gmail.NewService(ctx, mail...); err != nil {
		return fmt.Errorf("make a client of Gmail: %w", err)
	}
	if c.Calendar, err = calendar.NewService(ctx, cal...); err != nil {
		return fmt.Errorf("make a client of Calendar: %w", err)
	}
	return nil
}

// noRedirect keeps requests with tokens where they were sent.
func noRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// Ask says what a request is.
type Ask struct {
	Units  int  // what it costs of Gmail's quota; 0 for Calendar
	Repeat bool // sending it twice does no harm
	Bulk   bool // one of many: it gives way to others
}

// Do makes a request: call must make exactly one, with its context. It waits for room
// below the limits, and tries again what Google did not do for a passing reason: when
// Repeat is set also what may have been done. The error is the last one; Failure makes
// words of it.
func (c *Client) Do(ctx context.Context, ask Ask, call func(ctx context.Context) error) error {
	for attempt := 1; ; attempt++ {
		err := c.once(ctx, ask, call)
		if err == nil {
			return nil
		}
		switch what := classify(ctx, err); {
		case what == stopped:
			return ctx.Err()
		case what == refused, what == lost && !ask.Repeat, attempt == attempts:
			return err
		}
		pause := max(c.pause(attempt), retryAfter(err, c.accounts.Now()))
		if end, ok := ctx.Deadline(); ok && c.accounts.Now().Add(pause).After(end) {
			return err
		}
		if c.accounts.Sleep(ctx, pause) != nil {
			return err
		}
	}
}

func (c *Client) once(ctx context.Context, ask Ask, call func(ctx context.Context) error) error {
	limit, units := c.limit, ask.Units
	if units == 0 {
		limit, units = c.events, 1
	}
	if err := limit.wait(ctx, units, ask.Bulk); err != nil {
		return err
	}
	select {
	case c.room <- struct{}{}:
		defer func() { <-c.room }()
	case <-ctx.Done():
		return ctx.Err()
	}
	return call(ctx)
}

// pause is how long to wait after an attempt: twice as long each time, spread.
func (c *Client) pause(attempt int) time.Duration {
	most := min(firstPause<<(attempt-1), maxPause)
	return most/2 + time.Duration(c.accounts.Rand()*float64(most/2))
}

// Each calls do for 0 to n-1, a few at a time, and returns when all have ended. It stops
// early only when ctx ends.
func (c *Client) Each(ctx context.Context, n int, do func(ctx context.Context, i int)) {
	var group errgroup.Group
	group.SetLimit(parallel)
	for i := range n {
		if ctx.Err() != nil {
			break
		}
		group.Go(func() error {
			do(ctx, i)
			return nil
		})
	}
	_ = group.Wait()
}

// Wait pauses for d, or until ctx ends.
func (c *Client) Wait(ctx context.Context, d time.Duration) error { return c.accounts.Sleep(ctx, d) }

// Now returns the present instant.
func (c *Client) Now() time.Time { return c.accounts.Now() }

// Sign returns a text that changes when the account logs in anew, and tells nothing of
// the login. It is empty when there is none.
func (a *Accounts) Sign(account string) string {
	name, err := a.choose(account)
	if err != nil {
		return ""
	}
	t, err := a.load(name)
	if err != nil {
		return ""
	}
	return t.sign()
}
