package expr

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/weft-engine/weft/engine/shape"
)

func timeFunctions() []*function {
	return []*function{
		{
			Function: Function{
				Signature: "date(text string|time[, layout string[, zone string]]) time",
				Doc: "Reads a time: RFC 3339, a date, a date and time, a mail date, or by a layout of Go; UTC unless the text or " +
					"the zone (for example Europe/Berlin) says otherwise.",
				Example: `date("2026-01-28T06:00:00Z") < date("2026-01-29")`,
			},
			call: readDate, cost: 10,
		},
		{
			Function: Function{
				Signature: "format_date(time string|time, layout string[, zone string]) string",
				Doc:       "Writes a time by a layout of Go, in the zone.", Example: `format_date("2026-01-28T06:00:00Z", "Mon 2 Jan, 15:04", "UTC") == "Wed 28 Jan, 06:00"`,
			},
			call: writeDate, cost: 10,
		},
		{
			Function: Function{
				Signature: "duration(text string|duration) duration",
				Doc:       "Reads a duration: Go style (1h30m) or ISO 8601 (PT1H30M).", Example: `duration("PT1H30M") == duration("1h30m")`,
			},
			call: func(_ *machine, a []any) (any, error) {
				if d, ok := a[0].(time.Duration); ok {
					return d, nil
				}
				return parseDuration(text(a, 0))
			},
		},
	}
}

// dateLayouts are what date reads without a layout.
var dateLayouts = []string{
	time.RFC3339, time.DateOnly, time.DateTime, "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02 15:04",
	time.RFC1123Z, time.RFC1123, "Mon, 2 Jan 2006 15:04:05 -0700", "2 Jan 2006 15:04:05 -0700",
	"Mon, 2 Jan 2006 15:04:05 -0700 (MST)", time.RFC822Z, time.RFC822, time.RFC850,
}

func readDate(m *machine, a []any) (any, error) {
	layout := text(a, 1)
	zone, err := m.zone(text(a, 2))
	if err != nil {
		return nil, err
	}
	if t, ok := a[0].(time.Time); ok {
		return t, nil
	}
	s := text(a, 0)
	if layout != "" {
		t, err := time.ParseInLocation(layout, s, zone)
		if err != nil {
			return nil, fmt.Errorf("the text %s does not fit the layout %s", quoted(s), quoted(layout))
		}
		return t, nil
	}
	for _, layout := range dateLayouts {
		if t, err := time.ParseInLocation(layout, s, zone); err == nil {
			return t, nil
		}
	}
	return nil, fmt.Errorf("the text %s is no time", quoted(s))
}

// zone returns a time zone by its IANA name; the machine's own is none.
func (m *machine) zone(name string) (*time.Location, error) {
	if name == "" || name == "UTC" {
		return time.UTC, nil
	}
	if err := m.spend(100); err != nil {
		return nil, err
	}
	zone, err := time.LoadLocation(name)
	if err != nil || name == "Local" {
		return nil, fmt.Errorf("there is no time zone %s", quoted(name))
	}
	return zone, nil
}

func writeDate(m *machine, a []any) (any, error) {
	t, ok := a[0].(time.Time)
	if !ok {
		v, err := readDate(m, a[:1])
		if err != nil {
			return nil, err
		}
		t, _ = v.(time.Time)
	}
	if zone := text(a, 2); zone != "" {
		z, err := m.zone(zone)
		if err != nil {
			return nil, err
		}
		t = t.In(z)
	}
	return t.Format(text(a, 1)), nil
}

func parseDuration(s string) (any, error) {
	s = strings.TrimSpace(s)
	if d, err := time.ParseDuration(s); err == nil {
		return d, nil
	}
	if d, ok := isoDuration(s); ok {
		return d, nil
	}
	return nil, fmt.Errorf("the text %s is no duration, such as 1h30m or PT1H30M", quoted(s))
}

var errFraction = errors.New("only the last part may have a fraction")

