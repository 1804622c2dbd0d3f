package field

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"time"
)

// What pydantic says about texts that are no times.
var (
	errShort     = errors.New("input is too short")
	errExtra     = errors.New("unexpected extra characters at the end of the input")
	errYear      = errors.New("invalid character in year")
	errMonth     = errors.New("invalid character in month")
	errDay       = errors.New("invalid character in day")
	errDash      = errors.New("invalid date separator, expected `-`")
	errMonthSize = errors.New("month value is outside expected range of 1-12")
	errDaySize   = errors.New("day value is outside expected range")
	errSeparator = errors.New("invalid datetime separator, expected `T`, `t`, `_` or space")
	errClock     = errors.New("invalid time")
	errClockSize = errors.New("time value is outside expected range")
	errOffset    = errors.New("invalid timezone")
	errLarge     = errors.New("dates after 9999 are not supported as unix timestamps")
	errEarly     = errors.New("dates before 0000 are not supported as unix timestamps")
	errNaN       = errors.New("NaN values not permitted")
	errRange     = errors.New("date value out of range")
)

// The first instant of the year 1 and of the year 10000, in microseconds since 1970.
const (
	leastMicros = -62135596800e6
	mostMicros  = 253402300800e6
)

// ParseTime reads an ISO 8601 text ("T", "t", "_" or a space between date and time,
// seconds optional, fractions cut to microseconds, offset Z, +hh:mm, +hhmm or none), a
// date (midnight, naive) or a number of seconds since 1970 (UTC; above 2e10 milliseconds).
func ParseTime(s string) (Time, error) {
	if t, err := parseStamp(s); err == nil {
		return t, nil
	}
	if f, ok := plainNumber(s); ok {
		return fromUnix(f)
	}
	d, err := ParseDate(s)
	if err != nil {
		return Time{}, err
	}
	return d.Midnight(), nil
}

// fromUnix reads seconds since 1970, or milliseconds when there are more than 2e10.
func fromUnix(f float64) (Time, error) {
	switch {
	case math.IsNaN(f):
		return Time{}, errNaN
	case math.Abs(f) > 2e10:
		f /= 1000
	}
	switch us := math.Round(f * 1e6); {
	case us >= mostMicros:
		return Time{}, errLarge
	case us < leastMicros:
		return Time{}, errEarly
	default:
		return UTC(int64(us)), nil
	}
}

func plainNumber(s string) (float64, bool) {
	if s == "" || strings.Trim(s, "0123456789.-+") != "" {
		return 0, false
	}
	f, err := strconv.ParseFloat(s, 64)
	return f, err == nil
}

func parseStamp(s string) (Time, error) {
	if len(s) < 11 {
		return Time{}, errShort
	}
	d, err := ParseDate(s[:10])
	if err != nil {
		return Time{}, err
	}
	if !strings.ContainsRune("Tt_ ", rune(s[10])) {
		return Time{}, errSeparator
	}
	clock, rest, err := parseClock(s[11:])
	if err != nil {
		return Time{}, err
	}
	t := d.Midnight()
	t.micros += clock
	if rest == "" {
		return t, nil
	}
	t.aware = true
	if t.offset, err = parseOffset(rest); err != nil {
		return Time{}, err
	}
	t.micros -= int64(t.offset) * 1e6
	return t, nil
}

// parseClock reads hh:mm, hh:mm:ss or hh:mm:ss.f… and gives microseconds and the rest.
func parseClock(s string) (micros int64, rest string, err error) {
	hour, ok := twoDigits(s)
	if !ok || len(s) < 5 || s[2] != ':' {
		return 0, "", errClock
	}
	minute, ok := twoDigits(s[3:])
	if !ok {
		return 0, "", errClock
	}
	rest = s[5:]
	second := 0
	if strings.HasPrefix(rest, ":") {
		if second, ok = twoDigits(rest[1:]); !ok {
			return 0, "", errClock
		}
		rest = rest[3:]
		if micros, rest, err = parseFraction(rest); err != nil {
			return 0, "", err
		}
	}
	if hour > 23 || minute > 59 || second > 59 {
		return 0, "", errClockSize
	}
	return micros + int64(hour*3600+minute*60+second)*1e6, rest, nil
}

func parseFraction(s string) (micros int64, rest string, err error) {
	if s == "" || s[0] != '.' && s[0] != ',' {
		return 0, s, nil
	}
	n := 1
	for scale := int64(1e5); n < len(s) && s[n] >= '0' && s[n] <= '9'; n++ {
		micros += int64(s[n]-'0') * scale
		scale /= 10
	}
	if n == 1 {
		return 0, "", errClock
	}
	return micros, s[n:], nil
}

func parseOffset(s string) (seconds int32, err error) {
	if s == "Z" || s == "z" {
		return 0, nil
	}
	sign := int32(1)
	switch {
	case strings.HasPrefix(s, "+"):
		s = s[1:]
	case strings.HasPrefix(s, "-"):
		s, sign = s[1:], -1
	case strings.HasPrefix(s, "\u2212"):
		s, sign = s[len("\u2212"):], -1
	default:
		return 0, errExtra
	}
	hour, ok := twoDigits(s)
	if !ok {
		return 0, errOffset
	}
	rest := strings.TrimPrefix(s[2:], ":")
	minute, ok := twoDigits(rest)
	if !ok || hour > 23 || minute > 59 {
		return 0, errOffset
	}
	if len(rest) > 2 {
		return 0, errExtra
	}
	return sign * int32(hour*3600+minute*60), nil
}

func twoDigits(s string) (int, bool) {
	if len(s) < 2 || !isDigit(s[0]) || !isDigit(s[1]) {
		return 0, false
	}
	return int(s[0]-'0')*10 + int(s[1]-'0'), true
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// Date is a day of the calendar.
type Date struct {
	Year  int
	Month time.Month
	Day   int
}

// ParseDate reads YYYY-MM-DD.
func ParseDate(s string) (Date, error) {
	if len(s) < 10 {
		return Date{}, errShort
	}
	parts := [...]struct {
		from, to int
		wrong    error
	}{{0, 4, errYear}, {5, 7, errMonth}, {8, 10, errDay}}
	var n [3]int
	for i, p := range parts {
		for _, c := range []byte(s[p.from:p.to]) {
			if !isDigit(c) {
				return Date{}, p.wrong
			}
			n[i] = n[i]*10 + int(c-'0')
		}
		if i < 2 && s[p.to] != '-' {
			return Date{}, errDash
		}
	}
	d := Date{n[0], time.Month(n[1]), n[2]}
	switch {
	case n[1] < 1 || n[1] > 12:
		return Date{}, errMonthSize
	case n[0] == 0 || n[2] < 1 || d.Midnight().Local().Day() != n[2]:
		return Date{}, errDaySize
	case len(s) > 10:
		return Date{}, errExtra
	}
	return d, nil
}

// DateOf is the day of a time at its own offset.
func DateOf(t Time) Date {
	year, month, day := t.Local().Date()
	return Date{year, month, day}
}

// Midnight is the beginning of the day as a naive time.
func (d Date) Midnight() Time {
	return Time{micros: time.Date(d.Year, d.Month, d.Day, 0, 0, 0, 0, time.UTC).UnixMicro()}
}

// Compare orders days.
func (d Date) Compare(o Date) int { return d.Midnight().Compare(o.Midnight()) }

// String is YYYY-MM-DD.
func (d Date) String() string {
	dst := appendDigits(nil, d.Year, 4)
	dst = appendDigits(append(dst, '-'), int(d.Month), 2)
	return string(appendDigits(append(dst, '-'), d.Day, 2))
}
