package simulator_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/weft-engine/weft/nodes/ues/simulator"
)

// head is the beginning of an answer.
type head struct {
	StatusCode int
	Header     http.Header
}

// ask sends a request with any headers and gives the answer without following redirects.
func (c caller) ask(method, path, body string, headers ...string) (head, string) {
	c.tb.Helper()
	var content io.Reader
	if body != "" {
		content = strings.NewReader(body)
	}
	req, err := http.NewRequestWithContext(c.tb.Context(), method, c.url+path, content)
	if err != nil {
		c.tb.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(req)
	if err != nil {
		c.tb.Fatal(err)
	}
	text, err := io.ReadAll(resp.Body)
	if err = errors.Join(err, resp.Body.Close()); err != nil {
		c.tb.Fatal(err)
	}
	return head{resp.StatusCode, resp.Header}, string(text)
}

// TestOrderOfChecks: syntax of the body, key, permission, fields, handler.
func TestOrderOfChecks(t *testing.T) {
	sim := fresh(t, simulator.Options{})
	c := serve(t, sim)
	_, mailer, err := sim.Keys().Create("mailer", []string{"email:*"}, "")
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, method, path, body, key string
		status                        int
		has                           string
	}{
		{"no such path wins over everything", "POST", "/nope", "{", "", 404, `{"detail":"Not Found"}`},
		{"wrong method too", "PUT", "/events", "{", "", 405, `{"detail":"Method Not Allowed"}`},
		{"bad syntax without a key", "POST", "/email/send", "{bad", "", 422, `"type":"json_invalid","loc":["body",1]`},
		{"no key", "POST", "/email/send", "{}", "", 401, `{"detail":"API key required. Provide X-API-Key header."}`},
		{"wrong key", "POST", "/email/send", "{}", "nonsense", 401, `{"detail":"Invalid or revoked API key."}`},
		{"no permission with bad fields", "POST", "/simulator/time/advance", "{}", mailer, 403, "time:advance"},
		{"bad fields", "POST", "/email/send", "{}", mailer, 422, `"loc":["body","from_address"]`},
		{"bad syntax with a key", "POST", "/email/send", `{"a":1,}`, mailer, 422, "json_invalid"},
		{"more than one value", "POST", "/email/send", `{} {}`, mailer, 422, "Extra data"},
		{"no UTF-8", "POST", "/email/send", "{\"a\":\"\xff\"}", mailer, 400, "error parsing the body"},
		{"too deep", "POST", "/email/send", strings.Repeat("[", 100_000), mailer, 400, "error parsing the body"},
		{"a list", "POST", "/email/send", "[]", mailer, 422, "model_attributes_type"},
		{"null", "POST", "/email/send", "null", mailer, 422, `"type":"missing","loc":["body"]`},
		{"a body where none is looked at", "GET", "/email/state", "{bad", mailer, 200, `"modality_type":"email"`},
	}
	for _, tt := range tests {
		headers := []string{"Content-Type", "application/json"}
		if tt.key != "" {
			headers = append(headers, "X-API-Key", tt.key)
		}
		resp, text := c.ask(tt.method, tt.path, tt.body, headers...)
		if resp.StatusCode != tt.status || !strings.Contains(text, tt.has) {
			t.Errorf("%s: %d %s", tt.name, resp.StatusCode, text)
		}
		if header := resp.Header.Get("WWW-Authenticate"); (tt.status == 401) != (header == "ApiKey") {
			t.Errorf("%s: WWW-Authenticate %q", tt.name, header)
		}
		if !json.Valid([]byte(text)) {
			t.Errorf("%s: no JSON: %s", tt.name, text)
		}
	}
}

func TestContentTypes(t *testing.T) {
	c := serve(t, fresh(t, simulator.Options{}))
	tests := map[string]int{
		"": 200, "application/json": 200, "application/json; charset=utf-8": 200, "application/problem+json": 200,
		"text/plain": 500, "application/x-www-form-urlencoded": 500, "text/json": 500, "nonsense; ;": 500,
	}
	for contentType, want := range tests {
		headers := []string{"X-API-Key", c.secret}
		if contentType != "" {
			headers = append(headers, "Content-Type", contentType)
		}
		if resp, text := c.ask("POST", "/email/receive", mail, headers...); resp.StatusCode != want {
			t.Errorf("%q: %d %s", contentType, resp.StatusCode, text)
		}
	}
}

func TestLargeBodies(t *testing.T) {
	sim := fresh(t, simulator.Options{})
	c := serve(t, sim)
	big := func(n int) string { return strings.Replace(mail, "A few words.", strings.Repeat("ü", n/2), 1) }
	c.must(200, "POST", "/email/receive", big(10<<20))
	if text := c.must(200, "GET", "/email/state", ""); len(text) < 10<<20 {
		t.Errorf("state has %d bytes", len(text))
	}
	if resp, text := c.ask("POST", "/email/receive", big(13<<20), "X-API-Key", c.secret); resp.StatusCode != 413 || !strings.Contains(text, "too large") {
		t.Errorf("13 MB: %d %.200s", resp.StatusCode, text)
	}
	if resp, _ := c.ask("POST", "/email/receive", big(1<<20)); resp.StatusCode != 401 {
		t.Errorf("1 MB without a key: %d", resp.StatusCode)
	}
	req, err := http.NewRequestWithContext(t.Context(), "POST", c.url+"/email/receive", io.MultiReader(strings.NewReader(big(13<<20))))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-API-Key", c.secret) // chunked: its length is not told
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	if err := resp.Body.Close(); err != nil {
		t.Fatal(err)
	}
	if resp.StatusCode != 413 {
		t.Errorf("13 MB in chunks: %d", resp.StatusCode)
	}
	c.must(200, "GET", "/simulator/time", "")
}

