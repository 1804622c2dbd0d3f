package ues

import (
	"encoding/json"
	"fmt"
	"time"
)

// Time is an instant as the API writes it: with Z or a numeric offset, and with 0 to 6
// digits of a second's fraction. Without an offset it is taken as UTC; Naive says so.
type Time struct {
	time.Time
	Naive bool
}

// At makes a Time.
func At(t time.Time) Time { return Time{Time: t} }

// Ptr makes a pointer to a Time, for optional fields.
func Ptr(t time.Time) *Time { return &Time{Time: t} }

// layout is what is written: to the microsecond.
const layout = "2006-01-02T15:04:05.999999Z07:00"

// String is the instant as it is sent.
func (t Time) String() string { return t.Format(layout) }

// MarshalJSON writes the instant. The zero Time is null.
func (t Time) MarshalJSON() ([]byte, error) {
	if t.IsZero() {
		return []byte("null"), nil
	}
	return []byte(`"` + t.String() + `"`), nil
}

// UnmarshalJSON reads an instant, or null, which leaves t as it is.
func (t *Time) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		return nil
	}
	var text string
	if err := json.Unmarshal(data, &text); err != nil {
		return fmt.Errorf("an instant is wanted, and this is %s", data)
	}
	at, err := ParseTime(text)
	if err != nil {
		return err
	}
	*t = at
	return nil
}

// ParseTime reads an instant as the API writes it.
func ParseTime(text string) (Time, error) {
	at, err := time.Parse(time.RFC3339Nano, text)
	if err == nil {
		return Time{Time: at}, nil
	}
	if at, err = time.Parse("2006-01-02T15:04:05.999999999", text); err == nil {
		return Time{Time: at.UTC(), Naive: true}, nil
	}
	return Time{}, fmt.Errorf("%.60q is no instant such as 2026-01-28T06:00:00Z", text)
}
