// Package field reads decoded JSON into typed values as pydantic does: with its lax
// coercions, its defaults and its errors. It does not know what the fields are for.
//
//	r := field.Read(body, "body")
//	subject := field.Need(r, "subject", field.String)
//	limit := field.Maybe(r, "limit", field.Between(field.Int, 1, 1000))
//	if errs := r.Errors(); len(errs) > 0 { … }
//
// It also has the two kinds of time of the wire, see Time and Date.
package field

import (
	"cmp"
	"time"
)

// Time is a point in time as a JSON text can say it: to the microsecond, with the offset
// it was given, or with none at all ("naive"). Times can be compared with == when what
// is meant is the same instant written in the same way. The zero Time is naive.
type Time struct {
	micros int64 // since 1970 in UTC; of the naive clock reading when not aware
	offset int32 // seconds east of UTC
	aware  bool
}

// UTC makes a Time from microseconds since 1970.
func UTC(micros int64) Time { return Time{micros: micros, aware: true} }

// At makes a Time in UTC, cut to microseconds.
func At(t time.Time) Time { return UTC(t.UnixMicro()) }

// Micros is the number of microseconds since 1970. A naive time counts as UTC.
func (t Time) Micros() int64 { return t.micros }

// Naive tells that no offset was given.
func (t Time) Naive() bool { return !t.aware }

// Aware gives the time itself, or a naive time taken as UTC.
func (t Time) Aware() Time {
	t.aware = true
	return t
}

// Go is the instant as a Go time in UTC.
func (t Time) Go() time.Time { return time.UnixMicro(t.micros).UTC() }

// Local is the clock reading at the time's own offset, as a Go time in UTC: use it for
// the calendar day and the hour, not as an instant.
func (t Time) Local() time.Time {
	return time.UnixMicro(t.micros + int64(t.offset)*1e6).UTC()
}

// WithLocal gives the time with the same offset and the given clock reading, the reverse
// of Local.
func (t Time) WithLocal(local time.Time) Time {
	t.micros = local.UnixMicro() - int64(t.offset)*1e6
	return t
}

// Compare orders instants; naive times count as UTC.
func (t Time) Compare(o Time) int { return cmp.Compare(t.micros, o.micros) }

// Before tells that t is earlier than o.
func (t Time) Before(o Time) bool { return t.micros < o.micros }

// After tells that t is later than o.
func (t Time) After(o Time) bool { return t.micros > o.micros }

// Sub is the duration from o to t.
func (t Time) Sub(o Time) time.Duration {
	return time.Duration(t.micros-o.micros) * time.Microsecond
}

// AddMicros gives the time that many microseconds later, or an error outside of the years
// 1 to 9999.
func (t Time) AddMicros(n int64) (Time, error) {
	sum := t.micros + n
	if (n > 0) != (sum > t.micros) && n != 0 || sum < leastMicros || sum >= mostMicros {
		return Time{}, errRange
	}
	t.micros = sum
	return t, nil
}

// AppendZ writes the time as pydantic does: 2026-01-28T06:00:00Z.
func (t Time) AppendZ(dst []byte) []byte {
	dst = t.appendClock(dst)
	if t.aware && t.offset == 0 {
		return append(dst, 'Z')
	}
	return t.appendOffset(dst)
}

// AppendISO writes the time as Python's isoformat does: 2026-01-28T06:00:00+00:00.
func (t Time) AppendISO(dst []byte) []byte { return t.appendOffset(t.appendClock(dst)) }

// JSON writes the time in the Z style as a JSON string.
func (t Time) JSON(dst []byte) []byte { return append(t.AppendZ(append(dst, '"')), '"') }

// JSONISO writes the time in the isoformat style as a JSON string.
func (t Time) JSONISO(dst []byte) []byte { return append(t.AppendISO(append(dst, '"')), '"') }

// ISO is the time in the isoformat style.
func (t Time) ISO() string { return string(t.AppendISO(nil)) }

// String is ISO.
func (t Time) String() string { return t.ISO() }

// Z is the time in the Z style.
func (t Time) Z() string { return string(t.AppendZ(nil)) }

func (t Time) appendClock(dst []byte) []byte {
	at := t.Local()
	year, month, day := at.Date()
	hour, minute, second := at.Clock()
	dst = appendDigits(dst, year, 4)
	dst = appendDigits(append(dst, '-'), int(month), 2)
	dst = appendDigits(append(dst, '-'), day, 2)
	dst = appendDigits(append(dst, 'T'), hour, 2)
	dst = appendDigits(append(dst, ':'), minute, 2)
	dst = appendDigits(append(dst, ':'), second, 2)
	if us := at.Nanosecond() / 1000; us != 0 {
		dst = appendDigits(append(dst, '.'), us, 6)
	}
	return dst
}

func (t Time) appendOffset(dst []byte) []byte {
	if !t.aware {
		return dst
	}
	sign, offset := byte('+'), int(t.offset)
	if offset < 0 {
		sign, offset = '-', -offset
	}
	dst = appendDigits(append(dst, sign), offset/3600, 2)
	dst = appendDigits(append(dst, ':'), offset/60%60, 2)
	if offset%60 != 0 {
		dst = appendDigits(append(dst, ':'), offset%60, 2)
	}
	return dst
}

func appendDigits(dst []byte, n, width int) []byte {
	var digits [8]byte
	for i := width - 1; i >= 0; i-- {
		digits[i] = byte('0' + n%10)
		n /= 10
	}
	return append(dst, digits[:width]...)
}
