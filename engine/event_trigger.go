package engine

import "time"

// The events of a trigger's own thread, its ledger: what was accepted, and what became
// of it. Their order is what makes a trigger handle each event once.

// TriggerPolled accepts what a poll brought. It is durable before any of the runs begins.
type TriggerPolled struct {
	At     time.Time     `json:"at"`
	Cursor string        `json:"cursor"` // where the next poll begins
	Items  []TriggerItem `json:"items,omitempty"`
}

// TriggerItem is an event as it was accepted: the run that it makes.
type TriggerItem struct {
	Key    string         `json:"key"` // what makes two events the same
	Thread ThreadID       `json:"thread"`
	Run    string         `json:"run"` // its id, so that a run that has begun is known again
	Input  map[string]any `json:"input,omitempty"`
}

// TriggerSettled ends an item: nothing more is done about it.
type TriggerSettled struct {
	At      time.Time `json:"at"`
	Key     string    `json:"key"`
	Outcome string    `json:"outcome"` // ran, skipped, failed
	Reason  string    `json:"reason,omitempty"`
}

// TriggerPaused stops polling until a person has done something. The next poll that is
// made ends it.
type TriggerPaused struct {
	At     time.Time `json:"at"`
	Reason string    `json:"reason"`
	Mend   string    `json:"mend"`
	Sign   string    `json:"sign,omitempty"` // of the login that did not work
}

// Kind returns KindTriggerPolled.
func (*TriggerPolled) Kind() Kind { return KindTriggerPolled }

// Time returns At.
func (v *TriggerPolled) Time() time.Time { return v.At }

func (v *TriggerPolled) put(e *encoder) {
	e.time(v.At)
	e.text(v.Cursor)
	e.number(len(v.Items))
	for _, item := range v.Items {
		e.text(item.Key, string(item.Thread), item.Run)
		e.value(item.Input)
	}
}

func (v *TriggerPolled) get(d *decoder) {
	v.At = d.time()
	d.text(&v.Cursor)
	for range d.number() {
		if len(d.in) == 0 {
			d.fail("items are missing")
			return
		}
		var item TriggerItem
		d.text(&item.Key, (*string)(&item.Thread), &item.Run)
		item.Input = d.object()
		v.Items = append(v.Items, item)
	}
}

// Kind returns KindTriggerSettled.
func (*TriggerSettled) Kind() Kind { return KindTriggerSettled }

// Time returns At.
func (v *TriggerSettled) Time() time.Time { return v.At }
func (v *TriggerSettled) put(e *encoder)  { e.time(v.At); e.text(v.Key, v.Outcome, v.Reason) }
func (v *TriggerSettled) get(d *decoder)  { v.At = d.time(); d.text(&v.Key, &v.Outcome, &v.Reason) }

// Kind returns KindTriggerPaused.
func (*TriggerPaused) Kind() Kind { return KindTriggerPaused }

// Time returns At.
func (v *TriggerPaused) Time() time.Time { return v.At }
func (v *TriggerPaused) put(e *encoder)  { e.time(v.At); e.text(v.Reason, v.Mend, v.Sign) }
func (v *TriggerPaused) get(d *decoder)  { v.At = d.time(); d.text(&v.Reason, &v.Mend, &v.Sign) }
