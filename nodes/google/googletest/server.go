// Package googletest is a Google for tests and demos: mailboxes and calendars in
// memory behind the HTTP paths of Gmail, Calendar and OAuth that Weft uses, as the
// real client library calls them. It keeps state, hands out tokens that expire, and
// misbehaves on demand. It trusts whoever calls it and belongs on loopback only.
//
// It is written from Google's documentation, not from Weft's code, so that the two
// can disagree.
package googletest

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// Server is the local Google, an http.Handler. Its fields are set before it is used;
// after that it is safe for concurrent use.
type Server struct {
	Now func() time.Time // the time it lives in
	URL string           // where it is reached, without a slash at the end
	// NewMessageIDs has sent mails get another Message-ID than they came with, as some
	// mail systems do.
	NewMessageIDs bool
	// Consent says to which of the scopes the person at the browser agrees; none is a
	// refusal. Nil agrees to all.
	Consent func(scopes []string) []string

	once     sync.Once
	mux      *http.ServeMux
	mu       sync.Mutex
	accounts map[string]*account
	order    []string // addresses, as they were added
	access   map[string]*grant
	refresh  map[string]*grant
	codes    map[string]*code
	faults   []*Fault
	requests []string
	serial   int
}

// account is one user with mailbox and calendar.
type account struct {
	address string
	box     *mailbox
	cal     *almanac
}

// New returns a server without accounts.
func New(now func() time.Time) *Server {
	return &Server{
		Now: now, accounts: map[string]*account{}, access: map[string]*grant{}, refresh: map[string]*grant{}, codes: map[string]*code{},
	}
}

// Start runs a server on loopback until the test ends.
func Start(t testing.TB, now func() time.Time) *Server {
	t.Helper()
	s := New(now)
	web := httptest.NewServer(s)
	s.URL = web.URL
	t.Cleanup(web.Close)
	return s
}

// Account adds a user with an empty mailbox and calendar in the time zone.
func (s *Server) Account(address, zone string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.accounts[address] == nil {
		s.order = append(s.order, address)
	}
	s.accounts[address] = &account{address: address, box: newMailbox(address), cal: newAlmanac(address, zone)}
}

// Requests returns what was asked of Gmail and Calendar so far, each as "GET /path?query",
// without what every request has.
func (s *Server) Requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Forget empties the list of requests.
func (s *Server) Forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = nil
}

// maxRequest bounds what a request may bring: the largest mail that Gmail takes.
const maxRequest = 50 << 20

// ServeHTTP answers one request, unless a fault is meant for it.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.once.Do(s.routes)
	r.Body = http.MaxBytesReader(w, r.Body, maxRequest)
	s.note(r)
	fault := s.fault(r)
	switch {
	case fault == nil:
		s.mux.ServeHTTP(w, r)
	case fault.Delay > 0 && !fault.wait(r.Context()):
		return
	case fault.Cut:
		hangUp(w)
	case fault.Lost:
		s.mux.ServeHTTP(httptest.NewRecorder(), r)
		hangUp(w)
	case fault.Status != 0:
		fault.answer(w)
	default:
		s.mux.ServeHTTP(w, r)
	}
}

// hangUp drops the connection without an answer.
func hangUp(w http.ResponseWriter) {
	if conn, _, err := http.NewResponseController(w).Hijack(); err == nil {
		_ = conn.Close()
	}
}

func (s *Server) note(r *http.Request) {
	if !strings.HasPrefix(r.URL.Path, "/gmail/") && !strings.HasPrefix(r.URL.Path, "/calendar/") {
		return
	}
	query := r.URL.Query()
	query.Del("alt")
	query.Del("prettyPrint")
	line := r.Method + " " + r.URL.Path
	if len(query) > 0 {
		line += "?" + query.Encode()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, line)
}

func (s *Server) routes() {
	s.mux = http.NewServeMux()
	s.oauthRoutes()
	s.gmailRoutes()
	s.calendarRoutes()
	s.localRoutes()
	s.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		fail(w, http.StatusNotFound, "notFound", "the local Google has no "+r.Method+" "+r.URL.Path)
	})
}

// signed is a handler of a request with a valid access token, under the lock.
type signed func(a *account, w http.ResponseWriter, r *http.Request)

// handle adds a path that needs a token with one of the scopes.
func (s *Server) handle(pattern string, scopes []string, do signed) {
	s.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		g := s.access[token]
		switch {
		case !ok || g == nil || g.revoked || !s.Now().Before(g.expires):
			w.Header().Set("WWW-Authenticate", `Bearer realm="https://accounts.google.com/", error="invalid_token"`)
			fail(w, http.StatusUnauthorized, "authError", "Request had invalid authentication credentials.")
		case !slices.ContainsFunc(scopes, func(scope string) bool { return slices.Contains(g.scopes, scopeBase+scope) }):
			fail(w, http.StatusForbidden, "insufficientPermissions", "Request had insufficient authentication scopes.")
		default:
			do(s.accounts[g.address], w, r)
		}
	})
}

// id returns a name that was not used before.
func (s *Server) id(prefix string) string {
	s.serial++
	return prefix + strconv.FormatInt(0x18f0000000+int64(s.serial), 16)
}

// reply answers with JSON.
func reply(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json; charset=UTF-8")
	_ = json.NewEncoder(w).Encode(v)
}

// fail answers with an error as Google writes it.
func fail(w http.ResponseWriter, status int, reason, message string) {
	domain := "global"
	if strings.Contains(strings.ToLower(reason), "limitexceeded") || reason == "quotaExceeded" || reason == "accessNotConfigured" {
		domain = "usageLimits"
	}
	w.Header().Set("Content-Type", "application/json; charset=UTF-8")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{
		"code": status, "message": message, "status": statusNames[status],
		"errors": []any{map[string]any{"domain": domain, "reason": reason, "message": message}},
	}})
}

// statusNames is what Google calls the statuses.
var statusNames = map[int]string{
	400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED", 404: "NOT_FOUND", 409: "ALREADY_EXISTS", 429: "RESOURCE_EXHAUSTED",
	500: "INTERNAL", 503: "UNAVAILABLE", 504: "DEADLINE_EXCEEDED",
}

// number reads a query parameter within bounds.
func number(r *http.Request, name string, usual, most int) int {
	n, err := strconv.Atoi(r.URL.Query().Get(name))
	if err != nil || n <= 0 {
		return usual
	}
	return min(n, most)
}

// decodeBody reads a JSON body; a broken one is answered with 400.
func decodeBody(w http.ResponseWriter, r *http.Request, to any) bool {
	if err := json.NewDecoder(r.Body).Decode(to); err != nil {
		fail(w, http.StatusBadRequest, "parseError", "Parse Error: "+err.Error())
		return false
	}
	return true
}
