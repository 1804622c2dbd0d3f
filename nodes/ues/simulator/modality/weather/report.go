package weather

import (
	"github.com/weft-engine/weft/nodes/ues/simulator/field"
	"github.com/weft-engine/weft/nodes/ues/simulator/ordered"
)

// member describes a member of a report: how to read it and whether it may be missing or
// null.
type member struct {
	name     string
	read     field.Type[any]
	optional bool
}

// must and may describe members of the same type, given by name.
func must(read field.Type[any], names ...string) []member {
	list := make([]member, len(names))
	for i, n := range names {
		list[i] = member{name: n, read: read}
	}
	return list
}

func may(read field.Type[any], names ...string) []member {
	list := must(read, names...)
	for i := range list {
		list[i].optional = true
	}
	return list
}

func integer(v any, at *field.Place) any { return ordered.Int(field.Int(v, at)) }
func float(v any, at *field.Place) any   { return ordered.Float(field.Finite(v, at)) }
func word(v any, at *field.Place) any    { return field.String(v, at) }

// record takes objects with the given members and gives them in that order, with null for
// what is missing.
func record(groups ...[]member) field.Type[any] {
	read := field.Model(func(r *field.Reader) *ordered.Map {
		doc := &ordered.Map{}
		for _, g := range groups {
			for _, m := range g {
				if !m.optional {
					doc.Set(m.name, field.Need(r, m.name, m.read))
				} else if v := field.Maybe(r, m.name, m.read); v != nil {
					doc.Set(m.name, *v)
				} else {
					doc.Set(m.name, nil)
				}
			}
		}
		return doc
	})
	return func(v any, at *field.Place) any { return read(v, at) }
}

func list(t field.Type[any]) field.Type[any] {
	read := field.List(t, 0)
	return func(v any, at *field.Place) any { return read(v, at) }
}

// numbers takes objects whose values are numbers.
func numbers(v any, at *field.Place) any {
	doc := &ordered.Map{}
	for name, f := range field.Values(float)(v, at).All() {
		doc.Set(name, f)
	}
	return doc
}

// reportType is a WeatherReport of contract section 5.12.
var reportType = makeReportType()

func makeReportType() field.Type[any] {
	conditions := list(record(must(integer, "id"), must(word, "main", "description", "icon")))
	current := record(
		must(integer, "dt", "sunrise", "sunset"), must(float, "temp", "feels_like"), must(integer, "pressure", "humidity"),
		must(float, "dew_point", "uvi"), must(integer, "clouds", "visibility"), must(float, "wind_speed"),
		must(integer, "wind_deg"), may(float, "wind_gust"), must(conditions, "weather"))
	minutely := record(must(integer, "dt"), must(float, "precipitation"))
	hourly := record(
		must(integer, "dt"), must(float, "temp", "feels_like"), must(integer, "pressure", "humidity"), must(float, "dew_point", "uvi"),
		must(integer, "clouds"), may(integer, "visibility"), must(float, "wind_speed"), must(integer, "wind_deg"),
		may(float, "wind_gust"), must(conditions, "weather"), must(float, "pop"), may(numbers, "rain", "snow"))
	daily := record(
		must(integer, "dt", "sunrise", "sunset", "moonrise", "moonset"), must(float, "moon_phase"), may(word, "summary"),
		must(record(must(float, "day", "min", "max", "night", "eve", "morn")), "temp"),
		must(record(must(float, "day", "night", "eve", "morn")), "feels_like"),
		must(integer, "pressure", "humidity"), must(float, "dew_point", "wind_speed"), must(integer, "wind_deg"), may(float, "wind_gust"),
		must(conditions, "weather"), must(integer, "clouds"), must(float, "pop"), may(float, "rain", "snow"), must(float, "uvi"))
	alert := record(must(word, "sender_name", "event"), must(integer, "start", "end"), must(word, "description"), must(list(word), "tags"))
	return record(
		must(float, "lat", "lon"), must(word, "timezone"), must(integer, "timezone_offset"), may(current, "current"),
		may(list(minutely), "minutely"), may(list(hourly), "hourly"), may(list(daily), "daily"), may(list(alert), "alerts"))
}

// readReport reads a report.
func readReport(v any, at *field.Place) *ordered.Map {
	doc, ok := reportType(v, at).(*ordered.Map)
	if !ok {
		return &ordered.Map{}
	}
	return doc
}

// number gives a number of a report; zero when there is none.
func number(doc *ordered.Map, name string) float64 {
	v, _ := doc.Get(name)
	n, ok := v.(ordered.Number)
	if !ok {
		return 0
	}
	return n.Float()
}

// object gives an object of a report; nil when there is none.
func object(doc *ordered.Map, name string) *ordered.Map {
	v, _ := doc.Get(name)
	m, _ := v.(*ordered.Map)
	return m
}
