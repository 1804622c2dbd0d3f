package world

import (
	"fmt"
	"strings"

	"github.com/weft-engine/weft/nodes/ues/simulator/jsontext"
	"github.com/weft-engine/weft/nodes/ues/simulator/queue"
)

// AppendSnapshot writes the answer of GET /environment/state: the time, all states and
// a line on each.
func (w *World) AppendSnapshot(dst []byte) []byte {
	o := jsontext.Open(dst)
	isoTime(&o, "current_time", &w.clock.now)
	o.Member("modalities", w.AppendStates)
	o.Member("summary", w.AppendSummary)
	return o.Close()
}

// AppendSummary writes the list of a snapshot's lines.
func (w *World) AppendSummary(dst []byte) []byte {
	dst = append(dst, '[')
	for i, name := range w.names {
		if i > 0 {
			dst = append(dst, ',')
		}
		o := jsontext.Open(dst)
		o.String("modality_type", name)
		o.String("state_summary", w.states[name].Summary(w.Moment()))
		dst = o.Close()
	}
	return append(dst, ']')
}

// AppendCompact writes the compact snapshot.
func (w *World) AppendCompact(dst []byte) []byte {
	o := jsontext.Open(dst)
	isoTime(&o, "snapshot_time", &w.clock.now)
	o.String("format", "compact")
	o.Member("modalities", members(func(o *jsontext.Object) {
		for _, name := range w.names {
			o.Key(name)
			o.Write(func(dst []byte) []byte { return w.states[name].AppendCompact(dst, w.Moment()) })
		}
	}))
	o.Member("events", members(func(o *jsontext.Object) {
		o.Int("pending_count", w.queue.Count(queue.Pending))
		isoTime(o, "next_event_time", w.NextTime())
		if e := w.queue.Next(); e != nil {
			o.String("next_event_modality", e.Modality)
		} else {
			o.Null("next_event_modality")
		}
	}))
	return o.Close()
}

// heading is the heading of a modality in the text report.
func heading(name string) string {
	switch name {
	case "location":
		return "📍 LOCATION"
	case "weather":
		return "🌤️ WEATHER"
	case "email":
		return "📧 EMAIL"
	case "calendar":
		return "📅 CALENDAR"
	case "sms":
		return "💬 SMS"
	case "contacts":
		return "👤 CONTACTS"
	case "chat":
		return "🤖 CHAT"
	case "time":
		return "🕐 TIME PREFS"
	}
	return strings.ToUpper(name)
}

// reportOrder is the order of the text report's sections.
func reportOrder() []string {
	return []string{"location", "weather", "email", "calendar", "sms", "contacts", "chat", "time"}
}

// Report is the compact snapshot as text for people: a heading and a line per modality.
func (w *World) Report() string {
	var b strings.Builder
	now := w.clock.now
	fmt.Fprintf(&b, "=== UES Environment Snapshot ===\nTime: %s\n", now.Go().UTC().Format("2006-01-02 15:04 (UTC)"))
	for _, name := range reportOrder() {
		if s, found := w.states[name]; found {
			fmt.Fprintf(&b, "\n%s\n%s\n", heading(name), s.Summary(w.Moment()))
		}
	}
	fmt.Fprintf(&b, "\nPending events: %d\n", w.queue.Count(queue.Pending))
	if e := w.queue.Next(); e != nil {
		fmt.Fprintf(&b, "Next event: %s at %s\n", e.Modality, e.Scheduled.String())
	}
	return b.String()
}
