package build

import (
	"fmt"
	"regexp"
	"strconv"
	"time"

	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/source"
)

// isoDuration is the parts of ISO 8601 durations that have one length: weeks, days,
// hours, minutes, seconds.
var isoDuration = regexp.MustCompile(`^P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$`)

// goDuration is the form of Go's durations: one that Go does not read is too long for it.
var goDuration = regexp.MustCompile(`^(\d+(\.\d+)?(ns|us|µs|ms|s|m|h))+$`)

var isoUnits = [...]time.Duration{7 * 24 * time.Hour, 24 * time.Hour, time.Hour, time.Minute, time.Second}

// maxDuration keeps deadlines inside what instants can say: a hundred years.
const maxDuration = 100 * 365 * 24 * time.Hour

// ParseDuration reads a duration as Go writes it (30s, 72h) or as ISO 8601 does
// (PT1H, P3D). It is not negative, and at most a hundred years.
func ParseDuration(text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if err != nil {
		d, err = parseISO(text)
	}
	switch {
	case err != nil:
		return 0, err
	case d < 0:
		return 0, fmt.Errorf("%q is negative", text)
	case d > maxDuration:
		return 0, tooLong(text)
	}
	return d, nil
}

func tooLong(text string) error { return fmt.Errorf("%q is longer than a hundred years", text) }

func parseISO(text string) (time.Duration, error) {
	if goDuration.MatchString(text) {
		return 0, tooLong(text)
	}
	m := isoDuration.FindStringSubmatch(text)
	if m == nil || text[len(text)-1] == 'P' || text[len(text)-1] == 'T' {
		return 0, fmt.Errorf("%q is no duration", text)
	}
	var d time.Duration
	for i, unit := range isoUnits {
		if m[i+1] == "" {
			continue
		}
		n, err := strconv.ParseFloat(m[i+1], 64)
		if err != nil || n > float64(maxDuration/unit) {
			return 0, tooLong(text)
		}
		d += time.Duration(n * float64(unit))
	}
	return d, nil
}

func duration(v *source.Value, list *diag.List) time.Duration {
	if v == nil {
		return 0
	}
	d, err := ParseDuration(text(v))
	if err != nil {
		list.Add(badDuration.At(v.Pos, "%s", err).WithHint("Write a duration such as 30s, 72h, PT1H or P3D, at most a hundred years."))
	}
	return d
}
