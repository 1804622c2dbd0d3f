package simulator

import (
	"net"
	"net/http"
	"net/url"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/weft-engine/weft/nodes/ues/simulator/accesslog"
	"github.com/weft-engine/weft/nodes/ues/simulator/field"
	"github.com/weft-engine/weft/nodes/ues/simulator/key"
	"github.com/weft-engine/weft/nodes/ues/simulator/modality"
)

// keyHeader carries the secret of a caller's key.
const keyHeader = "X-Api-Key"

// keptBuffer is the size up to which an answer's buffer is used again.
const keptBuffer = 1 << 20

var buffers = sync.Pool{New: func() any { return new([]byte) }}

// ServeHTTP answers one request.
func (s *Simulator) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.allowOrigin(w, r)
	if s.preflight(w, r) || s.open(w, r) {
		return
	}
	start := s.opts.Now()
	if !s.keys.Opens(r.Header.Get(keyHeader)) {
		if !enter(r.Context(), s.gate.strangers) {
			return
		}
		defer leave(s.gate.strangers)
	}
	if !enter(r.Context(), s.gate.requests) {
		return
	}
	defer leave(s.gate.requests)
	call := exchange{s: s, w: w, r: r, start: start}
	defer call.note()
	defer call.recover()
	call.run()
}

// exchange is one request and its answer.
type exchange struct {
	s      *Simulator
	w      http.ResponseWriter
	r      *http.Request
	start  time.Time
	caller key.Caller
	status int
	turn   bool // it may have waited for its turn
}

// run checks in the order of the contract: path, syntax of the body, key, permission,
// fields; the last are the handler's.
func (c *exchange) run() {
	found, allowed := c.s.table.find(c.r.Method, c.r.URL.Path)
	if found == nil {
		c.lost(allowed)
		return
	}
	var body content
	if found.Body != modality.NoBody {
		var refused *modality.Response
		if body, refused = c.readBody(); refused != nil {
			c.answer(*refused)
			return
		}
	}
	if refused := c.authenticate(found.Permission); refused != nil {
		c.answer(*refused)
		return
	}
	doc, refused := body.object(found.Body)
	if refused != nil {
		c.answer(*refused)
		return
	}
	req := &modality.Request{Body: doc, Key: c.caller.ID, Query: c.query(), Path: func(name string) string {
		return found.param(c.r.URL.Path, name)
	}}
	buf := buffers.Get().(*[]byte) //nolint:forcetypeassert // the pool holds nothing else
	defer release(buf)
	resp, done, ok := c.perform(found, req, buf)
	if !ok {
		return
	}
	defer done()
	c.send(resp, *buf)
}

func release(buf *[]byte) {
	if cap(*buf) <= keptBuffer {
		buffers.Put(buf)
	}
}

// authenticate finds the caller and checks the permission; nil when all is well.
func (c *exchange) authenticate(permission string) *modality.Response {
	secret := c.r.Header.Get(keyHeader)
	if secret == "" {
		return unauthorized("API key required. Provide X-API-Key header.")
	}
	var known bool
	if c.caller, known = c.s.keys.Identify(secret); !known {
		return unauthorized("Invalid or revoked API key.")
	}
	if !c.caller.May(permission) {
		resp := modality.Detail(http.StatusForbidden, "Permission denied. Required permission: "+permission)
		return &resp
	}
	return nil
}

func unauthorized(text string) *modality.Response {
	resp := modality.Detail(http.StatusUnauthorized, text)
	return &resp
}

// lost answers for a path that is not there: with a redirect when the path without (or
// with) a slash at its end is, with 405 when it has other methods.
func (c *exchange) lost(allowed []string) {
	if len(allowed) > 0 {
		c.w.Header()["Allow"] = []string{strings.Join(allowed, ", ")}
		c.answer(modality.Detail(http.StatusMethodNotAllowed, "Method Not Allowed"))
		return
	}
	path := c.r.URL.Path
	if trimmed := strings.TrimRight(path, "/"); trimmed != path {
		found, others := c.s.table.find(c.r.Method, trimmed)
		if found != nil || len(others) > 0 {
			to := url.URL{Scheme: "http", Host: c.r.Host, Path: trimmed, RawQuery: c.r.URL.RawQuery}
			if c.r.TLS != nil {
				to.Scheme = "https"
			}
			c.w.Header()["Location"] = []string{to.String()}
			c.status = http.StatusTemporaryRedirect
			c.w.WriteHeader(c.status)
			return
		}
	}
	c.answer(modality.Detail(http.StatusNotFound, "Not Found"))
}

// query looks parameters up; of repeated ones the last counts.
func (c *exchange) query() func(string) (string, bool) {
	if c.r.URL.RawQuery == "" {
		return func(string) (string, bool) { return "", false }
	}
	values := c.r.URL.Query()
	return func(name string) (string, bool) {
		given := values[name]
		if len(given) == 0 {
			return "", false
		}
		return given[len(given)-1], true
	}
}

// answer sends an answer that needs nothing of the world.
func (c *exchange) answer(resp modality.Response) {
	var text []byte
	if resp.Write != nil {
		text = resp.Write(nil)
	}
	c.send(resp, text)
}

var jsonType = []string{"application/json"}

// send writes an answer.
func (c *exchange) send(resp modality.Response, text []byte) {
	c.status = resp.Status
	h := c.w.Header()
	if resp.Status == http.StatusUnauthorized {
		h["Www-Authenticate"] = []string{"ApiKey"}
	}
	if resp.Write == nil {
		c.w.WriteHeader(resp.Status)
		return
	}
	h["Content-Type"] = jsonType
	if resp.ContentType != "" {
		h["Content-Type"] = []string{resp.ContentType}
	}
	h["Content-Length"] = []string{strconv.Itoa(len(text))}
	if c.turn || len(text) > heavyAnswer { // what it has waited for its turn does not count
		_ = http.NewResponseController(c.w).SetWriteDeadline(c.s.opts.Now().Add(writeTime)) // without one it has less time
	}
	c.w.WriteHeader(resp.Status)
	if _, err := c.w.Write(text); err != nil {
		c.s.opts.Log.Debug().Err(err).Str("path", c.r.URL.Path).Msg("client did not take the answer")
	}
}

// recover answers 500 for a handler that broke, and says why in the log.
func (c *exchange) recover() {
	broken := recover()
	if broken == nil {
		return
	}
	c.s.opts.Log.Error().Interface("panic", broken).Bytes("stack", debug.Stack()).Str("path", c.r.URL.Path).Msg("request broke")
	if c.status == 0 {
		c.answer(modality.Crash("RuntimeError"))
	}
}

// note enters the request into the access log.
func (c *exchange) note() {
	ip, _, err := net.SplitHostPort(c.r.RemoteAddr)
	if err != nil {
		ip = c.r.RemoteAddr
	}
	c.s.log.Add(accesslog.Entry{
		ID: c.s.ids.Raw(), Time: field.At(c.start).Go(), Took: c.s.opts.Now().Sub(c.start),
		Method: c.r.Method, Path: c.r.URL.Path, KeyID: c.caller.ID, KeyName: c.caller.Name,
		Status: c.status, ClientIP: ip, UserAgent: c.r.UserAgent(),
	})
}
