package cron_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-engine/weft/engine/build"
	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/source"
	"github.com/weft-engine/weft/engine/trigger"
	"github.com/weft-engine/weft/nodes/triggers/cron"
)

// listen builds a source at a given time.
func listen(schedule string, now *time.Time) (trigger.Source, []diag.Finding) {
	list := &diag.List{}
	root := &source.Value{Kind: source.Map}
	s := build.New(root, build.Types{}, list).NewScope(nil, list)
	built := cron.Type(func() time.Time { return *now }).Build(s, &source.Value{Kind: source.String, Text: schedule})
	return built.Source, list.Sorted()
}

func TestPoll(t *testing.T) {
	at := func(text string) time.Time {
		v, err := time.Parse(time.RFC3339, text)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	type event struct {
		Time   string
		Missed int
	}
	for _, c := range []struct {
		name, schedule, cursor, now string
		want                        []event
	}{
		{"crontab starts the first pass just after the minute", "30 7 * * *", "", "2026-03-02T07:30:04Z", []event{{"2026-03-02T07:30:00Z", 0}}},
		{"a first pass at another time", "30 7 * * *", "", "2026-03-02T09:00:00Z", nil},
		{"since the last pass", "30 7 * * *", "2026-03-02T07:30:04Z", "2026-03-03T07:31:00Z", []event{{"2026-03-03T07:30:00Z", 0}}},
		{"not twice", "30 7 * * *", "2026-03-02T07:30:00Z", "2026-03-02T07:30:30Z", nil},
		{"missed ones", "0 * * * *", "2026-03-02T07:30:00Z", "2026-03-02T11:10:00Z", []event{{"2026-03-02T11:00:00Z", 3}}},
		{"only what is not too long ago", "0 0 * * *", "2020-01-01T00:00:00Z", "2026-03-02T11:10:00Z", []event{{"2026-03-02T00:00:00Z", 59}}},
		{"a zone of its own", "CRON_TZ=America/New_York 30 7 * * *", "2026-03-02T00:00:00Z", "2026-03-02T13:00:00Z", []event{{"2026-03-02T07:30:00-05:00", 0}}},
		{"the clock was set back", "0 * * * *", "2026-03-02T12:00:00Z", "2026-03-02T11:30:00Z", nil},
		{"a cursor of something else", "0 * * * *", "17", "2026-03-02T11:30:00Z", nil},
	} {
		now := at(c.now)
		src, findings := listen(c.schedule, &now)
		if len(findings) > 0 {
			t.Fatalf("%s: %v", c.name, findings)
		}
		batch, err := src.Poll(t.Context(), c.cursor)
		if err != nil {
			t.Fatal(err)
		}
		var got []event
		for _, e := range batch.Events {
			got = append(got, event{e.Data["time"].(string), e.Data["missed"].(int)})
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
		if again, _ := src.Poll(t.Context(), batch.Cursor); len(again.Events) > 0 {
			t.Errorf("%s: told twice", c.name)
		}
	}
}

func FuzzSchedule(f *testing.F) {
	for _, s := range []string{"30 7 * * 1-5", "@daily", "@every 5m", "TZ=x", "CRON_TZ=Europe/Paris 0 0 1 1 *", "* * * * * *", "*/0 * * * *", "0 0 31 2 *", ""} {
		f.Add(s)
	}
	now := time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, schedule string) {
		src, findings := listen(schedule, &now)
		if (src == nil) != (len(findings) > 0) {
			t.Fatalf("%q: a source and findings, or neither: %v", schedule, findings)
		}
		if src == nil {
			return
		}
		if _, err := src.Poll(t.Context(), now.Add(-time.Hour).Format(time.RFC3339)); err != nil {
			t.Fatal(err)
		}
	})
}
