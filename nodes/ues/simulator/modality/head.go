package modality

import (
	"fmt"
	"strconv"
	"time"

	"github.com/weft-engine/weft/nodes/ues/simulator/field"
	"github.com/weft-engine/weft/nodes/ues/simulator/jsontext"
)

// Head are the fields with which every payload begins.
type Head struct {
	At      field.Time // the payload's timestamp, never naive
	InputID string
}

// NewHead is the head of a payload that an action endpoint makes now.
func NewHead(m Moment) Head { return Head{At: m.Now, InputID: m.NewID()} }

// ReadHead reads the head of a payload whose fixed modality_type is name.
func ReadHead(r *field.Reader, name string, m Moment) Head {
	field.Or(r, "modality_type", field.OneOf(name), name)
	h := Head{At: field.Need(r, "timestamp", field.When).Aware()}
	if id := field.Maybe(r, "input_id", field.String); id != nil {
		h.InputID = *id
	} else {
		h.InputID = m.NewID()
	}
	return h
}

// Timestamp is when the payload's event logically happened.
func (h *Head) Timestamp() field.Time { return h.At }

// Open begins the JSON object of a payload with the head.
func (h *Head) Open(dst []byte, name string) jsontext.Object {
	o := jsontext.Open(dst)
	o.String("modality_type", name)
	o.Member("timestamp", h.At.JSON)
	o.String("input_id", h.InputID)
	return o
}

// Stamp is what every state counts: when it was changed last, and how often.
type Stamp struct {
	LastUpdated field.Time
	UpdateCount int
}

// Touch notes a change.
func (s *Stamp) Touch(at field.Time) {
	s.LastUpdated = at
	s.UpdateCount++
}

// ReadStamp reads the stamp of a state whose fixed modality_type is name.
func ReadStamp(r *field.Reader, name string) Stamp {
	field.Or(r, "modality_type", field.OneOf(name), name)
	return Stamp{
		LastUpdated: field.Need(r, "last_updated", field.When).Aware(),
		UpdateCount: field.Or(r, "update_count", field.Int, 0),
	}
}

// Open begins the JSON object of a state with the stamp.
func (s *Stamp) Open(dst []byte, name string) jsontext.Object {
	o := jsontext.Open(dst)
	o.String("modality_type", name)
	o.Member("last_updated", s.LastUpdated.JSON)
	o.Int("update_count", s.UpdateCount)
	return o
}

// AppendNullable writes a text, or null.
func AppendNullable(o *jsontext.Object, name string, s *string) {
	if s == nil {
		o.Null(name)
		return
	}
	o.String(name, *s)
}

// AppendNullableStrings writes an array of texts, or null for a nil slice.
func AppendNullableStrings(o *jsontext.Object, name string, items []string) {
	if items == nil {
		o.Null(name)
		return
	}
	o.Strings(name, items)
}

// AppendArray writes an array of what write writes, item by item.
func AppendArray[T any](dst []byte, items []T, write func(dst []byte, item T) []byte) []byte {
	dst = append(dst, '[')
	for i, item := range items {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = write(dst, item)
	}
	return append(dst, ']')
}

// Page cuts a page out of items: at most limit (nil: all) from offset on.
func Page[T any](items []T, offset int, limit *int) []T {
	items = items[min(max(offset, 0), len(items)):]
	if limit != nil && *limit < len(items) {
		items = items[:max(*limit, 0)]
	}
	return items
}

// Ago says how long before now a time lies: "just now", "5 minutes ago", "1 day ago".
func Ago(t, now field.Time) string {
	passed := now.Sub(t)
	if passed < time.Minute {
		return "just now"
	}
	return largest(passed) + " ago"
}

// Until says how long after now a time lies: "in 2 hours", "in less than a minute".
func Until(t, now field.Time) string {
	left := t.Sub(now)
	if left < time.Minute {
		return "in less than a minute"
	}
	return "in " + largest(left)
}

// largest counts whole minutes, hours or days.
func largest(d time.Duration) string {
	switch {
	case d < time.Hour:
		return Count(int(d/time.Minute), "minute")
	case d < 24*time.Hour:
		return Count(int(d/time.Hour), "hour")
	default:
		return Count(int(d/(24*time.Hour)), "day")
	}
}

// Count is a number and a word, with an s unless there is one: "1 contact", "2 contacts".
func Count(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return strconv.Itoa(n) + " " + word + "s"
}

// Shorten cuts a text after most characters and adds three dots.
func Shorten(s string, most int) string {
	n := 0
	for i := range s {
		if n == most {
			return s[:i] + "..."
		}
		n++
	}
	return s
}

// Refuse is a ValueError, in the contract's words.
func Refuse(format string, args ...any) error {
	return &Fault{Class: "ValueError", Text: fmt.Sprintf(format, args...)}
}

// AppendNullableTime writes a time in the Z style, or null.
func AppendNullableTime(o *jsontext.Object, name string, t *field.Time) {
	if t == nil {
		o.Null(name)
		return
	}
	o.Member(name, t.JSON)
}

// AppendNullableBool writes true or false, or null.
func AppendNullableBool(o *jsontext.Object, name string, b *bool) {
	if b == nil {
		o.Null(name)
		return
	}
	o.Bool(name, *b)
}

// AppendNullableInt writes a whole number, or null.
func AppendNullableInt(o *jsontext.Object, name string, n *int) {
	if n == nil {
		o.Null(name)
		return
	}
	o.Int(name, *n)
}

// AppendNullableFloat writes a number, or null.
func AppendNullableFloat(o *jsontext.Object, name string, f *float64) {
	if f == nil {
		o.Null(name)
		return
	}
	o.Float(name, *f)
}

// IsEmpty tells whether a text that a payload may leave out is missing or empty.
func IsEmpty(s *string) bool { return s == nil || *s == "" }

// MaybeAware reads an optional time of a state, where a missing offset means UTC.
func MaybeAware(r *field.Reader, name string) *field.Time {
	t := field.Maybe(r, name, field.When)
	if t != nil {
		*t = t.Aware()
	}
	return t
}

// Phone normalises a phone number that came in a request: digits only, ten of them get
// the prefix 1, and a plus sign in front. What has no digits stays as it is.
func Phone(s string) string {
	digits := make([]byte, 0, len(s)+2)
	digits = append(digits, '+')
	for i := range len(s) {
		if s[i] >= '0' && s[i] <= '9' {
			digits = append(digits, s[i])
		}
	}
	switch n := len(digits) - 1; {
	case n == 0:
		return s
	case n == 10 && s[0] != '+':
		return "+1" + string(digits[1:])
	}
	return string(digits)
}
