package plot

import (
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	gonum "gonum.org/v1/plot"
)

// short cuts a text to so many letters and drops what XML cannot hold.
func short(s string, most int) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t' || r == '\r':
			return ' '
		case r < ' ' || r == 0xFFFE || r == 0xFFFF:
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return string([]rune(s)[:most-1]) + "…"
}

// The most ticks of an axis, and letters of a label below it.
const (
	maxTicks  = 8
	maxLabels = 12
	maxLetter = 14
)

// numbers puts ticks at round numbers. However odd the range is, there are few.
type numbers struct{}

// Ticks returns the ticks from low to high.
func (numbers) Ticks(low, high float64) []gonum.Tick {
	step := round((high - low) / (maxTicks - 2))
	if step <= 0 || math.IsInf(step, 0) || math.IsNaN(step) {
		return []gonum.Tick{{Value: low, Label: figure(low, 0)}}
	}
	var out []gonum.Tick
	first := math.Ceil(low / step)
	for i := range maxTicks + 1 {
		v := (first + float64(i)) * step
		if v > high || len(out) > 0 && v <= out[len(out)-1].Value {
			break
		}
		out = append(out, gonum.Tick{Value: v, Label: figure(v, step)})
	}
	return out
}

// round returns the next 1, 2 or 5 times a power of ten.
func round(step float64) float64 {
	if step <= 0 || math.IsInf(step, 0) || math.IsNaN(step) {
		return 0
	}
	unit := math.Pow(10, math.Floor(math.Log10(step)))
	for _, m := range []float64{1, 2, 5} {
		if m*unit >= step {
			return m * unit
		}
	}
	return 10 * unit
}

// figure writes a number with as many digits as its step needs.
func figure(v, step float64) string {
	switch a := math.Abs(v); {
	case v == 0 || a < step/1000:
		return "0"
	case a >= 1e15 || a < 1e-6:
		return strconv.FormatFloat(v, 'g', 3, 64)
	case a >= 1e9 && step >= 1e8:
		return strconv.FormatFloat(v/1e9, 'g', 4, 64) + "G"
	case a >= 1e6 && step >= 1e5:
		return strconv.FormatFloat(v/1e6, 'g', 4, 64) + "M"
	}
	digits := 0
	if step > 0 && step < 1 {
		digits = min(int(math.Ceil(-math.Log10(step))), 9)
	}
	return strconv.FormatFloat(v, 'f', digits, 64)
}

// instants puts ticks at the same distances and labels them as precisely as is needed.
type instants struct{}

// Ticks returns the ticks from low to high, seconds since 1970.
func (instants) Ticks(low, high float64) []gonum.Tick {
	const n = 5
	out := make([]gonum.Tick, 0, n)
	layout := "2006"
	switch span := high - low; {
	case span <= 2*24*3600:
		layout = "2 Jan 15:04"
	case span <= 400*24*3600:
		layout = "2 Jan"
	case span <= 5*366*24*3600:
		layout = "Jan 2006"
	}
	for i := range n {
		at := low + (high-low)*float64(i)/(n-1)
		out = append(out, gonum.Tick{Value: at, Label: time.Unix(int64(at), 0).UTC().Format(layout)})
	}
	return out
}

// labels puts a tick at every place, and a label at so many that they can be read.
type labels []string

// Ticks returns the ticks; places are numbered from 0.
func (l labels) Ticks(float64, float64) []gonum.Tick {
	every := (len(l) + maxLabels - 1) / maxLabels
	var out []gonum.Tick
	for i := 0; i < len(l); i += max(every, 1) {
		s := short(l[i], maxLetter)
		if s == "" {
			s = " "
		}
		out = append(out, gonum.Tick{Value: float64(i), Label: s})
	}
	return out
}

// ParseTime reads a date, a month, or an instant with or without a zone; UTC when there is none.
func ParseTime(s string) (time.Time, bool) {
	if len(s) < len("2006-01") || s[0] < '0' || s[0] > '9' {
		return time.Time{}, false
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02", "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01"} {
		if t, err := time.Parse(layout, s); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}
