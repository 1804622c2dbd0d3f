// Package google is the way to a Google account: logging in, keeping the login, and a
// client for Gmail and Calendar that stays within Google's limits, tries again what is
// safe to try again, and says in the engine's words what went wrong.
//
//	Login ──▶ token file (0600) ──▶ Accounts.Client ──▶ Client.Do(ask, call)
//
// A login is one file per account, which holds all that is needed to use it. Nothing
// of it is ever written anywhere else: not to logs, errors, journals or the terminal.
package google

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Accounts is the logins in a directory. It is safe for concurrent use.
type Accounts struct {
	Dir   string                                           // where token files are
	Now   func() time.Time                                 // required
	Sleep func(ctx context.Context, d time.Duration) error // required; returns early with ctx's error
	Rand  func() float64                                   // in [0,1), spreads repeats; required
	HTTP  http.RoundTripper                                // nil: one that connects to the internet
	// UnitsPerMinute is what one account may use of Gmail's quota; 0 is what Google gives
	// each user of a project.
	UnitsPerMinute int

	mu      sync.Mutex
	clients map[clientKey]*Client
	base    http.RoundTripper
}

type clientKey struct{ account, endpoint string }

// usualUnits is Gmail's quota for one user and minute, of projects made since May 2026.
const usualUnits = 6000

// usualRequests is what Calendar lets one user ask in a minute.
const usualRequests = 600

// ErrNoLogin says that no account is logged in, or not the one that is wanted.
var ErrNoLogin = errors.New("no login")

// Client returns the client of an account, "" for the only one that is logged in.
// endpoint is where Gmail and Calendar are reached instead of at Google: "" or a
// loopback address, and then only with a login that was made there too. The error is a
// *LoginError when a person has to log in.
func (a *Accounts) Client(account, endpoint string) (*Client, error) {
	if a == nil {
		return nil, fmt.Errorf("%w: this program was started without Google accounts", ErrNoLogin)
	}
	name, err := a.choose(account)
	if err != nil {
		return nil, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	key := clientKey{name, endpoint}
	if c := a.clients[key]; c != nil {
		return c, nil
	}
	c, err := a.newClient(name, endpoint)
	if err != nil {
		return nil, err
	}
	if a.clients == nil {
		a.clients = map[clientKey]*Client{}
	}
	a.clients[key] = c
	return c, nil
}

// choose returns the account that is meant.
func (a *Accounts) choose(account string) (string, error) {
	if account != "" {
		return account, nil
	}
	names, err := a.Names()
	switch {
	case err != nil:
		return "", err
	case len(names) == 0:
		return "", &LoginError{Reason: "no Google account is logged in", err: ErrNoLogin}
	case len(names) > 1:
		return "", fmt.Errorf("%w: %d accounts are logged in (%s): say which one with `account`", ErrNoLogin, len(names), strings.Join(names, ", "))
	}
	return names[0], nil
}

// transport is shared by all clients, so that they share connections.
func (a *Accounts) transport() http.RoundTripper {
	switch {
	case a.HTTP != nil:
		return a.HTTP
	case a.base == nil:
		a.base = &http.Transport{
			Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true, MaxIdleConnsPerHost: 2 * parallel, IdleConnTimeout: time.Minute,
			TLSHandshakeTimeout: 15 * time.Second, ResponseHeaderTimeout: 60 * time.Second, MaxResponseHeaderBytes: 64 << 10,
		}
	}
	return a.base
}
