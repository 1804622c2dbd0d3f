package model_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/weft-engine/weft/engine/chat"
	"github.com/weft-engine/weft/engine/model"
	"github.com/weft-engine/weft/engine/secret"
)

const apiKey = "sk-very-secret-0123456789"

var start = time.Date(2026, 1, 28, 6, 0, 0, 0, time.UTC)

func vault() *secret.Vault {
	return &secret.Vault{
		Getenv: func(name string) (string, bool) {
			if name == "API_KEY" {
				return apiKey, true
			}
			return "", false
		},
		ReadFile: func(string) ([]byte, error) { return nil, errors.New("no such file") },
	}
}

// server answers each request with the next of its handlers, and the last one again
// and again. It remembers what it was sent.
type server struct {
	*httptest.Server
	mu       sync.Mutex
	handlers []http.HandlerFunc
	bodies   []string
	headers  []http.Header
	paths    []string
}

func serve(t testing.TB, handlers ...http.HandlerFunc) *server {
	t.Helper()
	s := &server{handlers: handlers}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		s.mu.Lock()
		s.bodies = append(s.bodies, string(body))
		s.headers = append(s.headers, r.Header)
		s.paths = append(s.paths, r.URL.RequestURI())
		h := s.handlers[min(len(s.bodies), len(s.handlers))-1]
		s.mu.Unlock()
		h(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *server) requests() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.bodies)
}

func answer(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, body)
	}
}

func says(text string) http.HandlerFunc {
	return answer(fmt.Sprintf(`{"choices":[{"index":0,"message":{"role":"assistant","content":%q},"finish_reason":"stop"}],"usage":{"prompt_tokens":10,"completion_tokens":2}}`, text))
}

func refuse(status int, body string, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// provider returns a client whose sleeps only are written down.
func provider(s *server, slept *[]time.Duration) *model.Provider {
	p := &model.Provider{
		Vault: vault(), HTTP: model.NewHTTPClient(), Now: func() time.Time { return start },
		Rand: func() float64 { return 1 },
		Sleep: func(ctx context.Context, d time.Duration) error {
			if slept != nil {
				*slept = append(*slept, d)
			}
			return ctx.Err()
		},
	}
	if s != nil {
		p.BaseURLs = map[string]string{"openai": s.URL}
	}
	return p
}

func gpt() *chat.Model {
	return &chat.Model{
		Name: "default", Provider: "openai", Model: "gpt-4.1", APIKey: secret.Ref{Env: "API_KEY"},
		Retry:  chat.Retry{Attempts: 3, Backoff: time.Second, MaxBackoff: 10 * time.Second},
		Prices: chat.Prices{InputPerMillion: 2, OutputPerMillion: 8},
	}
}

func hello(m *chat.Model) chat.Request {
	return chat.Request{Model: m, Node: "g/agent", Messages: []chat.Message{{Role: chat.User, Content: "Hello"}}}
}

// failed returns the error as the clients promise it.
func failed(t *testing.T, err error) *chat.Error {
	t.Helper()
	var e *chat.Error
	if !errors.As(err, &e) {
		t.Fatalf("got %v, which is no *chat.Error", err)
	}
	return e
}
