// Package modalitytest has what the tests of all modalities need: a small world that
// executes at once, calls to endpoints without HTTP, and the property that everything can
// be undone and done again.
package modalitytest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-engine/weft/nodes/ues/simulator/field"
	"github.com/weft-engine/weft/nodes/ues/simulator/modality"
	"github.com/weft-engine/weft/nodes/ues/simulator/ordered"
)

// Bench is a world with one modality. Its clock stands still until the test moves it, its
// identifiers count up.
type Bench struct {
	Kind    modality.Kind
	State   modality.State
	Now     field.Time
	Last    modality.Input // what was acted or applied last
	Undos   []modality.Undo
	Notices []string
	ids     int
}

// Key is the key_id of the caller of Call.
const Key = "ues_0123456789abcdef"

// New makes a fresh bench at 2025-01-15 09:00 UTC.
func New(kind modality.Kind) *Bench {
	b := &Bench{Kind: kind, Now: MustTime("2025-01-15T09:00:00Z")}
	b.State = kind.New(b.Moment())
	return b
}

// Load makes a bench with a state in scenario form.
func Load(t testing.TB, kind modality.Kind, doc string) *Bench {
	t.Helper()
	b := New(kind)
	s, errs := kind.Load(MustObject(doc), b.Moment())
	if len(errs) > 0 {
		t.Fatalf("load: %v", errs)
	}
	b.State = s
	return b
}

// MustTime reads a time that is known to be one.
func MustTime(s string) field.Time {
	t, err := field.ParseTime(s)
	if err != nil {
		panic(err) //nolint:forbidigo // a test's literal is wrong
	}
	return t
}

// MustObject reads an object that is known to be one.
func MustObject(s string) *ordered.Map {
	m, err := ordered.ParseObject([]byte(s))
	if err != nil {
		panic(fmt.Sprintf("%v in %s", err, s)) //nolint:forbidigo // a test's literal is wrong
	}
	return m
}

// Moment is what the modality may ask.
func (b *Bench) Moment() modality.Moment {
	return modality.Moment{
		Now:   b.Now,
		NewID: func() string { b.ids++; return fmt.Sprintf("id-%d", b.ids) },
		Wall:  func() time.Time { return time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC) },
	}
}

// Act executes an input at once.
func (b *Bench) Act(_ string, in modality.Input, _ string) modality.Outcome {
	out := modality.Outcome{EventID: b.Moment().NewID(), At: b.Now}
	if b.State == nil {
		out.Error = "KeyError: no such modality"
		return out
	}
	if err := b.apply(in); err != nil {
		out.Error = "ValueError: " + err.Error()
	}
	return out
}

func (b *Bench) apply(in modality.Input) error {
	b.Last = in
	undo, err := b.State.Apply(in, b.Moment())
	if err == nil && undo != nil {
		b.Undos = append(b.Undos, undo)
	}
	return err
}

// Modalities are the names in the environment.
func (b *Bench) Modalities() []string { return []string{b.Kind.Name} }

// Tell notes a notice: its kind and its data.
func (b *Bench) Tell(kind string, data func(dst []byte) []byte) {
	b.Notices = append(b.Notices, kind+" "+string(data(nil)))
}

// Apply decodes a payload, checks it and applies it. A timestamp is added when it has none.
func (b *Bench) Apply(payload string) error {
	doc := MustObject(payload)
	if _, found := doc.Get("timestamp"); !found {
		doc.Set("timestamp", b.Now.ISO())
	}
	in, errs := b.Kind.Decode(doc, b.Moment())
	if len(errs) > 0 {
		return fmt.Errorf("decode: %w", errs[0])
	}
	if err := in.Check(); err != nil {
		return err
	}
	return b.apply(in)
}

// MustApply is Apply for payloads that are known to be good.
func (b *Bench) MustApply(t testing.TB, payload string) {
	t.Helper()
	if err := b.Apply(payload); err != nil {
		t.Fatalf("apply %s: %v", payload, err)
	}
}

// Undo reverses the newest execution and gives the action's name.
func (b *Bench) Undo(t testing.TB) string {
	t.Helper()
	last := len(b.Undos) - 1
	undo := b.Undos[last]
	b.Undos = b.Undos[:last]
	action, err := undo()
	if err != nil {
		t.Fatalf("undo: %v", err)
	}
	return action
}

// Dump is the state in scenario form.
func (b *Bench) Dump() string { return string(b.State.AppendJSON(nil)) }

// Call asks an endpoint and gives status and body. The target is a path that may have a
// query; an empty body is none.
func (b *Bench) Call(t testing.TB, method, target, body string) (int, string) {
	t.Helper()
	path, query, _ := strings.Cut(target, "?")
	i := slices.IndexFunc(b.Kind.Routes, func(r modality.Route) bool { return r.Method == method && r.Path == path })
	if i < 0 {
		t.Fatalf("no route %s %s", method, path)
	}
	r := &modality.Request{
		Moment: b.Moment(), Key: Key, State: b.State, World: b,
		Query: func(name string) (string, bool) {
			for part := range strings.SplitSeq(query, "&") {
				if k, v, _ := strings.Cut(part, "="); k == name {
					return v, true
				}
			}
			return "", false
		},
		Path: func(string) string { return "" },
	}
	if body != "" {
		r.Body = MustObject(body)
	}
	resp := b.Kind.Routes[i].Handle(r)
	return resp.Status, string(resp.Write(nil))
}

// Expect calls an endpoint and compares status and body, whatever the order of members.
func (b *Bench) Expect(t testing.TB, call, body string, status int, want string) {
	t.Helper()
	method, target, _ := strings.Cut(call, " ")
	got, text := b.Call(t, method, target, body)
	if got != status {
		t.Fatalf("%s %s: status %d, want %d: %.500s", call, body, got, status, text)
	}
	if diff := cmp.Diff(Plain(t, want), Plain(t, text)); diff != "" {
		t.Errorf("%s %s (-want +got):\n%s", call, body, diff)
	}
}

// Plain decodes a JSON text for comparing: maps lose their order.
func Plain(t testing.TB, text string) any {
	t.Helper()
	v, err := ordered.Parse([]byte(text))
	if err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return plain(v)
}

func plain(v any) any {
	switch v := v.(type) {
	case *ordered.Map:
		m := map[string]any{}
		for name, x := range v.All() {
			m[name] = plain(x)
		}
		return m
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = plain(v[i])
		}
		return list
	}
	return v
}
