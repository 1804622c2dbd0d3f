package endpoint

import (
	"net/http"

	"github.com/weft-engine/weft/nodes/ues/simulator/field"
	"github.com/weft-engine/weft/nodes/ues/simulator/jsontext"
	"github.com/weft-engine/weft/nodes/ues/simulator/modality"
	"github.com/weft-engine/weft/nodes/ues/simulator/world"
)

// Environment declares /environment.
func Environment(w *world.World) []modality.Route {
	e := environment{w}
	return []modality.Route{
		{Method: get, Path: "/environment/state", Permission: "environment:read", Summary: "A snapshot of everything", Query: []modality.Param{
			{Name: "compact", Type: "boolean", Doc: "a short form"},
			{Name: "format", Type: "string", Doc: "json, or text together with compact"},
		}, Handle: e.state},
		{Method: get, Path: "/environment/modalities", Permission: "environment:list", Summary: "What there is", Handle: e.modalities},
		{Method: post, Path: "/environment/validate", Permission: "environment:validate", Summary: "What is wrong", Handle: e.validate},
	}
}

type environment struct{ *world.World }

func (e environment) state(r *modality.Request) modality.Response {
	q := query(r)
	compact := field.Or(q, "compact", field.Bool, false)
	format := field.Or(q, "format", field.OneOf("json", "text"), "json")
	if errs := q.Errors(); len(errs) > 0 {
		return modality.Invalid(errs)
	}
	switch {
	case compact && format == "text":
		return modality.Response{
			Status: http.StatusOK, ContentType: "text/plain; charset=utf-8",
			Write: func(dst []byte) []byte { return append(dst, e.Report()...) },
		}
	case compact:
		return modality.OK(e.AppendCompact)
	}
	return modality.OK(e.AppendSnapshot)
}

func (e environment) modalities(*modality.Request) modality.Response {
	names := e.Modalities()
	return object(http.StatusOK, func(o *jsontext.Object) {
		o.Strings("modalities", names)
		o.Int("count", len(names))
	})
}

func (e environment) validate(*modality.Request) modality.Response {
	problems, t := e.Problems(), e.Clock()
	return object(http.StatusOK, func(o *jsontext.Object) {
		o.Bool("valid", len(problems) == 0)
		o.Strings("errors", problems)
		zTime(o, "checked_at", &t.Now)
	})
}