// isoDuration reads ISO 8601 durations of weeks, days, hours, minutes and seconds;
// years and months have no fixed length.
func isoDuration(s string) (time.Duration, bool) {
	rest, negative := strings.CutPrefix(s, "-")
	rest, ok := strings.CutPrefix(rest, "P")
	if !ok || rest == "" || strings.HasSuffix(rest, "T") {
		return 0, false
	}
	date, clock, _ := strings.Cut(rest, "T")
	days, err1 := isoParts(date, "WD", []float64{7 * 24 * 3600, 24 * 3600})
	secs, err2 := isoParts(clock, "HMS", []float64{3600, 60, 1})
	total := (days + secs) * float64(time.Second)
	if err1 != nil || err2 != nil || math.Abs(total) >= math.MaxInt64 {
		return 0, false
	}
	if negative {
		total = -total
	}
	return time.Duration(math.Round(total)), true
}

// isoParts adds up numbers with units, which must come in the given order.
func isoParts(s, units string, seconds []float64) (float64, error) {
	total := 0.0
	for s != "" {
		i := strings.IndexAny(s, units)
		if i <= 0 {
			return 0, errFraction
		}
		n, err := strconv.ParseFloat(strings.ReplaceAll(s[:i], ",", "."), 64)
		if err != nil || s[0] == '-' || s[0] == '+' || n != math.Trunc(n) && i+1 < len(s) {
			return 0, errFraction
		}
		k := strings.IndexByte(units, s[i])
		total += n * seconds[k]
		units, seconds, s = units[k+1:], seconds[k+1:], s[i+1:]
		if units == "" && s != "" {
			return 0, errFraction
		}
	}
	return total, nil
}

// method is a method of a time or a duration. None takes arguments.
type method struct {
	result *shape.Type
	call   func(v any) any
}

func ofTime(t *shape.Type, f func(time.Time) any) method {
	return method{t, func(v any) any { at, _ := v.(time.Time); return f(at) }}
}

func ofDuration(t *shape.Type, f func(time.Duration) any) method {
	return method{t, func(v any) any { d, _ := v.(time.Duration); return f(d) }}
}

var timeMethods = map[string]method{
	"Year":    ofTime(intType, func(t time.Time) any { return t.Year() }),
	"Month":   ofTime(intType, func(t time.Time) any { return int(t.Month()) }),
	"Day":     ofTime(intType, func(t time.Time) any { return t.Day() }),
	"Hour":    ofTime(intType, func(t time.Time) any { return t.Hour() }),
	"Minute":  ofTime(intType, func(t time.Time) any { return t.Minute() }),
	"Second":  ofTime(intType, func(t time.Time) any { return t.Second() }),
	"YearDay": ofTime(intType, func(t time.Time) any { return t.YearDay() }),
	"Weekday": ofTime(stringType, func(t time.Time) any { return t.Weekday().String() }),
	"Unix":    ofTime(intType, func(t time.Time) any { return int(t.Unix()) }),
}

var durationMethods = map[string]method{
	"Hours":        ofDuration(numberType, func(d time.Duration) any { return d.Hours() }),
	"Minutes":      ofDuration(numberType, func(d time.Duration) any { return d.Minutes() }),
	"Seconds":      ofDuration(numberType, func(d time.Duration) any { return d.Seconds() }),
	"Milliseconds": ofDuration(intType, func(d time.Duration) any { return int(d.Milliseconds()) }),
}

// methodNamed returns a method of values of kind k. Of a value of unknown kind all
// are known.
func methodNamed(k shape.Kind, name string) (m method, ok bool) {
	if k == shape.Time || k == shape.Any {
		if m, ok = timeMethods[name]; ok {
			return m, true
		}
	}
	if k == shape.Duration || k == shape.Any {
		m, ok = durationMethods[name]
	}
	return m, ok
}

func methodNames(k shape.Kind) []string {
	switch k {
	case shape.Time:
		return []string{"Year", "Month", "Day", "Hour", "Minute", "Second", "YearDay", "Weekday", "Unix"}
	case shape.Duration:
		return []string{"Hours", "Minutes", "Seconds", "Milliseconds"}
	default:
		return nil
	}
}
