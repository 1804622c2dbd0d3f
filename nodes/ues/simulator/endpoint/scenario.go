package endpoint

import (
	"net/http"

	"github.com/weft-engine/weft/nodes/ues/simulator/field"
	"github.com/weft-engine/weft/nodes/ues/simulator/jsontext"
	"github.com/weft-engine/weft/nodes/ues/simulator/modality"
	"github.com/weft-engine/weft/nodes/ues/simulator/queue"
	"github.com/weft-engine/weft/nodes/ues/simulator/world"
)

// Scenario declares /scenario.
func Scenario(w *world.World) []modality.Route {
	s := scenario{w}
	texts := []modality.Param{
		{Name: "author", Type: "string", Doc: "who made the scenario"},
		{Name: "description", Type: "string", Doc: "what it is about"},
	}
	return []modality.Route{
		{
			Method: get, Path: "/scenario/export/environment", Permission: "scenario:export",
			Summary: "The clock and all states", Handle: s.exportEnvironment,
		},
		{
			Method: get, Path: "/scenario/export/events", Permission: "scenario:export",
			Summary: "All events", Handle: s.exportEvents,
		},
		{
			Method: get, Path: "/scenario/export/full", Permission: "scenario:export", Query: texts,
			Summary: "A whole scenario", Handle: s.exportFull,
		},
		{
			Method: post, Path: "/scenario/import/environment", Permission: "scenario:import", Body: modality.NeedBody,
			Summary: "Replace clock and states", Handle: s.importEnvironment,
		},
		{
			Method: post, Path: "/scenario/import/events", Permission: "scenario:import", Body: modality.NeedBody,
			Summary: "Replace or extend the events", Handle: s.importEvents,
		},
		{
			Method: post, Path: "/scenario/import/full", Permission: "scenario:import", Body: modality.NeedBody,
			Summary: "Replace everything by a scenario", Handle: s.importFull,
		},
	}
}

type scenario struct{ *world.World }

func (s scenario) exportEnvironment(*modality.Request) modality.Response {
	return object(http.StatusOK, func(o *jsontext.Object) {
		o.Member("environment", s.AppendEnvironment)
		o.Strings("modalities_exported", s.Modalities())
	})
}

func (s scenario) exportEvents(*modality.Request) modality.Response {
	q := s.Queue()
	return object(http.StatusOK, func(o *jsontext.Object) {
		o.Member("events", s.AppendEvents)
		o.Int("total_events", q.Len())
		o.Int("pending_events", q.Count(queue.Pending))
		o.Int("executed_events", q.Count(queue.Executed))
	})
}

func (s scenario) exportFull(r *modality.Request) modality.Response {
	author, _ := r.Query("author")
	description, _ := r.Query("description")
	return object(http.StatusOK, func(o *jsontext.Object) {
		o.Member("scenario", func(dst []byte) []byte { return s.AppendScenario(dst, author, description) })
	})
}

func (s scenario) importEnvironment(r *modality.Request) modality.Response {
	b := body(r)
	env := field.Need(b, "data", field.Model(world.ReadEnvironment))
	historic := field.Or(b, "historic_event_handling",
		field.OneOf(world.HistoricIgnore, world.HistoricDelete, world.HistoricApply), world.HistoricIgnore)
	strict := field.Or(b, "strict_modalities", field.Bool, false)
	if errs := b.Errors(); len(errs) > 0 {
		return modality.Invalid(errs)
	}
	l, err := s.LoadEnvironment(env, historic, strict)
	if err != nil {
		return refused(err)
	}
	return object(http.StatusOK, func(o *jsontext.Object) {
		o.Bool("success", true)
		o.Strings("modalities_loaded", l.Modalities)
		o.Strings("modalities_skipped", l.Skipped)
		o.Strings("warnings", l.Warnings)
		o.Int("historic_events_count", l.Historic)
		o.String("historic_events_action", historic)
	})
}

func (s scenario) importEvents(r *modality.Request) modality.Response {
	b := body(r)
	events := field.Need(b, "data", field.Model(world.ReadEvents))
	merge := field.Or(b, "merge", field.Bool, false)
	if errs := b.Errors(); len(errs) > 0 {
		return modality.Invalid(errs)
	}
	l, err := s.LoadEvents(events, merge)
	if err != nil {
		return refused(err)
	}
	return object(http.StatusOK, func(o *jsontext.Object) {
		o.Bool("success", true)
		o.Int("events_loaded", l.Loaded)
		o.Int("events_merged", l.Merged)
		o.Int("previous_events", l.Previous)
		o.Bool("historic_events_warning", l.Historic > 0)
		o.Int("historic_event_count", l.Historic)
	})
}

func (s scenario) importFull(r *modality.Request) modality.Response {
	b := body(r)
	file := field.Need(b, "scenario", field.Model(world.ReadScenario))
	strict := field.Or(b, "strict_modalities", field.Bool, false)
	if errs := b.Errors(); len(errs) > 0 {
		return modality.Invalid(errs)
	}
	l, err := s.Load(file, strict)
	if err != nil {
		return refused(err)
	}
	m := file.Metadata
	return object(http.StatusOK, func(o *jsontext.Object) {
		o.Bool("success", true)
		o.Bool("environment_loaded", true)
		o.Int("events_loaded", len(file.Events))
		o.Strings("modalities_loaded", l.Modalities)
		o.Strings("modalities_skipped", l.Skipped)
		o.Strings("warnings", l.Warnings)
		o.Member("scenario_metadata", func(dst []byte) []byte {
			d := jsontext.Open(dst)
			d.String("ues_version", m.UESVersion)
			d.String("scenario_version", m.Version)
			isoTime(&d, "created_at", &m.CreatedAt)
			nullable(&d, "author", m.Author)
			nullable(&d, "description", m.Description)
			return d.Close()
		})
	})
}

// nullable writes a text that may be nil.
func nullable(o *jsontext.Object, name string, s *string) {
	if s == nil {
		o.Null(name)
		return
	}
	o.String(name, *s)
}
