package calendar

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/source"
	"github.com/weft-engine/weft/nodes/internal/googlecall"
)

// BadHours is the finding about working hours and zones that cannot be read.
var BadHours = diag.Rule{
	Code: "tool/calendar-hours", Severity: diag.Error,
	Summary: "The working hours or the zone of a calendar tool cannot be read.",
	Explain: "`working_hours` gives for each weekday when meetings may be: one range, or several. A day that is left out has none.\n\n" +
		"    working_hours: {mon: 9-17}                                    # wrong\n" +
		"    working_hours: {mon: \"09:00-17:00\", fri: [\"09:00-12:00\", \"13:00-15:00\"]}\n",
}

// Rules returns the findings of this package.
func Rules() []diag.Rule { return append(googlecall.Rules(), BadHours) }

// hours is a range of a day, in minutes since midnight.
type hours struct{ from, to int }

func (h hours) String() string { return clock(h.from) + "-" + clock(h.to) }

func clock(minutes int) string { return fmt.Sprintf("%02d:%02d", minutes/60, minutes%60) }

// week is the working hours of each weekday, sorted, by time.Weekday.
type week [7][]hours

// usualWeek is nine to five, Monday to Friday.
func usualWeek() week {
	var w week
	for d := time.Monday; d <= time.Friday; d++ {
		w[d] = []hours{{9 * 60, 17 * 60}}
	}
	return w
}

var dayNames = []string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}

func readWeek(c *googlecall.Compiler, v *source.Value) week {
	var w week
	for _, f := range v.Fields {
		day := slices.Index(dayNames, f.Key)
		if day < 0 {
			continue // the schema has said so
		}
		items := f.Value.Items
		if f.Value.Kind == source.String {
			items = []*source.Value{f.Value}
		}
		for _, item := range items {
			h, err := readHours(item.Text)
			if err != nil {
				c.Report(BadHours.At(item.Pos, "%s", err).WithHint("Write a range such as 09:00-17:00; leave a day out that has no working hours."))
				continue
			}
			w[day] = append(w[day], h)
		}
		slices.SortFunc(w[day], func(a, b hours) int { return a.from - b.from })
		for i := 1; i < len(w[day]); i++ {
			if w[day][i].from < w[day][i-1].to {
				c.Report(BadHours.At(f.Value.Pos, "the working hours %s and %s overlap", w[day][i-1], w[day][i]).WithHint("Make one range of them."))
			}
		}
	}
	return w
}

func readHours(text string) (hours, error) {
	from, to, ok := strings.Cut(text, "-")
	a, errA := readClock(from)
	b, errB := readClock(to)
	switch {
	case !ok || errA != nil || errB != nil:
		return hours{}, fmt.Errorf("%q is no range of a day", googlecall.Clip(text))
	case a >= b:
		return hours{}, fmt.Errorf("%q ends before it begins", googlecall.Clip(text))
	}
	return hours{a, b}, nil
}

func readClock(text string) (int, error) {
	if strings.TrimSpace(text) == "24:00" {
		return 24 * 60, nil
	}
	t, err := time.Parse("15:04", strings.TrimSpace(text))
	return t.Hour()*60 + t.Minute(), err
}

// zone returns a time zone by its name.
func zone(name string) (*time.Location, error) {
	if name == "" || name == "Local" || strings.ContainsAny(name, "\\ \t\r\n") {
		return nil, fmt.Errorf("%q is no time zone", googlecall.Clip(name))
	}
	z, err := time.LoadLocation(name)
	if err != nil {
		return nil, fmt.Errorf("%q is no time zone", googlecall.Clip(name))
	}
	return z, nil
}

// dateForms are the ways in which days are written.
var dateForms = []string{"2006-01-02", "02-01-2006"}

func readDate(text string) (time.Time, error) {
	for _, form := range dateForms {
		if t, err := time.Parse(form, strings.TrimSpace(text)); err == nil {
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf("%q is no day: write it as 2026-03-09", googlecall.Clip(text))
}

// localTime reads a local time such as 2026-03-09T14:00:00 in a zone. A time that the
// zone skips, as clocks are put forward, is none.
func localTime(name, text string, z *time.Location) (time.Time, error) {
	for _, form := range []string{"2006-01-02T15:04:05", "2006-01-02T15:04"} {
		t, err := time.ParseInLocation(form, text, z)
		if err != nil {
			continue
		}
		if t.Format(form) != text {
			return t, fmt.Errorf("%s: %s does not exist in %s: clocks are put forward then", name, text, z)
		}
		return t, nil
	}
	return time.Time{}, fmt.Errorf("%s: %q is no local time: write it as 2026-03-09T14:00:00", name, googlecall.Clip(text))
}
