package engine

import (
	"time"

	"github.com/weft-engine/weft/engine/chat"
)

// The codec of each event: what put writes, get reads, in the same order. A field
// may be added at the end only; get then finds it absent in older events.

func (*RunStarted) Kind() Kind        { return KindRunStarted }
func (v *RunStarted) Time() time.Time { return v.At }
func (v *RunStarted) put(e *encoder) {
	e.time(v.At)
	e.text(v.Run, v.Graph, v.Spec, v.User)
	e.value(v.Input)
}
func (v *RunStarted) get(d *decoder) {
	v.At = d.time()
	d.text(&v.Run, &v.Graph, &v.Spec, &v.User)
	v.Input = d.object()
}
func (*CallStarted) Kind() Kind        { return KindCallStarted }
func (v *CallStarted) Time() time.Time { return v.At }
func (v *CallStarted) put(e *encoder) {
	e.time(v.At)
	e.target(v.Target)
	e.number(v.Attempt)
	e.text(v.Label)
	e.value(v.Args)
}

func (v *CallStarted) get(d *decoder) {
	v.At, v.Target, v.Attempt = d.time(), d.target(), d.number()
	d.text(&v.Label)
	v.Args = d.value()
}
func (*CallDone) Kind() Kind        { return KindCallDone }
func (v *CallDone) Time() time.Time { return v.At }
func (v *CallDone) put(e *encoder) {
	e.time(v.At)
	e.target(v.Target)
	flags := 0
	if v.Cached {
		flags |= 1
	}
	if v.Usage != nil {
		flags |= 2
	}
	e.number(flags)
	if v.Usage != nil {
		e.json(v.Usage)
	}
	e.value(v.Value)
}

func (v *CallDone) get(d *decoder) {
	v.At, v.Target = d.time(), d.target()
	flags := d.number()
	v.Cached = flags&1 != 0
	if flags&2 != 0 {
		v.Usage = new(chat.Usage)
		d.json(v.Usage)
	}
	v.Value = d.value()
}
func (*CallFailed) Kind() Kind        { return KindCallFailed }
func (v *CallFailed) Time() time.Time { return v.At }
func (v *CallFailed) put(e *encoder) {
	e.time(v.At)
	e.target(v.Target)
	e.json(v.Failure)
	e.json(v.Jitter)
}
func (v *CallFailed) get(d *decoder) {
	v.At, v.Target = d.time(), d.target()
	d.json(&v.Failure)
	d.json(&v.Jitter)
}
func (*CallInDoubt) Kind() Kind            { return KindCallInDoubt }
func (v *CallInDoubt) Time() time.Time     { return v.At }
func (v *CallInDoubt) put(e *encoder)      { e.time(v.At); e.target(v.Target); e.text(v.Reason) }
func (v *CallInDoubt) get(d *decoder)      { v.At, v.Target = d.time(), d.target(); d.text(&v.Reason) }
func (*InterruptRaised) Kind() Kind        { return KindInterruptRaised }
func (v *InterruptRaised) Time() time.Time { return v.At }
func (v *InterruptRaised) put(e *encoder)  { e.time(v.At); e.target(v.Target); e.value(v.Request) }
func (v *InterruptRaised) get(d *decoder)  { v.At, v.Target = d.time(), d.target(); d.into(&v.Request) }

func (*InterruptAnswered) Kind() Kind        { return KindInterruptAnswered }
func (v *InterruptAnswered) Time() time.Time { return v.At }
func (v *InterruptAnswered) put(e *encoder)  { e.time(v.At); e.value(v.Answer) }
func (v *InterruptAnswered) get(d *decoder)  { v.At = d.time(); d.into(&v.Answer) }
func (*TimerFired) Kind() Kind               { return KindTimerFired }
func (v *TimerFired) Time() time.Time        { return v.At }
func (v *TimerFired) put(e *encoder)         { e.time(v.At); e.number(int(v.Timer)); e.target(v.Target) }
func (v *TimerFired) get(d *decoder) {
	v.At, v.Timer, v.Target = d.time(), TimerKind(d.number()), d.target()
}
func (*MemoryRead) Kind() Kind         { return KindMemoryRead }
func (v *MemoryRead) Time() time.Time  { return v.At }
func (v *MemoryRead) put(e *encoder)   { e.time(v.At); e.target(v.Target); e.value(v.Values) }
func (v *MemoryRead) get(d *decoder)   { v.At, v.Target = d.time(), d.target(); d.into(&v.Values) }
func (*RunCanceled) Kind() Kind        { return KindRunCanceled }
func (v *RunCanceled) Time() time.Time { return v.At }
func (v *RunCanceled) put(e *encoder)  { e.time(v.At); e.text(v.By, v.Reason) }
func (v *RunCanceled) get(d *decoder)  { v.At = d.time(); d.text(&v.By, &v.Reason) }
func (*RunEnded) Kind() Kind           { return KindRunEnded }
func (v *RunEnded) Time() time.Time    { return v.At }
func (v *RunEnded) put(e *encoder)     { e.time(v.At); e.text(string(v.Status)); e.json(v.Failure) }
func (v *RunEnded) get(d *decoder)     { v.At = d.time(); d.text((*string)(&v.Status)); d.json(&v.Failure) }
func (*Forked) Kind() Kind             { return KindForked }
func (v *Forked) Time() time.Time      { return v.At }
func (v *Forked) put(e *encoder)       { e.time(v.At); e.text(string(v.Thread)); e.number(int(v.Seq)) }
func (v *Forked) get(d *decoder) {
	v.At = d.time()
	d.text((*string)(&v.Thread))
	v.Seq = Seq(d.number())
}
func (*StateSet) Kind() Kind             { return KindStateSet }
func (v *StateSet) Time() time.Time      { return v.At }
func (v *StateSet) put(e *encoder)       { e.time(v.At); e.text(v.By); e.value(v.Values) }
func (v *StateSet) get(d *decoder)       { v.At = d.time(); d.text(&v.By); v.Values = d.object() }
func (*Upgraded) Kind() Kind             { return KindUpgraded }
func (v *Upgraded) Time() time.Time      { return v.At }
func (v *Upgraded) put(e *encoder)       { e.time(v.At); e.text(v.Spec) }
func (v *Upgraded) get(d *decoder)       { v.At = d.time(); d.text(&v.Spec) }
func (*MemoryChanged) Kind() Kind        { return KindMemoryChanged }
func (v *MemoryChanged) Time() time.Time { return v.At }
func (v *MemoryChanged) put(e *encoder) {
	e.time(v.At)
	e.number(int(v.Base))
	e.text(v.Key, v.Status, v.Why, v.By, v.Run)
	e.value(v.Text)
}

func (v *MemoryChanged) get(d *decoder) {
	v.At, v.Base = d.time(), Seq(d.number())
	d.text(&v.Key, &v.Status, &v.Why, &v.By, &v.Run)
	d.into(&v.Text)
}
