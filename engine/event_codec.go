package engine

import (
	"time"

	"github.com/weft-engine/weft/engine/chat"
)

// The codec of each event: what put writes, get reads, in the same order. A field
// may be added at the end only; get then finds it absent in older events.

// Kind returns KindRunStarted.
func (*RunStarted) Kind() Kind { return KindRunStarted }

// Time returns At.
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

// Kind returns KindCallStarted.
func (*CallStarted) Kind() Kind { return KindCallStarted }

// Time returns At.
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

// Kind returns KindCallDone.
func (*CallDone) Kind() Kind { return KindCallDone }

// Time returns At.
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

// Kind returns KindCallFailed.
func (*CallFailed) Kind() Kind { return KindCallFailed }

// Time returns At.
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

// Kind returns KindCallInDoubt.
func (*CallInDoubt) Kind() Kind { return KindCallInDoubt }

// Time returns At.
func (v *CallInDoubt) Time() time.Time { return v.At }
func (v *CallInDoubt) put(e *encoder)  { e.time(v.At); e.target(v.Target); e.text(v.Reason) }
func (v *CallInDoubt) get(d *decoder)  { v.At, v.Target = d.time(), d.target(); d.text(&v.Reason) }

// Kind returns KindInterruptRaised.
func (*InterruptRaised) Kind() Kind { return KindInterruptRaised }

// Time returns At.
func (v *InterruptRaised) Time() time.Time { return v.At }
func (v *InterruptRaised) put(e *encoder)  { e.time(v.At); e.target(v.Target); e.value(v.Request) }
func (v *InterruptRaised) get(d *decoder)  { v.At, v.Target = d.time(), d.target(); d.into(&v.Request) }

// Kind returns KindInterruptAnswered.
func (*InterruptAnswered) Kind() Kind { return KindInterruptAnswered }

// Time returns At.
func (v *InterruptAnswered) Time() time.Time { return v.At }
func (v *InterruptAnswered) put(e *encoder)  { e.time(v.At); e.value(v.Answer) }
func (v *InterruptAnswered) get(d *decoder)  { v.At = d.time(); d.into(&v.Answer) }

// Kind returns KindTimerFired.
func (*TimerFired) Kind() Kind { return KindTimerFired }

// Time returns At.
func (v *TimerFired) Time() time.Time { return v.At }

func (v *TimerFired) put(e *encoder) {
	e.time(v.At)
	e.number(int(v.Timer))
	e.target(v.Target)
	if v.Settle {
		e.number(1)
	}
}

func (v *TimerFired) get(d *decoder) {
	v.At, v.Timer, v.Target, v.Settle = d.time(), TimerKind(d.number()), d.target(), d.number() == 1
}

// Kind returns KindMemoryRead.
func (*MemoryRead) Kind() Kind { return KindMemoryRead }

// Time returns At.
func (v *MemoryRead) Time() time.Time { return v.At }
func (v *MemoryRead) put(e *encoder)  { e.time(v.At); e.target(v.Target); e.value(v.Values) }
func (v *MemoryRead) get(d *decoder)  { v.At, v.Target = d.time(), d.target(); d.into(&v.Values) }

// Kind returns KindRunCanceled.
func (*RunCanceled) Kind() Kind { return KindRunCanceled }

// Time returns At.
func (v *RunCanceled) Time() time.Time { return v.At }
func (v *RunCanceled) put(e *encoder)  { e.time(v.At); e.text(v.By, v.Reason) }
func (v *RunCanceled) get(d *decoder)  { v.At = d.time(); d.text(&v.By, &v.Reason) }

// Kind returns KindRunEnded.
func (*RunEnded) Kind() Kind { return KindRunEnded }

// Time returns At.
func (v *RunEnded) Time() time.Time { return v.At }
func (v *RunEnded) put(e *encoder)  { e.time(v.At); e.text(string(v.Status)); e.json(v.Failure) }
func (v *RunEnded) get(d *decoder)  { v.At = d.time(); d.text((*string)(&v.Status)); d.json(&v.Failure) }

// Kind returns KindForked.
func (*Forked) Kind() Kind { return KindForked }

// Time returns At.
func (v *Forked) Time() time.Time { return v.At }
func (v *Forked) put(e *encoder)  { e.time(v.At); e.text(string(v.Thread)); e.number(int(v.Seq)) }
func (v *Forked) get(d *decoder) {
	v.At = d.time()
	d.text((*string)(&v.Thread))
	v.Seq = Seq(d.number())
}

// Kind returns KindStateSet.
func (*StateSet) Kind() Kind { return KindStateSet }

// Time returns At.
func (v *StateSet) Time() time.Time { return v.At }
func (v *StateSet) put(e *encoder)  { e.time(v.At); e.text(v.By); e.value(v.Values) }
func (v *StateSet) get(d *decoder)  { v.At = d.time(); d.text(&v.By); v.Values = d.object() }

// Kind returns KindUpgraded.
func (*Upgraded) Kind() Kind { return KindUpgraded }

// Time returns At.
func (v *Upgraded) Time() time.Time { return v.At }
func (v *Upgraded) put(e *encoder)  { e.time(v.At); e.text(v.Spec) }
func (v *Upgraded) get(d *decoder)  { v.At = d.time(); d.text(&v.Spec) }

// Kind returns KindMemoryChanged.
func (*MemoryChanged) Kind() Kind { return KindMemoryChanged }

// Time returns At.
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
