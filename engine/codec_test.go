package engine_test

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/chat"
)

func events() []engine.Event {
	at := epoch.Add(1234 * time.Millisecond)
	due := at.Add(time.Hour)
	target := engine.Target{ID: 7, Op: 2}
	big := strings.Repeat("ä", 5000)
	return []engine.Event{
		&engine.RunStarted{At: at, Run: "r", Graph: "g", Spec: "h", User: "u", Input: map[string]any{"mail": map[string]any{"body": big, "n": 3, "f": 2.5}}},
		&engine.CallStarted{At: at, Target: target, Attempt: 2, Label: "send", Args: map[string]any{"to": "a@b"}},
		&engine.CallDone{At: at, Target: target, Value: []any{nil, true, 1, 2.5, "x", map[string]any{}}, Usage: &chat.Usage{Model: "m", Requests: 1, InputTokens: 5, USD: 0.25}},
		&engine.CallDone{At: at, Target: target, Value: big, Cached: true},
		&engine.CallDone{At: at, Target: target, Value: map[string]any{"$blob": "abc", "$$blob": 1, "$blobber": big}},
		&engine.CallFailed{At: at, Target: target, Jitter: 0.5, Failure: engine.Failure{Class: engine.Transient, Message: "busy", RetryAfter: time.Second}},
		&engine.CallInDoubt{At: at, Target: target, Reason: "killed"},
		&engine.InterruptRaised{At: at, Target: target, Request: engine.InterruptRequest{
			ID: "i", Kind: "tool", Node: "g/n", Title: "t", Description: big, Allow: []engine.Response{engine.Accept},
			Action: "send", Args: map[string]any{"n": 1, "f": 1.5}, Opened: at, Due: &due, Default: engine.Accept,
		}},
		&engine.InterruptAnswered{At: at, Answer: engine.Answer{Interrupt: "i", Response: engine.Edit, Args: map[string]any{"n": 2}, By: "ann"}},
		&engine.TimerFired{At: at, Timer: engine.RetryTimer, Target: target},
		&engine.TimerFired{At: at, Timer: engine.NodeTimer, Target: target, Settle: true},
		&engine.MemoryRead{At: at, Target: target, Values: map[string]engine.MemoryValue{"prefs": {Text: big, Version: 4}}},
		&engine.RunCanceled{At: at, By: "ann", Reason: "enough"},
		&engine.RunEnded{At: at, Status: engine.Failed, Failure: &engine.Failure{Class: engine.Limit, Message: "m", Node: "n"}},
		&engine.RunEnded{At: at, Status: engine.Done},
		&engine.Forked{At: at, Thread: "other", Seq: 12},
		&engine.StateSet{At: at, By: "ann", Values: map[string]any{"x": []any{1}}},
		&engine.Upgraded{At: at, Spec: "h2"},
		&engine.TriggerPolled{At: at, Cursor: "17", Items: []engine.TriggerItem{{Key: "k", Thread: "t", Run: "r", Input: map[string]any{"text": big, "n": 1}}, {Key: "l", Thread: "u", Run: "s"}}},
		&engine.TriggerPolled{At: at},
		&engine.TriggerSettled{At: at, Key: "k", Outcome: "skipped", Reason: "it waits"},
		&engine.TriggerPaused{At: at, Reason: "the login has expired", Mend: "Log in.", Sign: "s"},
		&engine.MemoryChanged{At: at, Key: "k", Base: 3, Status: "applied", Text: big, Why: "w", By: "b", Run: "r"},
	}
}

func TestEventsComeBackAsTheyWere(t *testing.T) {
	for _, ev := range events() {
		if diff := cmp.Diff(ev, through(t, ev)); diff != "" {
			t.Errorf("%s (-in +out):\n%s", ev.Kind(), diff)
		}
	}
}

func TestLargeTextsAreKeptApart(t *testing.T) {
	big := strings.Repeat("x", 100_000)
	rec, err := engine.EncodeEvent(&engine.CallDone{At: epoch, Value: map[string]any{"a": big, "b": big}})
	if err != nil {
		t.Fatal(err)
	}
	if len(rec.Data) > 300 || len(rec.Blobs) != 2 || rec.Blobs[0].Hash != rec.Blobs[1].Hash {
		t.Errorf("%d bytes, %d blobs", len(rec.Data), len(rec.Blobs))
	}
}

func TestSmallResultCostsLittleMoreThanItself(t *testing.T) {
	value := strings.Repeat("x", 100)
	rec, err := engine.EncodeEvent(&engine.CallDone{At: epoch, Target: engine.Target{ID: 900, Op: 1}, Value: value})
	if err != nil {
		t.Fatal(err)
	}
	if over := len(rec.Data) - len(value); over > 16 {
		t.Errorf("%d bytes over the payload", over)
	}
}

