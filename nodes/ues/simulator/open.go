package simulator

import (
	"net/http"
	"slices"
	"strings"

	"github.com/weft-engine/weft/nodes/ues/simulator/jsontext"
)

// open answers what needs no key and is not logged; it tells whether it did.
func (s *Simulator) open(w http.ResponseWriter, r *http.Request) bool {
	path := r.URL.Path
	switch path {
	case "/", "/health", "/docs", "/redoc", "/openapi.json":
	case "/ws":
		s.socket(w, r)
		return true
	default:
		return false
	}
	if r.Method != http.MethodGet {
		w.Header().Set("Allow", http.MethodGet)
		sendJSON(w, http.StatusMethodNotAllowed, []byte(`{"detail":"Method Not Allowed"}`))
		return true
	}
	switch path {
	case "/":
		o := jsontext.Open(nil)
		o.String("message", "Welcome to the User Environment Simulator API")
		o.String("version", Version)
		o.String("docs_url", "/docs")
		sendJSON(w, http.StatusOK, o.Close())
	case "/health":
		sendJSON(w, http.StatusOK, []byte(`{"status":"healthy"}`))
	case "/openapi.json":
		sendJSON(w, http.StatusOK, s.table.openAPI())
	default:
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write(s.table.page())
	}
	return true
}

func sendJSON(w http.ResponseWriter, status int, text []byte) {
	w.Header()["Content-Type"] = jsonType
	w.WriteHeader(status)
	_, _ = w.Write(text)
}

// allowOrigin lets browsers of the allowed origins read answers.
func (s *Simulator) allowOrigin(w http.ResponseWriter, r *http.Request) {
	origin := r.Header["Origin"]
	if len(origin) == 0 {
		return
	}
	h := w.Header()
	h.Set("Access-Control-Allow-Credentials", "true")
	if slices.Contains(s.opts.Origins, origin[0]) {
		h.Set("Access-Control-Allow-Origin", origin[0])
		h.Add("Vary", "Origin")
	}
}

// preflight answers a browser that asks what it may do; it tells whether it did.
func (s *Simulator) preflight(w http.ResponseWriter, r *http.Request) bool {
	if r.Method != http.MethodOptions || r.Header.Get("Origin") == "" || r.Header.Get("Access-Control-Request-Method") == "" {
		return false
	}
	h := w.Header()
	h.Set("Access-Control-Allow-Methods", "DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT")
	h.Set("Access-Control-Max-Age", "600")
	if asked := r.Header.Values("Access-Control-Request-Headers"); len(asked) > 0 {
		h.Set("Access-Control-Allow-Headers", strings.Join(asked, ", "))
	}
	h.Set("Content-Type", "text/plain; charset=utf-8")
	text, status := "OK", http.StatusOK
	if h.Get("Access-Control-Allow-Origin") == "" {
		text, status = "Disallowed CORS origin", http.StatusBadRequest
	}
	w.WriteHeader(status)
	_, _ = w.Write([]byte(text))
	return true
}
