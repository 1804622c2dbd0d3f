package weather

import (
	"net/http"

	"github.com/weft-engine/weft/nodes/ues/simulator/field"
	"github.com/weft-engine/weft/nodes/ues/simulator/jsontext"
	"github.com/weft-engine/weft/nodes/ues/simulator/modality"
	"github.com/weft-engine/weft/nodes/ues/simulator/ordered"
)

// Kind describes the modality.
func Kind() modality.Kind {
	return modality.Kind{Name: name, New: New, Load: Load, Decode: Decode, Routes: []modality.Route{
		{
			Method: http.MethodGet, Path: "/weather/state", Permission: "weather:state", Handle: getState,
			Summary: "The reports on all places",
			Query:   []modality.Param{{Name: "compact", Type: "boolean", Doc: "without former reports"}},
		},
		post("query", "The reports on a place", postQuery),
		post("update", "Report on a place", update),
	}}
}

func post(path, doc string, handle func(*modality.Request) modality.Response) modality.Route {
	return modality.Route{
		Method: http.MethodPost, Path: "/weather/" + path, Permission: "weather:" + path, Summary: doc,
		Body: modality.NeedBody, Handle: handle,
	}
}

func getState(r *modality.Request) modality.Response {
	q := field.ReadQuery(r.Query)
	short := field.Or(q, "compact", field.Bool, false)
	if errs := q.Errors(); len(errs) > 0 {
		return modality.Invalid(errs)
	}
	s, ok := r.State.(*State)
	if !ok {
		return modality.Absent()
	}
	return modality.OK(func(dst []byte) []byte {
		o := jsontext.Open(dst)
		o.String("modality_type", name)
		if short {
			o.Member("last_updated", s.LastUpdated.JSONISO)
		} else {
			o.Member("last_updated", s.LastUpdated.JSON)
		}
		o.Int("update_count", s.UpdateCount)
		if short {
			o.Member("locations", s.appendShort)
		} else {
			o.Member("locations", s.appendPlaces)
		}
		o.Int("location_count", s.places.Len())
		return o.Close()
	})
}

// appendShort writes the places without former reports.
func (s *State) appendShort(dst []byte) []byte {
	o := jsontext.Open(dst)
	for k, p := range s.places.All() {
		o.Key(k)
		o.Write(func(dst []byte) []byte {
			o := jsontext.Open(dst)
			o.Float("latitude", p.latitude)
			o.Float("longitude", p.longitude)
			o.Member("last_updated", p.lastUpdated.JSONISO)
			o.Member("current_report", p.current.AppendJSON)
			o.Int("report_count", len(p.history))
			return o.Close()
		})
	}
	return o.Close()
}

// postQuery handles /weather/query. from_time and to_time are read and ignored, as in the
// original.
func postQuery(r *modality.Request) modality.Response {
	q := modality.ReadQuery(r.Body)
	lat := field.Need(q.Reader, "lat", field.Float)
	lon := field.Need(q.Reader, "lon", field.Float)
	part := field.OneOf("current", "minutely", "hourly", "daily", "alerts")
	exclude := field.MaybeOr(q.Reader, "exclude", field.List(part, 0), nil)
	units := field.Or(q.Reader, "units", field.OneOf(standard, metric, imperial), standard)
	field.Maybe(q.Reader, "from_time", field.Int)
	field.Maybe(q.Reader, "to_time", field.Int)
	q.Page(field.AtLeast(field.Int, 1))
	if errs := q.Errors(); len(errs) > 0 {
		return modality.Invalid(errs)
	}
	s, ok := r.State.(*State)
	if !ok {
		return modality.Absent()
	}
	p, known := s.places.Get(key(lat, lon))
	if !known {
		p = &place{}
	}
	reports := p.reports()
	page := modality.Page(reports, q.Offset, q.Limit)
	return modality.OK(func(dst []byte) []byte {
		o := jsontext.Open(dst)
		o.Member("reports", func(dst []byte) []byte {
			return modality.AppendArray(dst, page, func(dst []byte, e entry) []byte { return shape(e.report, exclude, units).AppendJSON(dst) })
		})
		o.Int("count", len(page))
		o.Int("total_count", len(reports))
		if known {
			o.Null("error")
		} else {
			o.String("error", "No weather data for this location")
		}
		return o.Close()
	})
}

// shape is a report without some parts and in other units; the report itself stays as it is.
func shape(report *ordered.Map, exclude []string, units string) *ordered.Map {
	if len(exclude) == 0 && units == standard {
		return report
	}
	c := report.Clone()
	for _, part := range exclude {
		c.Delete(part)
	}
	convert(c, units)
	return c
}

func update(r *modality.Request) modality.Response {
	b := field.Read(r.Body, "body")
	in := &Input{Head: modality.NewHead(r.Moment)}
	in.read(b)
	if errs := b.Errors(); len(errs) > 0 {
		return modality.Invalid(errs)
	}
	return r.Act(modality.Deed{
		Modality: name, Input: in, Failed: "Failed to update weather", Notice: "weather.updated",
		Done: func() string {
			return "Weather updated for location (" + text(in.Latitude) + ", " + text(in.Longitude) + ")"
		},
		Data: func(dst []byte, _ string) []byte {
			o := jsontext.Open(dst)
			o.Float("latitude", in.Latitude)
			o.Float("longitude", in.Longitude)
			return o.Close()
		},
	})
}
