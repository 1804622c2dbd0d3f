package http_test

import (
	"encoding/json"
	"errors"
	"net"
	nethttp "net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/build"
	"github.com/weft-engine/weft/engine/chat"
	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/secret"
	"github.com/weft-engine/weft/engine/shape"
	"github.com/weft-engine/weft/nodes/internal/nodetest"
	"github.com/weft-engine/weft/nodes/tools/http"
)

// options of a tool under test.
type options struct {
	resolver *net.Resolver
	env      map[string]string
}

// newTool builds an http tool from its definition, as a spec would.
func newTool(t testing.TB, config string, o options) (build.Backend, *diag.List) {
	t.Helper()
	list := &diag.List{}
	spec := build.New(nodetest.Tree(t, "{}"), build.Types{}, list)
	any := &shape.Type{Kind: shape.Any}
	scope := spec.NewScope(spec.Names(map[string]*shape.Type{"args": any, "call": any}), list)
	vault := &secret.Vault{ReadFile: os.ReadFile, Getenv: func(name string) (string, bool) {
		v, ok := o.env[name]
		return v, ok
	}}
	now := func() time.Time { return time.Date(2026, 3, 9, 12, 0, 0, 0, time.UTC) }
	return http.Type(http.Deps{Vault: vault, Now: now, Resolver: o.resolver}).Build(scope, &engine.Tool{Name: "x"}, nodetest.Tree(t, config)), list
}

// mustTool fails the test when there are findings.
func mustTool(t testing.TB, config string, o options) build.Backend {
	t.Helper()
	tool, list := newTool(t, config, o)
	if list.Len() > 0 || tool.Backend == nil {
		t.Fatalf("findings: %v", list.Sorted())
	}
	return tool
}

// request is what the tool would send.
func request(tool build.Backend, args map[string]any) (*engine.Perform, error) {
	scope := map[string]any{"args": args, "call": map[string]any{"id": "c1", "name": "x", "args": args}}
	op, _, err := tool.Backend.Op(chat.ToolCall{ID: "c1", Name: "x", Args: args}, scope)
	if err != nil {
		return nil, err
	}
	return op.(*engine.Perform), nil
}

// call runs the tool once.
func call(t testing.TB, tool build.Backend, args map[string]any) (any, error) {
	t.Helper()
	p, err := request(tool, args)
	if err != nil {
		return nil, err
	}
	res, err := p.Handler.Handle(t.Context(), engine.Call{Key: "thread/run/1", Request: p.Request, Attempt: 1, Emit: func(string) {}})
	return res.Value, err
}

// wantFailure checks class and part of the message.
func wantFailure(t testing.TB, err error, class engine.Class, part string) engine.Failure {
	t.Helper()
	var f *engine.Failure
	if !errors.As(err, &f) {
		t.Fatalf("no failure but %v", err)
	}
	if f.Class != class || !strings.Contains(f.Message, part) {
		t.Fatalf("failure %s %q, want %s %q", f.Class, f.Message, class, part)
	}
	return *f
}

// quote is text as JSON.
func quote(text string) string {
	data, _ := json.Marshal(text)
	return string(data)
}

// ok answers {"ok": true}.
func ok(w nethttp.ResponseWriter, _ *nethttp.Request) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write([]byte(`{"ok": true}`))
}
