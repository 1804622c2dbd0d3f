package endpoint

import (
	"net/http"
	"strconv"

	"github.com/weft-engine/weft/nodes/ues/simulator/field"
	"github.com/weft-engine/weft/nodes/ues/simulator/jsontext"
	"github.com/weft-engine/weft/nodes/ues/simulator/modality"
	"github.com/weft-engine/weft/nodes/ues/simulator/world"
)

// Time declares /simulator/time.
func Time(w *world.World) []modality.Route {
	t := clock{w}
	return []modality.Route{
		{Method: get, Path: "/simulator/time", Permission: "time:read", Summary: "The simulated time", Handle: t.show},
		{
			Method: post, Path: "/simulator/time/advance", Permission: "time:advance", Body: modality.NeedBody,
			Summary: "Move the clock and run what is due", Handle: t.advance,
		},
		{
			Method: post, Path: "/simulator/time/set", Permission: "time:set", Body: modality.NeedBody,
			Summary: "Set the clock, skipping or rolling back events", Handle: t.set,
		},
		{
			Method: post, Path: "/simulator/time/skip-to-next", Permission: "time:skip",
			Summary: "Move the clock to the next pending event", Handle: t.skip,
		},
		{
			Method: post, Path: "/simulator/time/set-scale", Permission: "time:scale", Body: modality.NeedBody,
			Summary: "Set the speed of auto-advance", Handle: t.scale,
		},
		{Method: post, Path: "/simulator/time/pause", Permission: "time:pause", Summary: "Pause time", Handle: t.pause},
		{Method: post, Path: "/simulator/time/resume", Permission: "time:resume", Summary: "Resume time", Handle: t.resume},
	}
}

type clock struct{ *world.World }

func (c clock) show(*modality.Request) modality.Response {
	t := c.Clock()
	return object(http.StatusOK, func(o *jsontext.Object) {
		zTime(o, "current_time", &t.Now)
		o.Float("time_scale", t.Scale)
		o.Bool("is_paused", t.Paused)
		o.Bool("auto_advance", t.Auto)
		o.String("mode", t.Mode())
	})
}

func (c clock) advance(r *modality.Request) modality.Response {
	b := body(r)
	seconds := field.Need(b, "seconds", field.Above(field.Float, 0))
	if errs := b.Errors(); len(errs) > 0 {
		return modality.Invalid(errs)
	}
	a, err := c.Advance(seconds)
	if err != nil {
		return refused(err)
	}
	return object(http.StatusOK, func(o *jsontext.Object) {
		zTime(o, "previous_time", &a.Previous)
		zTime(o, "current_time", &a.Now)
		o.String("time_advanced", timedelta(a.Now.Micros()-a.Previous.Micros()))
		o.Int("events_executed", len(a.Ran))
		o.Int("events_failed", a.Failed)
		o.Member("execution_details", list(a.Ran, func(o *jsontext.Object, e world.Ran) {
			o.String("event_id", e.ID)
			o.String("modality", e.Modality)
			o.String("status", e.Status.String())
			o.Nullable("error", e.Error)
		}))
	})
}

// timedelta writes a duration as Python does: "1 day, 1:00:00", "0:00:00.500000".
func timedelta(micros int64) string {
	const day = 86400e6
	var b []byte
	if days := micros / day; days > 0 {
		b = append(strconv.AppendInt(b, days, 10), " day"...)
		if days > 1 {
			b = append(b, 's')
		}
		b = append(b, ", "...)
	}
	micros %= day
	seconds := micros / 1e6
	b = append(strconv.AppendInt(b, seconds/3600, 10), ':')
	b = append(padded(b, seconds/60%60, 2), ':')
	b = padded(b, seconds%60, 2)
	if part := micros % 1e6; part != 0 {
		b = padded(append(b, '.'), part, 6)
	}
	return string(b)
}

func padded(b []byte, n int64, width int) []byte {
	digits := strconv.FormatInt(n, 10)
	for range width - len(digits) {
		b = append(b, '0')
	}
	return append(b, digits...)
}

func (c clock) set(r *modality.Request) modality.Response {
	b := body(r)
	target := field.Need(b, "target_time", field.When)
	if errs := b.Errors(); len(errs) > 0 {
		return modality.Invalid(errs)
	}
	j, err := c.SetTime(target)
	if err != nil {
		return refused(err)
	}
	return object(http.StatusOK, func(o *jsontext.Object) {
		zTime(o, "current_time", &j.Now)
		zTime(o, "previous_time", &j.Previous)
		o.Int("skipped_events", j.Skipped)
		o.Int("executed_events", 0)
		o.Int("rolled_back_events", j.RolledBack)
		o.Int("reset_skipped_events", j.Reset)
	})
}

func (c clock) skip(*modality.Request) modality.Response {
	a, err := c.SkipToNext()
	if err != nil {
		return refused(err)
	}
	return object(http.StatusOK, func(o *jsontext.Object) {
		zTime(o, "previous_time", &a.Previous)
		zTime(o, "current_time", &a.Now)
		o.Int("events_executed", len(a.Ran))
		zTime(o, "next_event_time", a.Next)
	})
}

func (c clock) scale(r *modality.Request) modality.Response {
	b := body(r)
	scale := field.Need(b, "scale", field.Above(finite, 0))
	if errs := b.Errors(); len(errs) > 0 {
		return modality.Invalid(errs)
	}
	c.SetScale(scale)
	return c.show(r)
}

func (c clock) pause(*modality.Request) modality.Response {
	c.Pause()
	return c.paused("Time paused")
}

func (c clock) resume(*modality.Request) modality.Response {
	c.Resume()
	return c.paused("Time resumed")
}

func (c clock) paused(message string) modality.Response {
	t := c.Clock()
	return object(http.StatusOK, func(o *jsontext.Object) {
		o.String("message", message)
		isoTime(o, "current_time", &t.Now)
		o.Bool("is_paused", t.Paused)
	})
}
