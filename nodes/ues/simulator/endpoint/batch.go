package endpoint

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"github.com/weft-engine/weft/nodes/ues/simulator/field"
	"github.com/weft-engine/weft/nodes/ues/simulator/jsontext"
	"github.com/weft-engine/weft/nodes/ues/simulator/modality"
	"github.com/weft-engine/weft/nodes/ues/simulator/queue"
	"github.com/weft-engine/weft/nodes/ues/simulator/world"
)

// mostInBatch is the number of events that one batch may have.
const mostInBatch = 1000

// item is one event of a batch: made, or why not.
type item struct {
	index int
	made  *queue.Event
	err   error
}

func (e events) batch(r *modality.Request) modality.Response {
	b := body(r)
	drafts := field.Need(b, "events", field.List(field.Model(readDraft), 0))
	stop := field.Or(b, "stop_on_first_error", field.Bool, false)
	only := field.Or(b, "validate_only", field.Bool, false)
	if errs := b.Errors(); len(errs) > 0 {
		return modality.Invalid(errs)
	}
	switch n := len(drafts); {
	case n == 0:
		return modality.Detail(http.StatusBadRequest, "Batch must contain at least one event")
	case n > mostInBatch:
		return modality.Detail(http.StatusBadRequest, fmt.Sprintf("Batch size %d exceeds maximum of %d", n, mostInBatch))
	}
	items := make([]item, len(drafts))
	for i, d := range drafts {
		d.By = r.Key
		items[i].index = i
		if items[i].made, items[i].err = e.Draft(d); items[i].err != nil && stop {
			return stopped(i, len(drafts), items[i].err)
		}
	}
	if only {
		return validated(items)
	}
	return e.created(items)
}

// stopped answers for a batch that ended at its first error.
func stopped(i, total int, err error) modality.Response {
	return object(http.StatusBadRequest, func(o *jsontext.Object) {
		o.Member("detail", func(dst []byte) []byte {
			d := jsontext.Open(dst)
			d.String("detail", "Batch validation failed at index "+strconv.Itoa(i)+": "+reason(err))
			d.Int("failed_index", i)
			d.Int("events_validated", i+1)
			d.Int("total_events", total)
			return d.Close()
		})
	})
}

func count(items []item) (good, bad int) {
	for _, it := range items {
		if it.err != nil {
			bad++
		}
	}
	return len(items) - bad, bad
}

// validated answers for a batch that was only to be checked.
func validated(items []item) modality.Response {
	good, bad := count(items)
	return object(http.StatusOK, func(o *jsontext.Object) {
		o.Int("total_submitted", len(items))
		o.Int("total_valid", good)
		o.Int("total_invalid", bad)
		o.Member("events", list(items, func(o *jsontext.Object, it item) {
			o.Int("index", it.index)
			o.Bool("valid", it.err == nil)
			writeReason(o, it.err)
		}))
		o.Bool("validation_only", true)
	})
}

// created schedules what is good and answers.
func (e events) created(items []item) modality.Response {
	var made []*queue.Event
	for _, it := range items {
		if it.err == nil {
			made = append(made, it.made)
		}
	}
	if err := e.ScheduleAll(made); err != nil {
		r := (*world.Refusal)(nil)
		if errors.As(err, &r) && r.Status == http.StatusBadRequest {
			return modality.Generic(r.Status, "Invalid Value", r.Text, "ValueError")
		}
		return refused(err)
	}
	status := http.StatusCreated
	good, bad := count(items)
	if bad > 0 {
		status = http.StatusMultiStatus
	}
	return object(status, func(o *jsontext.Object) {
		o.Int("total_submitted", len(items))
		o.Int("total_created", good)
		o.Int("total_failed", bad)
		o.Member("events", list(items, writeItem))
	})
}

func writeItem(o *jsontext.Object, it item) {
	o.Int("index", it.index)
	o.Bool("success", it.err == nil)
	if it.err == nil {
		o.String("event_id", it.made.ID)
		zTime(o, "scheduled_time", &it.made.Scheduled)
	} else {
		o.Null("event_id")
		o.Null("scheduled_time")
	}
	writeReason(o, it.err)
}

func writeReason(o *jsontext.Object, err error) {
	if err == nil {
		o.Null("error")
		return
	}
	o.String("error", reason(err))
}