func TestPathsAndMethods(t *testing.T) {
	c := serve(t, fresh(t, simulator.Options{}))
	tests := []struct {
		method, path string
		status       int
		header, want string
	}{
		{"GET", "/events/?limit=1", 307, "Location", c.url + "/events?limit=1"},
		{"POST", "/email/send/", 307, "Location", c.url + "/email/send"},
		{"GET", "/nope/", 404, "", ""},
		{"GET", "//", 404, "", ""},
		{"GET", "/events/a/b", 404, "", ""},
		{"PATCH", "/events", 405, "Allow", "GET, POST"},
		{"PUT", "/keys/x", 405, "Allow", "GET, DELETE"},
		{"POST", "/health", 405, "Allow", "GET"},
		{"DELETE", "/events/next", 401, "Www-Authenticate", "ApiKey"}, // an event whose id is next
		{"GET", "/events/%2e%2e", 401, "", ""},
		{"GET", "/health", 200, "Content-Type", "application/json"},
		{"GET", "/docs", 200, "Content-Type", "text/html; charset=utf-8"},
		{"GET", "/redoc", 200, "Content-Type", "text/html; charset=utf-8"},
	}
	for _, tt := range tests {
		resp, text := c.ask(tt.method, tt.path, "")
		if resp.StatusCode != tt.status || tt.header != "" && resp.Header.Get(tt.header) != tt.want {
			t.Errorf("%s %s: %d %s %q: %s", tt.method, tt.path, resp.StatusCode, tt.header, resp.Header.Get(tt.header), text)
		}
	}
}

func TestOrigins(t *testing.T) {
	c := serve(t, fresh(t, simulator.Options{Origins: []string{"http://localhost:3000"}}))
	const friend, stranger = "http://localhost:3000", "http://evil.example"
	resp, text := c.ask("OPTIONS", "/email/send", "", "Origin", friend,
		"Access-Control-Request-Method", "POST", "Access-Control-Request-Headers", "x-api-key")
	if resp.StatusCode != 200 || text != "OK" || resp.Header.Get("Access-Control-Allow-Origin") != friend ||
		resp.Header.Get("Access-Control-Allow-Headers") != "x-api-key" {
		t.Errorf("friend's preflight: %d %q %v", resp.StatusCode, text, resp.Header)
	}
	resp, _ = c.ask("OPTIONS", "/email/send", "", "Origin", stranger, "Access-Control-Request-Method", "POST")
	if resp.StatusCode != 400 || resp.Header.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("stranger's preflight: %d %v", resp.StatusCode, resp.Header)
	}
	resp, _ = c.ask("GET", "/simulator/time", "", "Origin", friend, "X-API-Key", c.secret)
	if resp.StatusCode != 200 || resp.Header.Get("Access-Control-Allow-Origin") != friend || resp.Header.Get("Vary") != "Origin" {
		t.Errorf("friend: %d %v", resp.StatusCode, resp.Header)
	}
	resp, _ = c.ask("GET", "/simulator/time", "", "Origin", stranger, "X-API-Key", c.secret)
	if resp.StatusCode != 200 || resp.Header.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("stranger: %d %v", resp.StatusCode, resp.Header)
	}
}

func TestOpenAPI(t *testing.T) {
	c := serve(t, fresh(t, simulator.Options{}))
	_, text := c.ask("GET", "/openapi.json", "")
	var doc struct {
		OpenAPI string
		Info    struct{ Title, Version string }
		Paths   map[string]map[string]struct {
			Summary, Description, OperationID string
			Parameters                        []struct{ Name, In string }
		}
	}
	if err := json.Unmarshal([]byte(text), &doc); err != nil {
		t.Fatal(err)
	}
	ids := map[string]bool{}
	for path, methods := range doc.Paths {
		for method, op := range methods {
			if op.Summary == "" || ids[op.OperationID] && op.OperationID != "" {
				t.Errorf("%s %s: summary %q, id %q", method, path, op.Summary, op.OperationID)
			}
			ids[op.OperationID] = true
		}
	}
	if doc.Info.Version != "0.3.0" || doc.Paths["/events/{event_id}"]["delete"].Parameters[0].In != "path" ||
		!strings.Contains(doc.Paths["/email/send"]["post"].Description, "email:send") {
		t.Errorf("document: %+v", doc.Info)
	}
}

// TestLog: what is logged and with whose name.
func TestLog(t *testing.T) {
	c := serve(t, fresh(t, simulator.Options{}))
	for _, path := range []string{"/", "/health", "/docs", "/redoc", "/openapi.json", "/ws"} {
		c.ask("GET", path, "")
	}
	c.ask("GET", "/nope", "")
	c.ask("GET", "/simulator/time", "", "X-API-Key", c.secret, "User-Agent", "tester")
	var log struct {
		Entries []struct {
			Path      string `json:"path"`
			Status    int    `json:"status_code"`
			KeyName   string `json:"key_name"`
			ClientIP  string `json:"client_ip"`
			UserAgent string `json:"user_agent"`
		} `json:"entries"`
	}
	text := c.must(200, "GET", "/access-logs", "")
	if err := json.Unmarshal([]byte(text), &log); err != nil {
		t.Fatal(err)
	}
	if len(log.Entries) != 2 || log.Entries[0].Path != "/simulator/time" || log.Entries[0].KeyName != "Admin Key" ||
		log.Entries[0].ClientIP != "127.0.0.1" || log.Entries[0].UserAgent != "tester" ||
		log.Entries[1].Path != "/nope" || log.Entries[1].Status != 404 || log.Entries[1].KeyName != "" {
		t.Errorf("log: %s", text)
	}
}
