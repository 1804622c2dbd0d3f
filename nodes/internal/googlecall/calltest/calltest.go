// Package calltest is what tests of the Google backends have in common: a local Google
// with one user, a program that is logged in there, and tools of a spec called as the
// engine calls them.
package calltest

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/build"
	"github.com/weft-engine/weft/engine/chat"
	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/shape"
	"github.com/weft-engine/weft/nodes/google"
	"github.com/weft-engine/weft/nodes/google/googletest"
	"github.com/weft-engine/weft/nodes/internal/nodetest"
)

// Me is the user.
const Me = "lance@company.com"

// Start is when tests begin.
var Start = time.Date(2026, 3, 9, 12, 0, 0, 0, time.UTC)

// World is a local Google and a program that is logged in there.
type World struct {
	*googletest.Server
	Clock    *googletest.Clock
	Accounts *google.Accounts
	Dir      string // of logins
	backend  func(*google.Accounts) build.BackendType
}

// New returns a world whose tools are of a backend.
func New(t testing.TB, backend func(*google.Accounts) build.BackendType) *World {
	t.Helper()
	w := &World{Clock: googletest.NewClock(Start), Dir: t.TempDir(), backend: backend}
	w.Server = googletest.Start(t, w.Clock.Now)
	w.Account(Me, "America/Los_Angeles")
	w.LogIn(t, w.Dir, Me)
	w.Restart()
	return w
}

// Restart is what a process begins with: nothing but the files.
func (w *World) Restart() {
	w.Accounts = &google.Accounts{Dir: w.Dir, Now: w.Clock.Now, Sleep: w.Clock.Sleep, Rand: func() float64 { return 0.5 }, UnitsPerMinute: 1_000_000}
}

// Build compiles a tool that has these parameters.
func (w *World) Build(t testing.TB, config string, params *shape.Shape) (build.Backend, *diag.List) {
	t.Helper()
	s, list := Scope(t)
	return w.backend(w.Accounts).Build(s, &engine.Tool{Name: "x", Params: params}, nodetest.Tree(t, config)), list
}

// Tool compiles a tool that takes anything.
func (w *World) Tool(t testing.TB, config string) build.Backend {
	t.Helper()
	b, list := w.Build(t, config, Open(t))
	if list.Len() > 0 || b.Backend == nil {
		t.Fatalf("findings: %v", list.Sorted())
	}
	return b
}

// Call carries a tool out once.
func (w *World) Call(t testing.TB, config string, args map[string]any) (any, error) {
	t.Helper()
	return w.Keyed(t.Context(), t, config, "thread/run/1", args)
}

// Keyed carries a tool out as the call with a key.
func (w *World) Keyed(ctx context.Context, t testing.TB, config, key string, args map[string]any) (any, error) {
	t.Helper()
	o, result, err := Op(w.Tool(t, config), args)
	if o == nil || err != nil {
		return result, err
	}
	p := o.(*engine.Perform)
	res, err := p.Handler.Handle(ctx, TheCall(p, key))
	if err != nil {
		return nil, err
	}
	return engine.Plain(res.Value)
}

// Scope is a place in a spec with the names that tools have.
func Scope(t testing.TB) (*build.Scope, *diag.List) {
	t.Helper()
	list := &diag.List{}
	spec := build.New(nodetest.Value(t, map[string]any{}), build.Types{}, list)
	anything := &shape.Type{Kind: shape.Any}
	return spec.NewScope(spec.Names(map[string]*shape.Type{"args": anything, "call": anything}), list), list
}

// Open is parameters that take anything.
func Open(t testing.TB) *shape.Shape {
	t.Helper()
	return shape.NewLibrary(nil, &diag.List{}).Compile(nodetest.Value(t, map[string]any{"type": "object"}), &diag.List{})
}

// Op plans a call of a tool.
func Op(b build.Backend, args map[string]any) (engine.Op, any, error) {
	scope := map[string]any{"args": args, "call": map[string]any{"id": "c1", "name": "x", "args": args}, "run": map[string]any{"started_at": Start}}
	return b.Backend.Op(chat.ToolCall{ID: "c1", Name: "x", Args: args}, scope)
}

// TheCall is the call with a key.
func TheCall(p *engine.Perform, key string) engine.Call {
	return engine.Call{Key: key, Request: p.Request, Attempt: 1, Emit: func(string) {}}
}

// Must is the result as a map.
func Must(t testing.TB, v any, err error) map[string]any {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	m, ok := v.(map[string]any)
	if !ok {
		t.Fatalf("the result is a %T", v)
	}
	return m
}

// WantFailure checks class and a part of the message.
func WantFailure(t testing.TB, err error, class engine.Class, part string) {
	t.Helper()
	var f *engine.Failure
	if !errors.As(err, &f) {
		t.Fatalf("no failure but %v", err)
	}
	if f.Class != class || !strings.Contains(f.Message, part) {
		t.Fatalf("failure %s %q, want %s %q", f.Class, f.Message, class, part)
	}
}

// Killer ends the process at a request: at the one that comes after Point others of
// those that match "METHOD path", before it is sent or when it is answered.
type Killer struct {
	Match string
	Point int
	After bool
	Kill  func()
}

// RoundTrip sends a request, or is the end.
func (k *Killer) RoundTrip(r *http.Request) (*http.Response, error) {
	hit := false
	if strings.Contains(r.Method+" "+r.URL.Path, k.Match) {
		hit = k.Point == 0
		k.Point--
	}
	if hit && !k.After {
		k.Kill()
		return nil, context.Canceled
	}
	res, err := http.DefaultTransport.RoundTrip(r)
	if hit {
		k.Kill()
		if err == nil {
			_ = res.Body.Close()
		}
		return nil, context.Canceled
	}
	return res, err
}
