package modality

import (
	"net/http"

	"github.com/weft-engine/weft/nodes/ues/simulator/field"
	"github.com/weft-engine/weft/nodes/ues/simulator/jsontext"
	"github.com/weft-engine/weft/nodes/ues/simulator/ordered"
)

// Act checks the input's rules, performs the deed and makes the ModalityActionResponse
// (200, also when the event failed). A broken rule answers 500 as the original does:
// `<Failed>: 400: Invalid event data: Invalid event: ["Invalid input data: …"]`; a route
// that answers otherwise (calendar: 400) calls Input.Check itself before.
func (r *Request) Act(d Deed) Response {
	if err := d.Input.Check(); err != nil {
		problems := List([]string{"Invalid input data: " + err.Error()})
		return Detail(http.StatusInternalServerError, d.Failed+": 400: Invalid event data: Invalid event: "+problems)
	}
	out := r.World.Act(d.Modality, d.Input, r.Key)
	status, message := "failed", d.Failed+": "+out.Error
	if out.Error == "" || d.Blind {
		status, message = "executed", d.Done()
		if d.Notice != "" && out.Error == "" {
			r.World.Tell(d.Notice, func(dst []byte) []byte { return d.Data(dst, out.EventID) })
		}
	}
	return OK(func(dst []byte) []byte {
		o := jsontext.Open(dst)
		o.String("event_id", out.EventID)
		o.Member("scheduled_time", out.At.JSON)
		o.String("status", status)
		o.String("message", message)
		o.String("modality", d.Modality)
		return o.Close()
	})
}

// OK answers 200.
func OK(write func(dst []byte) []byte) Response {
	return Response{Status: http.StatusOK, Write: write}
}

// Detail answers {"detail": text}.
func Detail(status int, text string) Response {
	return Response{Status: status, Write: func(dst []byte) []byte {
		o := jsontext.Open(dst)
		o.String("detail", text)
		return o.Close()
	}}
}

// Generic answers with the three members that errors have which escaped a handler of the
// original: error, detail and type.
func Generic(status int, title, detail, class string) Response {
	return Response{Status: status, Write: func(dst []byte) []byte {
		o := jsontext.Open(dst)
		o.String("error", title)
		o.String("detail", detail)
		o.String("type", class)
		return o.Close()
	}}
}

// Invalid answers 422 with the list of section 3.5; locations begin with "body" or
// "query". When what was wrong holds a number that JSON cannot say, the answer is the
// original's 400.
func Invalid(errs []field.Error) Response {
	for i := range errs {
		if word, found := ordered.NonFinite(errs[i].Input); found {
			return NotJSON(word)
		}
	}
	return Response{Status: http.StatusUnprocessableEntity, Write: func(dst []byte) []byte {
		dst = append(dst, `{"error":"Validation Error","detail":[`...)
		for i := range errs {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = errs[i].AppendJSON(dst)
		}
		return append(dst, "]}"...)
	}}
}

// NotJSON answers for an answer that would hold a number that JSON cannot say: nan, inf
// or -inf.
func NotJSON(word string) Response {
	return Generic(http.StatusBadRequest, "Invalid Value", "Out of range float values are not JSON compliant: "+word, "ValueError")
}

// Crash answers the generic 500 with the name of an exception class.
func Crash(class string) Response {
	return Generic(http.StatusInternalServerError, "Internal Server Error", "An unexpected error occurred", class)
}

// Absent answers for a modality that the environment lacks.
func Absent() Response { return Crash("KeyError") }
