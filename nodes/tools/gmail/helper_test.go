package gmail_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/build"
	"github.com/weft-engine/weft/engine/chat"
	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/shape"
	"github.com/weft-engine/weft/engine/source"
	"github.com/weft-engine/weft/nodes/google"
	"github.com/weft-engine/weft/nodes/google/googletest"
	"github.com/weft-engine/weft/nodes/tools/gmail"
)

const me = "lance@company.com"

// start is when tests begin.
var start = time.Date(2026, 3, 9, 12, 0, 0, 0, time.UTC)

// world is a local Google and a program that is logged in there.
type world struct {
	*googletest.Server
	clock    *googletest.Clock
	accounts *google.Accounts
	dir      string
}

func newWorld(t testing.TB) *world {
	t.Helper()
	w := &world{clock: googletest.NewClock(start), dir: t.TempDir()}
	w.Server = googletest.Start(t, w.clock.Now)
	w.Account(me, "America/Los_Angeles")
	w.LogIn(t, w.dir, me)
	w.restart()
	return w
}

// restart is what a process begins with: nothing but the files.
func (w *world) restart() {
	w.accounts = &google.Accounts{Dir: w.dir, Now: w.clock.Now, Sleep: w.clock.Sleep, Rand: func() float64 { return 0.5 }, UnitsPerMinute: 1_000_000}
}

func (w *world) deps() gmail.Deps { return gmail.Deps{Google: w.accounts} }

// tree is plain data as a spec has it.
func tree(t testing.TB, text string) *source.Value {
	t.Helper()
	v, err := source.DecodeJSON([]byte(text))
	if err != nil {
		t.Fatalf("%s: %s", text, err)
	}
	return value(v)
}

func value(data any) *source.Value {
	v := &source.Value{Pos: diag.Pos{File: "spec.yaml", Line: 1, Col: 1}}
	switch d := data.(type) {
	case nil:
		v.Kind = source.Null
	case bool:
		v.Kind, v.Bool = source.Bool, d
	case string:
		v.Kind, v.Text = source.String, d
	case []any:
		v.Kind = source.List
		for _, item := range d {
			v.Items = append(v.Items, value(item))
		}
	case map[string]any:
		v.Kind = source.Map
		for _, key := range slices.Sorted(maps.Keys(d)) {
			v.Fields = append(v.Fields, source.Field{Key: key, Pos: v.Pos, Value: value(d[key])})
		}
	default:
		text, _ := json.Marshal(d)
		v.Kind, v.Text = source.Number, string(text)
	}
	return v
}

// scope is a place in a spec with the names that tools have.
func scope() (*build.Scope, *diag.List) {
	list := &diag.List{}
	spec := build.New(value(map[string]any{}), build.Types{}, list)
	anything := &shape.Type{Kind: shape.Any}
	return spec.NewScope(spec.Names(map[string]*shape.Type{"args": anything, "call": anything}), list), list
}

// open is parameters that take anything.
func open() *shape.Shape {
	return shape.NewLibrary(nil, &diag.List{}).Compile(value(map[string]any{"type": "object"}), &diag.List{})
}

func (w *world) tool(t testing.TB, config string) build.Backend {
	t.Helper()
	s, list := scope()
	b := gmail.Type(w.deps()).Build(s, &engine.Tool{Name: "x", Params: open()}, tree(t, config))
	if list.Len() > 0 || b.Backend == nil {
		t.Fatalf("findings: %v", list.Sorted())
	}
	return b
}

func op(b build.Backend, args map[string]any) (engine.Op, any, error) {
	scope := map[string]any{"args": args, "call": map[string]any{"id": "c1", "name": "x", "args": args}, "run": map[string]any{"started_at": start}}
	return b.Backend.Op(chat.ToolCall{ID: "c1", Name: "x", Args: args}, scope)
}

func theCall(p *engine.Perform, key string) engine.Call {
	return engine.Call{Key: key, Request: p.Request, Attempt: 1, Emit: func(string) {}}
}

// call carries a tool out once.
func (w *world) call(t testing.TB, config string, args map[string]any) (any, error) {
	t.Helper()
	return w.keyed(t.Context(), t, config, "thread/run/1", args)
}

func (w *world) keyed(ctx context.Context, t testing.TB, config, key string, args map[string]any) (any, error) {
	t.Helper()
	o, result, err := op(w.tool(t, config), args)
	if o == nil || err != nil {
		return result, err
	}
	p := o.(*engine.Perform)
	res, err := p.Handler.Handle(ctx, theCall(p, key))
	if err != nil {
		return nil, err
	}
	return engine.Plain(res.Value)
}

// must is the result as a map.
func must(t testing.TB, v any, err error) map[string]any {
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

// wantFailure checks class and a part of the message.
func wantFailure(t testing.TB, err error, class engine.Class, part string) {
	t.Helper()
	var f *engine.Failure
	if !errors.As(err, &f) {
		t.Fatalf("no failure but %v", err)
	}
	if f.Class != class || !strings.Contains(f.Message, part) {
		t.Fatalf("failure %s %q, want %s %q", f.Class, f.Message, class, part)
	}
}

// letter is a mail from Ana, who asks for half an hour.
func letter(n int) []byte {
	return fmt.Appendf(nil, "From: Ana Costa <ana@partner.example>\r\nTo: Lance <%s>\r\nCc: Bo <bo@company.com>\r\nSubject: Half an hour?\r\nMessage-ID: <%d@partner.example>\r\n"+
		"Date: Mon, 9 Mar 2026 11:00:00 +0100\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nHi Lance,\r\n\r\nTuesday at two?\r\n\r\nAna\r\n", me, n)
}

// answer is the arguments of an answer to a mail.
func answer(id string) map[string]any {
	return map[string]any{"to": []any{"ana@partner.example"}, "subject": "Re: Half an hour?", "body": "Hi Ana,\n\nTuesday is fine.\n\nLance", "reply_to": id}
}
