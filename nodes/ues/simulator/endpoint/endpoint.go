// Package endpoint declares the endpoints of a simulator that belong to no modality:
// time, simulation, scenarios, environment, events, keys, access logs and webhooks. It
// knows neither HTTP nor locks: it turns parsed requests into answers.
package endpoint

import (
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/weft-engine/weft/nodes/ues/simulator/field"
	"github.com/weft-engine/weft/nodes/ues/simulator/jsontext"
	"github.com/weft-engine/weft/nodes/ues/simulator/modality"
	"github.com/weft-engine/weft/nodes/ues/simulator/world"
)

// The methods of HTTP that endpoints use.
const (
	get    = http.MethodGet
	post   = http.MethodPost
	patch  = http.MethodPatch
	remove = http.MethodDelete
)

// object answers with a JSON object.
func object(status int, write func(o *jsontext.Object)) modality.Response {
	return modality.Response{Status: status, Write: func(dst []byte) []byte {
		o := jsontext.Open(dst)
		write(&o)
		return o.Close()
	}}
}

// refused answers for an error of the world.
func refused(err error) modality.Response {
	r := (*world.Refusal)(nil)
	if !errors.As(err, &r) {
		return modality.Crash("RuntimeError")
	}
	if len(r.Holds) == 0 {
		return modality.Detail(r.Status, r.Text)
	}
	return object(r.Status, func(o *jsontext.Object) {
		o.Member("detail", func(dst []byte) []byte {
			d := jsontext.Open(dst)
			d.String("message", r.Text)
			d.Member("active_holds", list(r.Holds, func(o *jsontext.Object, h world.Hold) {
				o.String("hold_id", h.ID)
				o.Nullable("reason", h.Reason)
				o.Nullable("agent_id", h.Agent)
			}))
			return d.Close()
		})
	})
}

// list writes an array of objects.
func list[T any](items []T, write func(o *jsontext.Object, item T)) func(dst []byte) []byte {
	return func(dst []byte) []byte {
		dst = append(dst, '[')
		for i, item := range items {
			if i > 0 {
				dst = append(dst, ',')
			}
			o := jsontext.Open(dst)
			write(&o, item)
			dst = o.Close()
		}
		return append(dst, ']')
	}
}

// isoTime writes a time in the style of isoformat, nil as null.
func isoTime(o *jsontext.Object, name string, t *field.Time) {
	if t == nil {
		o.Null(name)
		return
	}
	o.Member(name, t.JSONISO)
}

// zTime writes a time in the style with Z, nil as null.
func zTime(o *jsontext.Object, name string, t *field.Time) {
	if t == nil {
		o.Null(name)
		return
	}
	o.Member(name, t.JSON)
}

// wallTime writes a wall-clock time in the style with Z, zero as null.
func wallTime(o *jsontext.Object, name string, t time.Time) {
	if t.IsZero() {
		o.Null(name)
		return
	}
	o.Member(name, field.At(t).JSON)
}

// optional is a text or "".
func optional(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// orNull writes a number that is null when zero.
func orNull(o *jsontext.Object, name string, n int) {
	if n == 0 {
		o.Null(name)
		return
	}
	o.Raw(name, strconv.AppendInt(nil, int64(n), 10))
}

// query reads the parameters of a request.
func query(r *modality.Request) *field.Reader { return field.ReadQuery(r.Query) }

// body reads the fields of a request's body.
func body(r *modality.Request) *field.Reader { return field.Read(r.Body, "body") }

// finite takes numbers that JSON can say.
func finite(v any, at *field.Place) float64 {
	f := field.Float(v, at)
	if f-f != 0 {
		at.Fail("finite_number", "Input should be a finite number", v)
		return 1
	}
	return f
}
