package ues

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// The defaults of Options.
const (
	DefaultTimeout  = 30 * time.Second
	DefaultMaxBytes = 64 << 20
)

// Options are the parts of a Client. URL is required.
type Options struct {
	// URL is where the server is, without a path: http://127.0.0.1:8000.
	URL string

	// Key is the secret of an API key; empty sends none.
	Key string

	// HTTP carries the calls; nil is a client with no proxy and connections of its own.
	// Redirects are never followed: they would carry the key elsewhere.
	HTTP *http.Client

	// Timeout bounds one call; 0 is DefaultTimeout.
	Timeout time.Duration

	// MaxBytes bounds one answer; 0 is DefaultMaxBytes.
	MaxBytes int64
}

// Client calls one server with one key. It is safe for concurrent use.
type Client struct {
	base     string
	key      string
	http     *http.Client
	timeout  time.Duration
	maxBytes int64
}

// New makes a client. Nothing is called yet.
func New(opts Options) (*Client, error) {
	base, err := cleanURL(opts.URL)
	if err != nil {
		return nil, err
	}
	if strings.ContainsFunc(opts.Key, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return nil, errors.New("the key of the environment has control characters: check where it comes from")
	}
	c := &Client{base: base, key: opts.Key, timeout: opts.Timeout, maxBytes: opts.MaxBytes}
	if c.timeout <= 0 {
		c.timeout = DefaultTimeout
	}
	if c.maxBytes <= 0 {
		c.maxBytes = DefaultMaxBytes
	}
	inner := opts.HTTP
	if inner == nil {
		inner = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 16, IdleConnTimeout: 30 * time.Second}}
	}
	own := *inner
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	c.http = &own
	return c, nil
}

// cleanURL checks an address and cuts the slash at its end.
func cleanURL(text string) (string, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return "", fmt.Errorf("the address of the environment cannot be read: %w", errors.Unwrap(err))
	case u.Scheme != "http" && u.Scheme != "https", u.Host == "":
		return "", fmt.Errorf("%q is no address of an environment: write http://host:port", text)
	case u.User != nil:
		return "", errors.New("the address of the environment holds a user or a password: give the key by itself")
	case u.RawQuery != "" || u.Fragment != "":
		return "", fmt.Errorf("%q is no address of an environment: leave out what follows ? or #", text)
	}
	return strings.TrimRight(text, "/"), nil
}

// URL is the address of the server, without a slash at its end.
func (c *Client) URL() string { return c.base }

// String names the server and not the key.
func (c *Client) String() string { return "UES at " + c.base }

// GoString is String: the key must not get into a log by %#v either.
func (c *Client) GoString() string { return c.String() }

// With returns a client of the same server with another key.
func (c *Client) With(key string) *Client {
	other := *c
	other.key = key
	return &other
}

// The parts of the API.

// Time returns the calls of the clock.
func (c *Client) Time() TimeAPI { return TimeAPI{c} }

// Simulation returns the calls that start, stop, empty and rewind the simulation.
func (c *Client) Simulation() SimulationAPI { return SimulationAPI{c} }

// Scenario returns the calls that export and import the world.
func (c *Client) Scenario() ScenarioAPI { return ScenarioAPI{c} }

// Environment returns the calls that show the whole world.
func (c *Client) Environment() EnvironmentAPI { return EnvironmentAPI{c} }

// Events returns the calls of the event queue.
func (c *Client) Events() EventsAPI { return EventsAPI{c} }

// Keys returns the calls of API keys.
func (c *Client) Keys() KeysAPI { return KeysAPI{c} }

// AccessLog returns the calls of the access log.
func (c *Client) AccessLog() AccessLogAPI { return AccessLogAPI{c} }

// Webhooks returns the calls of webhooks.
func (c *Client) Webhooks() WebhooksAPI { return WebhooksAPI{c} }

// Email returns the calls of the mailbox.
func (c *Client) Email() EmailAPI { return EmailAPI{c} }

// SMS returns the calls of the telephone's messages.
func (c *Client) SMS() SMSAPI { return SMSAPI{c} }

// Chat returns the calls of the conversation between user and assistant.
func (c *Client) Chat() ChatAPI { return ChatAPI{c} }

// Calendar returns the calls of the calendar.
func (c *Client) Calendar() CalendarAPI { return CalendarAPI{c} }

// Contacts returns the calls of the address book.
func (c *Client) Contacts() ContactsAPI { return ContactsAPI{c} }

// Location returns the calls of the user's place.
func (c *Client) Location() LocationAPI { return LocationAPI{c} }

// Weather returns the calls of the weather.
func (c *Client) Weather() WeatherAPI { return WeatherAPI{c} }
