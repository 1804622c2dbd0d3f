package engine

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/weft-engine/weft/engine/source"
)

// blobSize is the length from which a text is kept apart, once for all events.
const blobSize = 4096

// blobKey marks the place of a text that is kept apart: {"$blob": "<hash>"}. Data
// with keys of its own that begin so gets one more $.
const blobKey = "$blob"

// EncodeEvent returns the event as stored. Seq is left to the caller.
func EncodeEvent(ev Event) (Record, error) {
	e := &encoder{out: make([]byte, 0, 256)}
	ev.put(e)
	if e.err != nil {
		return Record{}, fmt.Errorf("encode %s event: %w", ev.Kind(), e.err)
	}
	return Record{Kind: ev.Kind(), Data: e.out, Blobs: e.blobs}, nil
}

// DecodeEvent reads a stored event; blob fetches the texts kept apart. Data that
// EncodeEvent did not write gives ErrCorrupt, a kind from a later version ErrNewer.
func DecodeEvent(rec Record, blob func(Hash) ([]byte, error)) (Event, error) {
	ev := newEvent(rec.Kind)
	if ev == nil {
		return nil, fmt.Errorf("event %d has kind %d: %w", rec.Seq, rec.Kind, ErrNewer)
	}
	d := &decoder{in: rec.Data, blob: blob}
	ev.get(d)
	if d.err != nil {
		return nil, fmt.Errorf("event %d (%s): %w: %w", rec.Seq, rec.Kind, ErrCorrupt, d.err)
	}
	return ev, nil
}

func newEvent(k Kind) Event {
	switch k {
	case KindRunStarted:
		return new(RunStarted)
	case KindCallStarted:
		return new(CallStarted)
	case KindCallDone:
		return new(CallDone)
	case KindCallFailed:
		return new(CallFailed)
	case KindCallInDoubt:
		return new(CallInDoubt)
	case KindInterruptRaised:
		return new(InterruptRaised)
	case KindInterruptAnswered:
		return new(InterruptAnswered)
	case KindTimerFired:
		return new(TimerFired)
	case KindMemoryRead:
		return new(MemoryRead)
	case KindRunCanceled:
		return new(RunCanceled)
	case KindRunEnded:
		return new(RunEnded)
	case KindForked:
		return new(Forked)
	case KindStateSet:
		return new(StateSet)
	case KindUpgraded:
		return new(Upgraded)
	case KindMemoryChanged:
		return new(MemoryChanged)
	case KindTriggerPolled:
		return new(TriggerPolled)
	case KindTriggerSettled:
		return new(TriggerSettled)
	case KindTriggerPaused:
		return new(TriggerPaused)
	}
	return nil
}

// encoder writes fields one after another; the first error sticks.
type encoder struct {
	out   []byte
	blobs []Blob
	err   error
}

func (e *encoder) number(n int) {
	if n < 0 {
		e.err = fmt.Errorf("negative number %d", n)
		return
	}
	e.out = binary.AppendUvarint(e.out, uint64(n))
}

func (e *encoder) time(t time.Time) { e.out = binary.AppendVarint(e.out, t.UnixMilli()) }

func (e *encoder) target(t Target) {
	e.number(t.ID)
	e.number(t.Op)
}

func (e *encoder) text(texts ...string) {
	for _, s := range texts {
		e.bytes([]byte(strings.ToValidUTF8(s, "\uFFFD")))
	}
}

func (e *encoder) bytes(b []byte) {
	e.number(len(b))
	e.out = append(e.out, b...)
}

// json writes a small value of a type of ours.
func (e *encoder) json(v any) {
	data, err := encodeJSON(v)
	if err != nil {
		e.err = err
		return
	}
	e.bytes(data)
}

// value writes data of any size; its large texts are kept apart.
func (e *encoder) value(v any) {
	plain, err := Plain(v)
	if err != nil {
		e.err = err
		return
	}
	start := len(e.out)
	if e.out, err = source.AppendJSON(e.out, e.extract(plain)); err != nil {
		e.err = err
		return
	}
	e.measured(start)
}

// measured puts its length before what was appended from start on.
func (e *encoder) measured(start int) {
	var room [binary.MaxVarintLen64]byte
	length := binary.AppendUvarint(room[:0], uint64(len(e.out)-start))
	e.out = slices.Insert(e.out, start, length...)
}

// extract returns v with large texts replaced by references. v is not changed.
func (e *encoder) extract(v any) any {
	switch v := v.(type) {
	case string:
		if len(v) < blobSize {
			return v
		}
		hash := Hash(sha256.Sum256([]byte(v)))
		e.blobs = append(e.blobs, Blob{Hash: hash, Data: []byte(v)})
		return map[string]any{blobKey: hex.EncodeToString(hash[:])}
	case []any:
		return e.extractList(v)
	case map[string]any:
		return e.extractMap(v)
	default:
		return v
	}
}

func (e *encoder) extractList(v []any) any {
	if !slices.ContainsFunc(v, extractable) {
		return v
	}
	out := make([]any, len(v))
	for i, item := range v {
		out[i] = e.extract(item)
	}
	return out
}

