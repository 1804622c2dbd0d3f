package field_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/weft-engine/weft/nodes/ues/simulator/field"
)

func TestParseTime(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][2]string{ // the Z style, the isoformat style
		"2026-01-28T06:00:00Z":             {"2026-01-28T06:00:00Z", "2026-01-28T06:00:00+00:00"},
		"2026-01-28T06:00:00+00:00":        {"2026-01-28T06:00:00Z", "2026-01-28T06:00:00+00:00"},
		"2026-01-28t06:00z":                {"2026-01-28T06:00:00Z", "2026-01-28T06:00:00+00:00"},
		"2026-01-28 06:00:01.0005-05:00":   {"2026-01-28T06:00:01.000500-05:00", "2026-01-28T06:00:01.000500-05:00"},
		"2026-01-28_06:00:00.1234567+0530": {"2026-01-28T06:00:00.123456+05:30", "2026-01-28T06:00:00.123456+05:30"},
		"2026-01-28T06:00:00\u221205:00":   {"2026-01-28T06:00:00-05:00", "2026-01-28T06:00:00-05:00"},
		"2026-01-28T06:00:00":              {"2026-01-28T06:00:00", "2026-01-28T06:00:00"},
		"2025-01-16":                       {"2025-01-16T00:00:00", "2025-01-16T00:00:00"},
		"1736935200":                       {"2025-01-15T10:00:00Z", "2025-01-15T10:00:00+00:00"},
		"1736935200.5":                     {"2025-01-15T10:00:00.500000Z", "2025-01-15T10:00:00.500000+00:00"},
		"1736935200000":                    {"2025-01-15T10:00:00Z", "2025-01-15T10:00:00+00:00"},
		"20000000000":                      {"2603-10-11T11:33:20Z", "2603-10-11T11:33:20+00:00"},
		"20000000001":                      {"1970-08-20T11:33:20.001000Z", "1970-08-20T11:33:20.001000+00:00"},
		"-1":                               {"1969-12-31T23:59:59Z", "1969-12-31T23:59:59+00:00"},
		"0001-01-01T00:00:00Z":             {"0001-01-01T00:00:00Z", "0001-01-01T00:00:00+00:00"},
		"9999-12-31T23:59:59.999999Z":      {"9999-12-31T23:59:59.999999Z", "9999-12-31T23:59:59.999999+00:00"},
	} {
		got, err := field.ParseTime(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got.Z() != want[0] || got.ISO() != want[1] || got.String() != want[1] {
			t.Errorf("%s: %s and %s, want %v", text, got.Z(), got, want)
		}
	}
}

func TestParseTimeErrors(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"yesterday":                    "input is too short",
		"x":                            "input is too short",
		"":                             "input is too short",
		"2025-02-30T00:00:00Z":         "day value is outside expected range",
		"2025-02-30":                   "day value is outside expected range",
		"2025-13-01":                   "month value is outside expected range of 1-12",
		"20x5-01-01":                   "invalid character in year",
		"2025-x1-01":                   "invalid character in month",
		"2025-01-x1":                   "invalid character in day",
		"2025/01/01":                   "invalid date separator, expected `-`",
		"0000-01-01":                   "day value is outside expected range",
		"2026-01-28T06:00:00 00:00":    "unexpected extra characters at the end of the input",
		"2026-01-28T25:00:00Z":         "unexpected extra characters at the end of the input",
		"2026-01-28T06:00:00+24:00":    "unexpected extra characters at the end of the input",
		"2026-01-28T06:00:00+05:30:15": "unexpected extra characters at the end of the input",
		"2026-01-28T06:00:00.Z":        "unexpected extra characters at the end of the input",
		"2026-01-28X06:00:00Z":         "unexpected extra characters at the end of the input",
		"9e99":                         "input is too short",
		"99999999999999999999":         "dates after 9999 are not supported as unix timestamps",
		"-99999999999999999":           "dates before 0000 are not supported as unix timestamps",
	} {
		got, err := field.ParseTime(text)
		if err == nil || err.Error() != want {
			t.Errorf("%q: %v %v, want %s", text, got, err, want)
		}
	}
}

func TestTimeArithmetic(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 1, 28, 6, 0, 0, 1999, time.UTC)
	a := field.At(at)
	if a.ISO() != "2026-01-28T06:00:00.000001+00:00" || a.Naive() || a.Go() != at.Truncate(time.Microsecond) {
		t.Errorf("At: %s %v %v", a, a.Naive(), a.Go())
	}
	b, err := a.AddMicros(3599_000_000)
	if err != nil || b.ISO() != "2026-01-28T06:59:59.000001+00:00" {
		t.Errorf("AddMicros: %s %v", b, err)
	}
	if !a.Before(b) || a.After(b) || b.Compare(a) != 1 || b.Sub(a) != 3599*time.Second {
		t.Error("order")
	}
	for _, n := range []int64{1 << 62, -1 << 62, 1<<63 - 1, -1 << 63} {
		if _, err := a.AddMicros(n); err == nil {
			t.Errorf("AddMicros(%d) is in the years 1 to 9999", n)
		}
	}
	naive, _ := field.ParseTime("2026-01-28T06:00:00")
	if !naive.Naive() || naive.Aware().Z() != "2026-01-28T06:00:00Z" || naive == naive.Aware() {
		t.Errorf("naive: %s", naive.Aware().Z())
	}
	east, _ := field.ParseTime("2026-01-28T01:30:00+05:30")
	if got := east.Local(); got.Hour() != 1 || got.Day() != 28 {
		t.Errorf("Local: %v", got)
	}
	if got := east.WithLocal(east.Local().AddDate(0, 0, 1)); got.ISO() != "2026-01-29T01:30:00+05:30" {
		t.Errorf("WithLocal: %s", got)
	}
	if d := field.DateOf(east); d.String() != "2026-01-28" || d.Midnight().ISO() != "2026-01-28T00:00:00" {
		t.Errorf("DateOf: %s", d)
	}
}

// TestTimeText writes and reads again, in both styles.
func TestTimeText(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		at := field.UTC(rapid.Int64Range(-62135596800e6+86400e6, 253402300800e6-86400e6).Draw(t, "micros"))
		offset := rapid.IntRange(-23*60, 23*60).Draw(t, "offset")
		moved, err := field.ParseTime(at.Go().In(time.FixedZone("", offset*60)).Format("2006-01-02T15:04:05.999999Z07:00"))
		if err != nil || moved.Compare(at) != 0 {
			t.Fatalf("%s at %d: %s %v", at, offset, moved, err)
		}
		for _, text := range []string{moved.Z(), moved.ISO()} {
			again, err := field.ParseTime(text)
			if err != nil || again != moved {
				t.Fatalf("%s: %s %v", text, again, err)
			}
		}
	})
}

func FuzzParseTime(f *testing.F) {
	for _, s := range []string{"2026-01-28T06:00:00.5+05:30", "1736935200", "2025-01-16", "2026-01-28_06:00"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		at, err := field.ParseTime(s)
		if err != nil {
			return
		}
		again, err := field.ParseTime(at.ISO())
		if err != nil || again.Micros() != at.Micros() || again.Naive() != at.Naive() {
			t.Fatalf("%q is %s, which is %s %v", s, at, again, err)
		}
	})
}