func TestDamagedEventsAreCorrupt(t *testing.T) {
	missing := func(engine.Hash) ([]byte, error) { return nil, engine.ErrNotFound }
	for name, rec := range map[string]engine.Record{
		"cut":          {Kind: engine.KindCallDone, Data: []byte{2, 1, 1, 0, 200, 1, '"'}},
		"not JSON":     {Kind: engine.KindCallDone, Data: []byte{2, 1, 1, 0, 3, 'a', 'b', 'c'}},
		"missing blob": {Kind: engine.KindCallDone, Data: append([]byte{2, 1, 1, 0, 76}, []byte(`{"$blob":"`+strings.Repeat("0", 64)+`"}`)...)},
		"bad blob ref": {Kind: engine.KindCallDone, Data: append([]byte{2, 1, 1, 0, 14}, []byte(`{"$blob":"zz"}`)...)},
		"wrong shape":  {Kind: engine.KindStateSet, Data: []byte{2, 0, 1, '1'}},
	} {
		if _, err := engine.DecodeEvent(rec, missing); !errors.Is(err, engine.ErrCorrupt) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := engine.DecodeEvent(engine.Record{Kind: 200}, missing); !errors.Is(err, engine.ErrNewer) {
		t.Errorf("unknown kind: %v", err)
	}
}

func FuzzDecodeEvent(f *testing.F) {
	for _, ev := range events() {
		rec, err := engine.EncodeEvent(ev)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(uint8(rec.Kind), rec.Data)
	}
	blob := func(engine.Hash) ([]byte, error) { return []byte("big"), nil }
	f.Fuzz(func(t *testing.T, kind uint8, data []byte) {
		ev, err := engine.DecodeEvent(engine.Record{Kind: engine.Kind(kind), Data: data}, blob)
		if err != nil {
			if !errors.Is(err, engine.ErrCorrupt) && !errors.Is(err, engine.ErrNewer) {
				t.Fatalf("neither corrupt nor newer: %v", err)
			}
			return
		}
		if _, err := engine.EncodeEvent(ev); err != nil {
			t.Fatalf("decoded, but not encodable: %v", err)
		}
	})
}

// plainGen draws plain data.
func plainGen() *rapid.Generator[any] {
	return rapid.Custom(func(t *rapid.T) any { return drawPlain(t, 3) })
}

func drawPlain(t *rapid.T, depth int) any {
	kinds := []string{"null", "bool", "int", "float", "string"}
	if depth > 0 {
		kinds = append(kinds, "list", "map")
	}
	switch rapid.SampledFrom(kinds).Draw(t, "kind") {
	case "bool":
		return rapid.Bool().Draw(t, "bool")
	case "int":
		return rapid.Int().Draw(t, "int")
	case "float":
		return float64(rapid.IntRange(-1000, 1000).Draw(t, "half")) + 0.5
	case "string":
		return rapid.String().Draw(t, "string")
	case "list":
		out := []any{}
		for range rapid.IntRange(0, 4).Draw(t, "len") {
			out = append(out, drawPlain(t, depth-1))
		}
		return out
	case "map":
		out := map[string]any{}
		for range rapid.IntRange(0, 4).Draw(t, "len") {
			key := rapid.SampledFrom([]string{"a", "$blob", "$$blob", "$blobs", "id", "ü"}).Draw(t, "key")
			out[key] = drawPlain(t, depth-1)
		}
		return out
	}
	return nil
}

func TestPlainDataSurvivesTheJournal(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		v := plainGen().Draw(rt, "value")
		plain, err := engine.Plain(v)
		if err != nil {
			rt.Fatal(err)
		}
		if diff := cmp.Diff(v, plain); diff != "" {
			rt.Fatalf("plain data was changed:\n%s", diff)
		}
		back := through(t, &engine.CallDone{At: epoch, Value: v}).(*engine.CallDone)
		if diff := cmp.Diff(v, back.Value); diff != "" {
			rt.Fatalf("(-in +out):\n%s", diff)
		}
	})
}

func TestPlainNormalises(t *testing.T) {
	type pair struct {
		A int      `json:"a"`
		B []string `json:"b"`
	}
	for _, c := range []struct{ in, want any }{
		{3.0, 3},
		{math.Copysign(0, -1), 0},
		{2.5, 2.5},
		{1e300, 1e300},
		{int64(5), 5},
		{float32(1.5), 1.5},
		{[]string{"a"}, []any{"a"}},
		{map[string]int{"x": 1}, map[string]any{"x": 1}},
		{pair{1, nil}, map[string]any{"a": 1, "b": nil}},
		{[]any(nil), nil},
		{map[string]any(nil), nil},
		{"a\xffb", "a\uFFFDb"},
		{[]any{2.0}, []any{2}},
		{json(`{"n": 12345678901234567}`), map[string]any{"n": 12345678901234567}},
	} {
		got, err := engine.Plain(c.in)
		if err != nil {
			t.Errorf("%v: %v", c.in, err)
		} else if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%#v (-want +got):\n%s", c.in, diff)
		}
	}
	for _, bad := range []any{math.NaN(), math.Inf(1), func() {}, map[string]any{"x": make(chan int)}} {
		if _, err := engine.Plain(bad); err == nil {
			t.Errorf("%T is taken for data", bad)
		}
	}
}

// json is data that only has JSON.
type json string

func (j json) MarshalJSON() ([]byte, error) { return []byte(j), nil }