func (e *encoder) extractMap(v map[string]any) any {
	if !extractable(v) {
		return v
	}
	out := make(map[string]any, len(v))
	for _, key := range slices.Sorted(maps.Keys(v)) {
		name := key
		if escapes(key) {
			name = "$" + key
		}
		out[name] = e.extract(v[key])
	}
	return out
}

// extractable reports whether extract changes anything in v.
func extractable(v any) bool {
	switch v := v.(type) {
	case string:
		return len(v) >= blobSize
	case []any:
		return slices.ContainsFunc(v, extractable)
	case map[string]any:
		for key, item := range v {
			if escapes(key) || extractable(item) {
				return true
			}
		}
	}
	return false
}

// escapes reports whether a key reads like our mark, with any number of $ before it.
func escapes(key string) bool {
	return strings.HasPrefix(key, "$") && strings.HasPrefix(strings.TrimLeft(key, "$"), blobKey[1:])
}

// decoder reads fields one after another; the first error sticks, and a field that
// is absent at the end is its zero value.
type decoder struct {
	in   []byte
	blob func(Hash) ([]byte, error)
	err  error
}

func (d *decoder) fail(format string, args ...any) {
	if d.err == nil {
		d.err = fmt.Errorf(format, args...)
	}
	d.in = nil
}

func (d *decoder) number() int {
	if d.err != nil || len(d.in) == 0 {
		return 0
	}
	n, size := binary.Uvarint(d.in)
	if size <= 0 || n > 1<<62 {
		d.fail("bad number")
		return 0
	}
	d.in = d.in[size:]
	return int(n)
}

func (d *decoder) time() time.Time {
	if d.err != nil || len(d.in) == 0 {
		return time.Time{}
	}
	ms, size := binary.Varint(d.in)
	if size <= 0 {
		d.fail("bad time")
		return time.Time{}
	}
	d.in = d.in[size:]
	return time.UnixMilli(ms).UTC()
}

func (d *decoder) target() Target { return Target{ID: d.number(), Op: d.number()} }

func (d *decoder) bytes() []byte {
	n := d.number()
	if n > len(d.in) {
		d.fail("%d bytes announced, %d left", n, len(d.in))
		return nil
	}
	b := d.in[:n]
	d.in = d.in[n:]
	return b
}

func (d *decoder) text(into ...*string) {
	for _, s := range into {
		*s = string(d.bytes())
	}
}

func (d *decoder) json(into any) {
	data := d.bytes()
	if len(data) == 0 || d.err != nil {
		return
	}
	if err := json.Unmarshal(data, into); err != nil {
		d.fail("%w", err)
	}
}

func (d *decoder) value() any {
	data := d.bytes()
	if len(data) == 0 || d.err != nil {
		return nil
	}
	v, err := source.DecodeJSON(data)
	if err != nil {
		d.fail("%w", err)
		return nil
	}
	if !bytes.Contains(data, []byte(blobKey)) {
		return v
	}
	return d.restore(v)
}

func (d *decoder) object() map[string]any {
	v := d.value()
	if v == nil {
		return nil
	}
	m, ok := v.(map[string]any)
	if !ok {
		d.fail("an object is expected, not %s", KindOf(v))
	}
	return m
}

// into reads what value wrote of a type of ours.
func (d *decoder) into(target any) {
	v := d.value()
	if v == nil || d.err != nil {
		return
	}
	data, err := encodeJSON(v)
	if err == nil {
		err = decodeInto(data, target)
	}
	if err != nil {
		d.fail("%w", err)
	}
}

// decodeInto decodes JSON into a struct of ours whose open fields hold plain data.
func decodeInto(data []byte, target any) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	if err := dec.Decode(target); err != nil {
		return err
	}
	switch t := target.(type) {
	case *InterruptRequest:
		t.Args, t.Parameters = plainObject(t.Args), plainObject(t.Parameters)
	case *Answer:
		t.Args = plainObject(t.Args)
	case *snapshot:
		t.State, t.Fields = plainObject(t.State), plainObject(t.Fields)
	}
	return nil
}

func plainObject(m map[string]any) map[string]any {
	if m == nil {
		return nil
	}
	plain, _ := Plain(m)
	out, _ := plain.(map[string]any)
	return out
}

// restore puts the texts kept apart back in their places.
func (d *decoder) restore(v any) any {
	switch v := v.(type) {
	case []any:
		for i, item := range v {
			v[i] = d.restore(item)
		}
	case map[string]any:
		if ref, ok := v[blobKey]; ok && len(v) == 1 {
			return d.fetch(ref)
		}
		out := make(map[string]any, len(v))
		for key, item := range v {
			if escapes(key) {
				key = key[1:]
			}
			out[key] = d.restore(item)
		}
		return out
	}
	return v
}

func (d *decoder) fetch(ref any) any {
	text, _ := ref.(string)
	raw, err := hex.DecodeString(text)
	if err != nil || len(raw) != len(Hash{}) {
		d.fail("bad reference to a large text")
		return nil
	}
	data, err := d.blob(Hash(raw))
	if err != nil {
		d.fail("large text %.12s: %w", text, err)
		return nil
	}
	return string(data)
}
