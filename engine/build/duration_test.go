package build_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/weft-engine/weft/engine/build"
)

func TestParseDuration(t *testing.T) {
	const day = 24 * time.Hour
	for text, want := range map[string]time.Duration{
		"0s": 0, "30s": 30 * time.Second, "1h30m": 90 * time.Minute, "1.5h": 90 * time.Minute, "250ms": 250 * time.Millisecond,
		"PT1H": time.Hour, "P3D": 3 * day, "P2W": 14 * day, "P1DT12H": 36 * time.Hour, "PT0.5S": 500 * time.Millisecond,
		"PT90M": 90 * time.Minute, "P36500D": 36500 * day,
	} {
		if got, err := build.ParseDuration(text); err != nil || got != want {
			t.Errorf("%s is %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "1", "h", "P", "PT", "P1DT", "P1M", "P1Y", "PT1H1", "P-1D", "-1s", "P36501D", "9999999h", "1e3s", "one hour", "PT1.5H"} {
		if got, err := build.ParseDuration(text); err == nil {
			t.Errorf("%q is taken for %v", text, got)
		}
	}
}

func TestDurationsAreReadAsGoWritesThem(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := time.Duration(rapid.Int64Range(0, int64(100*365*24*time.Hour)).Draw(t, "d"))
		if got, err := build.ParseDuration(want.String()); err != nil || got != want {
			t.Fatalf("%v is read as %v, %v", want, got, err)
		}
	})
}

func FuzzParseDuration(f *testing.F) {
	for _, seed := range []string{"30s", "P1DT2H3M4.5S", "PT", "9999999h", "P99999999999999999999W", "1.1.1s"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d, err := build.ParseDuration(text)
		if err == nil && (d < 0 || d > 100*365*24*time.Hour) {
			t.Fatalf("%q is %v", text, d)
		}
		if err != nil && d != 0 {
			t.Fatalf("%q is %v and an error, %v", text, d, err)
		}
	})
}
