// Package cron is the source of triggers that listens to the clock. Its events are the
// instants of a schedule in crontab's five fields.
package cron

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/robfig/cron/v3"

	"github.com/weft-engine/weft/engine/build"
	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/shape"
	"github.com/weft-engine/weft/engine/source"
	"github.com/weft-engine/weft/engine/trigger"
)

// Type returns the source type cron. now is asked at each poll.
func Type(now func() time.Time) build.SourceType {
	return build.SourceType{
		Name: "cron", Rules: Rules(),
		Build: func(s *build.Scope, config *source.Value) build.Source {
			schedule, err := parse(config.Text)
			if err != nil {
				s.Report(badSchedule.At(config.Pos, "%q is no schedule: %s", config.Text, err).
					WithHint("Write minute, hour, day of month, month and day of week: \"30 7 * * 1-5\" is half past seven on working days."))
				return build.Source{Event: event()}
			}
			return build.Source{Source: &clock{schedule: schedule, now: now}, Event: event(), Every: time.Minute}
		},
	}
}

// event is {time, missed}: the instant as text, and how many earlier ones it stands for.
func event() *shape.Type {
	return &shape.Type{Kind: shape.Object, Fields: map[string]*shape.Type{"time": {Kind: shape.Time}, "missed": {Kind: shape.Int}}}
}

// parse reads five fields, or one of crontab's words, after a time zone if there is one.
func parse(text string) (cron.Schedule, error) {
	text = strings.TrimSpace(text)
	if strings.HasPrefix(text, "@every") {
		return nil, fmt.Errorf("@every counts from the start of a process, which a trigger does not know")
	}
	if zone := strings.HasPrefix(text, "TZ=") || strings.HasPrefix(text, "CRON_TZ="); zone && !strings.Contains(text, " ") {
		return nil, fmt.Errorf("only a time zone is given") // the parser would panic
	}
	schedule, err := cron.ParseStandard(text)
	if err != nil {
		return nil, fmt.Errorf("%s", strings.TrimPrefix(err.Error(), "cron: "))
	}
	return schedule, nil
}

// clock gives the instants of a schedule.
type clock struct {
	schedule cron.Schedule
	now      func() time.Time
}

// The bounds of looking back.
const (
	grace   = time.Minute         // before the first poll: crontab starts a pass just after the minute
	longest = 60 * 24 * time.Hour // what lies further back is forgotten
)

// Poll returns the last instant since the cursor, an RFC 3339 time. Instants before it
// that nobody polled for are told as missed: a digest is not sent five times after a
// weekend without power.
func (c *clock) Poll(_ context.Context, cursor string) (trigger.Batch, error) {
	now := c.now()
	since, err := time.Parse(time.RFC3339Nano, cursor)
	if err != nil {
		since = now.Add(-grace)
	}
	if since.After(now) { // the clock was set back
		since = now
	}
	if oldest := now.Add(-longest); since.Before(oldest) {
		since = oldest
	}
	batch := trigger.Batch{Cursor: now.UTC().Format(time.RFC3339Nano)}
	var last time.Time
	n := 0
	for at := c.schedule.Next(since.In(now.Location())); !at.IsZero() && !at.After(now); at = c.schedule.Next(at) {
		last = at
		n++
	}
	if n > 0 {
		at := last.In(c.zone(now)).Format(time.RFC3339)
		batch.Events = []trigger.Event{{Key: at, Data: map[string]any{"time": at, "missed": n - 1}}}
	}
	return batch, nil
}

// zone is where the schedule's hours are meant: its own zone, else the clock's.
func (c *clock) zone(now time.Time) *time.Location {
	if s, ok := c.schedule.(*cron.SpecSchedule); ok && s.Location != time.Local {
		return s.Location
	}
	return now.Location()
}

var badSchedule = diag.Rule{
	Code: "trigger/cron", Severity: diag.Error, Summary: "A schedule cannot be read.",
	Explain: "`cron` has five fields as in crontab: minute, hour, day of month, month, day of week. `CRON_TZ=Europe/Paris` before them sets the zone.\n\n" +
		"    cron: \"7:30 every day\"     # wrong\n" +
		"    cron: \"30 7 * * *\"         # right\n",
}

// Rules returns the findings of this package.
func Rules() []diag.Rule { return []diag.Rule{badSchedule} }
