package googletest

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// What the one OAuth client of the local Google is called.
const (
	ClientID     = "weft-test.apps.googleusercontent.com"
	ClientSecret = "local-client-secret"
)

const scopeBase = "https://www.googleapis.com/auth/"

// tokenLife is how long an access token is good for.
const tokenLife = time.Hour

// grant is a token and what it is good for.
type grant struct {
	address string
	scopes  []string
	expires time.Time
	parent  string // refresh token that it came from
	revoked bool
}

// code is an authorization that was not exchanged yet.
type code struct {
	grant
	redirect, challenge string
	lasting             bool // it comes with a refresh token
}

// ClientFile is the OAuth client as Google's console lets one download it.
func (s *Server) ClientFile() []byte {
	data, _ := json.Marshal(map[string]any{"installed": map[string]any{ //nolint:errchkjson // texts only
		"client_id": ClientID, "project_id": "weft-test", "client_secret": ClientSecret, "redirect_uris": []string{"http://localhost"},
		"auth_uri": s.URL + "/o/oauth2/auth", "token_uri": s.URL + "/token", "revoke_uri": s.URL + "/revoke", "api_endpoint": s.URL,
	}})
	return data
}

func (s *Server) oauthRoutes() {
	s.mux.HandleFunc("GET /o/oauth2/auth", s.authorize)
	s.mux.HandleFunc("POST /token", s.token)
	s.mux.HandleFunc("POST /revoke", s.revoke)
}

// authorize is the page at which a person agrees; here they do at once, as the user of
// login_hint or the first.
func (s *Server) authorize(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	q := r.URL.Query()
	back, err := url.Parse(q.Get("redirect_uri"))
	if err != nil || back.Hostname() != "127.0.0.1" && back.Hostname() != "localhost" || q.Get("client_id") != ClientID || q.Get("response_type") != "code" {
		http.Error(w, "Error 400: redirect_uri_mismatch or invalid client", http.StatusBadRequest)
		return
	}
	address := q.Get("login_hint")
	if s.accounts[address] == nil && len(s.order) > 0 {
		address = s.order[0]
	}
	scopes := strings.Fields(q.Get("scope"))
	if s.Consent != nil {
		scopes = s.Consent(scopes)
	}
	answer := url.Values{"state": {q.Get("state")}}
	if len(scopes) == 0 || s.accounts[address] == nil {
		answer.Set("error", "access_denied")
	} else {
		name := s.id("code-")
		s.codes[name] = &code{
			grant: grant{address: address, scopes: scopes}, redirect: q.Get("redirect_uri"), challenge: q.Get("code_challenge"),
			lasting: q.Get("access_type") == "offline" && (q.Get("prompt") == "consent" || !s.consented(address)),
		}
		answer.Set("code", name)
		answer.Set("scope", strings.Join(scopes, " "))
	}
	back.RawQuery = answer.Encode()
	http.Redirect(w, r, back.String(), http.StatusFound)
}

// consented reports whether a user has agreed before: they are not asked again then,
// and no other refresh token is given.
func (s *Server) consented(address string) bool {
	for _, g := range s.refresh {
		if g.address == address && !g.revoked {
			return true
		}
	}
	return false
}

// token exchanges a code or refreshes a login.
func (s *Server) token(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := r.ParseForm(); err != nil {
		oauthError(w, http.StatusBadRequest, "invalid_request", err.Error())
		return
	}
	id, secret, ok := r.BasicAuth()
	if !ok {
		id, secret = r.PostForm.Get("client_id"), r.PostForm.Get("client_secret")
	}
	if id != ClientID || secret != ClientSecret {
		oauthError(w, http.StatusUnauthorized, "invalid_client", "The OAuth client was not found.")
		return
	}
	switch r.PostForm.Get("grant_type") {
	case "authorization_code":
		s.exchange(w, r.PostForm)
	case "refresh_token":
		name := r.PostForm.Get("refresh_token")
		g := s.refresh[name]
		if g == nil || g.revoked {
			oauthError(w, http.StatusBadRequest, "invalid_grant", "Token has been expired or revoked.")
			return
		}
		s.hand(w, g, name, false)
	default:
		oauthError(w, http.StatusBadRequest, "unsupported_grant_type", "Invalid grant_type")
	}
}

func (s *Server) exchange(w http.ResponseWriter, form url.Values) {
	c := s.codes[form.Get("code")]
	delete(s.codes, form.Get("code"))
	sum := sha256.Sum256([]byte(form.Get("code_verifier")))
	switch {
	case c == nil || c.redirect != form.Get("redirect_uri"):
		oauthError(w, http.StatusBadRequest, "invalid_grant", "Bad Request")
	case c.challenge != "" && c.challenge != base64.RawURLEncoding.EncodeToString(sum[:]):
		oauthError(w, http.StatusBadRequest, "invalid_grant", "Invalid code verifier.")
	default:
		name := s.id("1//refresh-")
		g := c.grant
		s.refresh[name] = &g
		s.hand(w, &g, name, c.lasting)
	}
}

// hand answers with a new access token, and with the refresh token when it is a lasting login.
func (s *Server) hand(w http.ResponseWriter, g *grant, parent string, lasting bool) {
	name := s.id("ya29.access-")
	s.access[name] = &grant{address: g.address, scopes: g.scopes, expires: s.Now().Add(tokenLife), parent: parent}
	out := map[string]any{
		"access_token": name, "expires_in": int(tokenLife / time.Second), "token_type": "Bearer", "scope": strings.Join(g.scopes, " "),
	}
	if lasting {
		out["refresh_token"] = parent
	}
	reply(w, out)
}

func (s *Server) revoke(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	name := r.FormValue("token")
	g := s.refresh[name]
	if g == nil && s.access[name] != nil {
		name = s.access[name].parent
		g = s.refresh[name]
	}
	if g == nil || g.revoked {
		oauthError(w, http.StatusBadRequest, "invalid_token", "Token expired or revoked")
		return
	}
	g.revoked = true
	s.dropAccess(func(a *grant) bool { return a.parent == name })
	reply(w, map[string]any{})
}

func (s *Server) dropAccess(which func(*grant) bool) {
	for _, a := range s.access {
		if which(a) {
			a.revoked = true
		}
	}
}

// Expire ends all access tokens; they can be refreshed.
func (s *Server) Expire() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dropAccess(func(*grant) bool { return true })
}

// Withdraw takes the consent of a user back, as they do on Google's page of connected
// apps, or as Google does after seven days with an app in testing.
func (s *Server) Withdraw(address string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, g := range s.refresh {
		g.revoked = g.revoked || g.address == address
	}
	s.dropAccess(func(a *grant) bool { return a.address == address })
}

// Login returns tokens of a user without the way through a browser.
func (s *Server) Login(address string, scopes ...string) (access, refresh string, expires time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	full := make([]string, len(scopes))
	for i, scope := range scopes {
		full[i] = scope
		if !strings.Contains(scope, "/") {
			full[i] = scopeBase + scope
		}
	}
	refresh, access = s.id("1//refresh-"), s.id("ya29.access-")
	expires = s.Now().Add(tokenLife)
	s.refresh[refresh] = &grant{address: address, scopes: full}
	s.access[access] = &grant{address: address, scopes: slices.Clone(full), expires: expires, parent: refresh}
	return access, refresh, expires
}

func oauthError(w http.ResponseWriter, status int, name, text string) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]string{"error": name, "error_description": text})
}
