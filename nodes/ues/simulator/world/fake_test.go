package world_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/weft-engine/weft/nodes/ues/simulator/field"
	"github.com/weft-engine/weft/nodes/ues/simulator/jsontext"
	"github.com/weft-engine/weft/nodes/ues/simulator/modality"
	"github.com/weft-engine/weft/nodes/ues/simulator/ordered"
	"github.com/weft-engine/weft/nodes/ues/simulator/world"
)

// A note is a payload of a modality made for these tests: its text is put at the end of a
// list. The text "bad" breaks a rule, "fail" fails when it is applied, "stuck" cannot be
// undone. Undo complains when the list does not end with what it is to remove.
type note struct {
	modality.Head
	text string
}

func (n *note) Check() error {
	if n.text == "bad" {
		return errors.New("a note must not be bad")
	}
	return nil
}

func (n *note) AppendJSON(dst []byte) []byte {
	o := n.Open(dst, "email")
	o.String("text", n.text)
	return o.Close()
}

// notes is the state.
type notes struct {
	modality.Stamp
	texts []string
}

func (s *notes) Apply(in modality.Input, _ modality.Moment) (modality.Undo, error) {
	n := in.(*note)
	if n.text == "fail" {
		return nil, &modality.Fault{Class: "TypeError", Text: "it failed"}
	}
	before := s.Stamp
	s.texts = append(s.texts, n.text)
	s.Touch(n.At)
	if n.text == "mute" {
		return nil, nil
	}
	return func() (string, error) {
		last := len(s.texts) - 1
		if n.text == "stuck" {
			return "", errors.New("it is stuck")
		}
		if last < 0 || s.texts[last] != n.text {
			return "", fmt.Errorf("the list ends with %q, not with %q", s.texts[last:], n.text)
		}
		s.texts, s.Stamp = s.texts[:last], before
		return "remove_note", nil
	}, nil
}

func (s *notes) AppendJSON(dst []byte) []byte {
	o := s.Open(dst, "email")
	o.Strings("texts", s.texts)
	return o.Close()
}

func (s *notes) AppendCompact(dst []byte, _ modality.Moment) []byte {
	o := jsontext.Open(dst)
	o.Int("texts", len(s.texts))
	return o.Close()
}

func (s *notes) Summary(modality.Moment) string { return fmt.Sprintf("%d notes", len(s.texts)) }

func (s *notes) Problems() []string {
	if slices.Contains(s.texts, "invalid") {
		return []string{"there is an invalid note"}
	}
	return nil
}

func (s *notes) Clear(m modality.Moment) { *s = notes{Stamp: modality.Stamp{LastUpdated: m.Now}} }

func decode(data *ordered.Map, m modality.Moment) (modality.Input, []field.Error) {
	r := field.Read(data)
	n := &note{Head: modality.ReadHead(r, "email", m), text: field.Need(r, "text", field.String)}
	return n, r.Errors()
}

func load(doc *ordered.Map, _ modality.Moment) (modality.State, []field.Error) {
	r := field.Read(doc)
	s := &notes{Stamp: modality.ReadStamp(r, "email"), texts: field.Or(r, "texts", field.List(field.String, 0), nil)}
	return s, r.Errors()
}

// kinds are the fake, called as a modality that may be scheduled.
func kinds() []modality.Kind {
	kind := func(name string) modality.Kind {
		return modality.Kind{
			Name: name, Unscheduled: name == "contacts", Load: load, Decode: decode,
			New: func(m modality.Moment) modality.State {
				return &notes{Stamp: modality.Stamp{LastUpdated: m.Now}}
			},
		}
	}
	return []modality.Kind{kind("email")}
}

// bench is a world whose clock begins at t0 and whose wall the test moves.
type bench struct {
	*world.World
	wall time.Time
	ids  int
}

const t0 = "2026-01-28T06:00:00Z"

func at(second int) field.Time { return field.UTC(mustTime(t0).Micros() + int64(second)*1e6) }

func mustTime(s string) field.Time {
	t, err := field.ParseTime(s)
	if err != nil {
		panic(err)
	}
	return t
}

func newBench() *bench {
	b := &bench{wall: mustTime(t0).Go()}
	b.World = world.New(world.Options{
		Kinds: kinds(), Now: func() time.Time { return b.wall }, Version: "0.3.0",
		NewID: func() string { b.ids++; return fmt.Sprintf("id-%d", b.ids) },
	})
	return b
}

// running is a bench whose simulation has started.
func running(t testing.TB) *bench {
	t.Helper()
	b := newBench()
	if err := b.Start(false, 1); err != nil {
		t.Fatal(err)
	}
	return b
}

func data(text string) *ordered.Map {
	return ordered.NewMap(ordered.Member{Name: "text", Value: text})
}

// plan schedules a note and gives the event's id.
func (b *bench) plan(t testing.TB, second int, text string) string {
	t.Helper()
	e, err := b.Draft(world.Draft{At: at(second), Modality: "email", Data: data(text), Priority: 50})
	if err == nil {
		err = b.Schedule(e)
	}
	if err != nil {
		t.Fatal(err)
	}
	return e.ID
}

// act executes a note at once.
func (b *bench) act(t testing.TB, text string) modality.Outcome {
	t.Helper()
	out, err := b.Perform("email", data(text), "tester")
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// texts are the notes in the state.
func (b *bench) texts() []string { return b.State("email").(*notes).texts }
