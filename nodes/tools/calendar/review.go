package calendar

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/weft-engine/weft/nodes/internal/googlecall"
	"github.com/weft-engine/weft/nodes/internal/mail"
)

// review shows an invitation as people read one, with what a human should look at
// before they agree: what is on the calendar at that time above all. It never fails
// for want of Google: it says that the calendar was not seen.
func review(ctx context.Context, w *work) (any, error) {
	m, err := readMeeting(w.r.Args)
	if err != nil {
		return reviewed(w.backend, w.r, w.c.Now(), nil), nil //nolint:nilerr // the review says what is wrong with it
	}
	own, err := w.ownZone(ctx)
	var events []busy
	if err == nil {
		events, err = w.between(ctx, m.from, m.to, own)
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	s := &seen{own: own, events: events}
	if err != nil {
		s.problem = strings.TrimPrefix(w.Failure(err).Error(), w.Action.What+": ")
	}
	return reviewed(w.backend, w.r, w.c.Now(), s), nil
}

// seen is what is known of the calendar; nil when nobody looked.
type seen struct {
	own     *time.Location
	events  []busy
	problem string // why the calendar was not seen
}

// reviewed makes the review. now may be zero when the present is not known.
func reviewed(b *backend, r *googlecall.Request, now time.Time, s *seen) map[string]any {
	a := r.Args
	out := map[string]any{
		"id": a.Text("call_id"), "title": title(a.Text("title")), "day": "", "start": a.Text("start"), "end": a.Text("end"), "end_day": "", "timezone": a.Text("timezone"),
		"offset": "", "own_time": "", "duration": "", "attendees": plain(a.List("attendees")), "description": a.Text("description"),
		"location": a.Text("location"), "problem": "", "conflicts": []any{}, "flags": []any{},
	}
	m, err := readMeeting(a)
	if err != nil {
		out["problem"] = googlecall.Upper(err.Error())
		return out
	}
	out["day"], out["start"], out["end"] = m.from.Format("Monday, 2 January 2006"), m.from.Format("15:04"), m.to.Format("15:04")
	if m.from.Format("2006-01-02") != m.to.Format("2006-01-02") {
		out["end_day"] = m.to.Format("Monday, 2 January 2006")
	}
	out["offset"], out["duration"], out["attendees"] = m.from.Format("UTC-07:00"), lasts(m.to.Sub(m.from)), plain(m.attendees)
	f := &flags{}
	f.calendar(b, m, now, s, out)
	f.people(b, m, r)
	out["flags"] = f.list()
	return out
}

type flags struct{ out []any }

func (f *flags) list() []any {
	if f.out == nil {
		return []any{}
	}
	return f.out
}

func (f *flags) add(kind, value, text string) {
	f.out = append(f.out, map[string]any{"kind": kind, "value": value, "text": text})
}

// calendar says how the meeting fits the calendar.
func (f *flags) calendar(b *backend, m *meeting, now time.Time, s *seen, out map[string]any) {
	if !now.IsZero() && m.from.Before(now) {
		f.add("past", "", "It begins in the past.")
	}
	own := m.zone
	switch {
	case s == nil:
		if b.options.zone != "" {
			own, _ = zone(b.options.zone)
		}
	case s.problem != "":
		f.add("not_checked", "", "The calendar was not seen: "+s.problem+".")
	default:
		own = s.own
		conflicts := []any{}
		for _, e := range s.events {
			text := b.options.conflict(e, own)
			conflicts = append(conflicts, text)
			f.add("conflict", text, "There is something else at that time: "+text+".")
		}
		out["conflicts"] = conflicts
	}
	if own == nil {
		return
	}
	if _, here := m.from.In(own).Zone(); own.String() != m.zone.String() && here != offset(m.from) {
		out["own_time"] = m.from.In(own).Format("Monday, 2 January, 15:04") + " to " + m.to.In(own).Format("15:04") + " (" + own.String() + ")"
	}
	if !b.options.within(m.from.In(own), m.to.In(own)) {
		f.add("outside_hours", "", "It is outside of the working hours.")
	}
}

func offset(t time.Time) int {
	_, seconds := t.Zone()
	return seconds
}

// conflict writes an event that is in the way.
func (o *options) conflict(e busy, z *time.Location) string {
	from, to := e.from.In(z), e.to.In(z)
	text := from.Format("15:04") + "-" + to.Format("15:04")
	switch {
	case e.allDay:
		text = "all day"
	case from.Format("2006-01-02") != to.Format("2006-01-02"):
		text = from.Format("2 Jan 15:04") + "-" + to.Format("2 Jan 15:04")
	}
	if o.titles {
		text += " " + e.title
	}
	if e.tentative {
		text += " (not confirmed)"
	}
	return text
}

// within reports whether a time lies in one stretch of working hours.
func (o *options) within(from, to time.Time) bool {
	for _, s := range o.working(midnight(from, from.Location())) {
		if !from.Before(s.from) && !to.After(s.to) {
			return true
		}
	}
	return false
}

// people says who of the attendees is new.
func (f *flags) people(b *backend, m *meeting, r *googlecall.Request) {
	for _, a := range m.attendees {
		if !b.MayReach(a) {
			f.add("not_allowed", a, "Invitations may not go to "+a+": the spec does not list it under recipients. It will be refused.")
		}
	}
	var own []string
	if user, ok := r.Args.Data("user").(map[string]any); ok {
		if address, ok := user["address"].(string); ok {
			own = append(own, address)
		}
	}
	if r.Account != "" {
		own = append(own, r.Account)
	}
	for _, flag := range mail.Flags(m.attendees, m.description, mail.Context{Mail: conversation(r.Args.Data("email")), Own: own, Known: b.options.known}) {
		if flag.Kind != mail.HasAttachment && flag.Kind != mail.ReplyElsewhere {
			f.add(flag.Kind, flag.Value, flag.Text)
		}
	}
}

// conversation is who took part in the mail that the meeting is about.
func conversation(v any) *mail.Email {
	data, ok := v.(map[string]any)
	if !ok {
		return &mail.Email{}
	}
	text := func(name string) string {
		s, _ := data[name].(string)
		return s
	}
	return &mail.Email{From: text("from"), To: text("to"), Cc: text("cc"), ReplyTo: text("reply_to")}
}

// lasts writes how long something takes.
func lasts(d time.Duration) string {
	hours, minutes := int(d.Hours()), int(d.Minutes())%60
	switch {
	case hours == 0 && minutes == 1:
		return "1 minute"
	case hours == 0:
		return fmt.Sprintf("%d minutes", minutes)
	case minutes == 0 && hours == 1:
		return "1 hour"
	case minutes == 0:
		return fmt.Sprintf("%d hours", hours)
	}
	return fmt.Sprintf("%d:%02d hours", hours, minutes)
}

func plain(list []string) []any {
	out := make([]any, len(list))
	for i, text := range list {
		out[i] = text
	}
	return out
}
