package location

import (
	"cmp"
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
			Method: http.MethodGet, Path: "/location/state", Permission: "location:state", Handle: getState,
			Summary: "The position and the former ones",
			Query:   []modality.Param{{Name: "compact", Type: "boolean", Doc: "without the former positions"}},
		},
		post("query", "Find positions", postQuery),
		post("update", "Be somewhere else", update),
	}}
}

func post(path, doc string, handle func(*modality.Request) modality.Response) modality.Route {
	return modality.Route{
		Method: http.MethodPost, Path: "/location/" + path, Permission: "location:" + path, Summary: doc,
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
	if short {
		return modality.OK(s.appendShort)
	}
	return modality.OK(s.appendFull)
}

// appendFull writes the answer of GET /location/state.
func (s *State) appendFull(dst []byte) []byte {
	o := s.Open(dst, name)
	o.Member("current", func(dst []byte) []byte {
		o := jsontext.Open(dst)
		if s.known() {
			s.current.append(&o)
			return o.Close()
		}
		for _, member := range []string{"latitude", "longitude", "address", "named_location", "altitude", "accuracy", "speed", "bearing"} {
			o.Null(member)
		}
		return o.Close()
	})
	o.Member("history", s.appendHistory)
	return o.Close()
}

// appendShort writes the compact answer of GET /location/state.
func (s *State) appendShort(dst []byte) []byte {
	o := jsontext.Open(dst)
	o.String("modality_type", name)
	o.Member("last_updated", s.LastUpdated.JSONISO)
	o.Int("update_count", s.UpdateCount)
	o.Member("current", func(dst []byte) []byte {
		o := jsontext.Open(dst)
		if s.known() {
			o.Float("latitude", s.current.Latitude)
			o.Float("longitude", s.current.Longitude)
			s.current.appendKnown(&o)
		}
		return o.Close()
	})
	o.Int("history_count", len(s.history))
	return o.Close()
}

// query is the body of POST /location/query; nil is no filter.
type query struct {
	*modality.Query
	span           modality.Span
	named          *string
	includeCurrent bool
}

func readQuery(body *ordered.Map) *query {
	q := &query{Query: modality.ReadQuery(body)}
	q.span.From = q.Time("since")
	q.span.To = q.Time("until")
	q.named = q.Text("named_location")
	q.Page(field.AtLeast(field.Int, 1))
	q.includeCurrent = field.Or(q.Reader, "include_current", field.Bool, true)
	q.Sort("timestamp", field.String, "desc")
	return q
}

func postQuery(r *modality.Request) modality.Response {
	q := readQuery(r.Body)
	if errs := q.Errors(); len(errs) > 0 {
		return modality.Invalid(errs)
	}
	s, ok := r.State.(*State)
	if !ok {
		return modality.Absent()
	}
	found, ok := s.find(q)
	if !ok {
		return modality.Crash("TypeError")
	}
	page := modality.Page(found, q.Offset, q.Limit)
	return modality.OK(func(dst []byte) []byte {
		o := jsontext.Open(dst)
		o.Member("locations", func(dst []byte) []byte { return modality.AppendArray(dst, page, appendFound) })
		o.Int("count", len(page))
		o.Int("total_count", len(found))
		return o.Close()
	})
}

// visit is a position that a query found.
type visit struct {
	former
	current bool
}

// find gives the positions that a query matches, in its order. What it cannot be sorted
// by sorts by time. ok is false when a time without offset would have to be compared.
func (s *State) find(q *query) (found []visit, ok bool) {
	var all []visit
	if q.includeCurrent && s.known() {
		all = append(all, visit{former{s.current, s.LastUpdated}, true})
	}
	for _, f := range s.history {
		all = append(all, visit{f, false})
	}
	if len(all) > 0 && q.span.Naive() {
		return nil, false
	}
	for _, v := range all {
		if q.span.Holds(v.at) && (q.named == nil || v.Name != nil && *v.Name == *q.named) {
			found = append(found, v)
		}
	}
	switch q.SortBy {
	case "latitude":
		modality.Order(found, q.Descending, func(v visit) float64 { return v.Latitude }, cmp.Compare[float64])
	case "longitude":
		modality.Order(found, q.Descending, func(v visit) float64 { return v.Longitude }, cmp.Compare[float64])
	default:
		modality.OrderTime(found, q.Descending, func(v visit) field.Time { return v.at })
	}
	return found, true
}

func appendFound(dst []byte, v visit) []byte {
	o := jsontext.Open(dst)
	o.Member("timestamp", v.at.JSONISO)
	o.Float("latitude", v.Latitude)
	o.Float("longitude", v.Longitude)
	v.appendKnown(&o)
	o.Bool("is_current", v.current)
	return o.Close()
}

// update handles /location/update. Numbers out of range are told with the text of the
// payload's model, as in the original.
func update(r *modality.Request) modality.Response {
	b := field.Read(r.Body, "body")
	in := &Input{Head: modality.NewHead(r.Moment)}
	in.read(b, false)
	if errs := b.Errors(); len(errs) > 0 {
		return modality.Invalid(errs)
	}
	if errs := in.problems(); len(errs) > 0 {
		return modality.Detail(http.StatusUnprocessableEntity, "Invalid location data: "+field.Report("LocationInput", errs))
	}
	return r.Act(modality.Deed{
		Modality: name, Input: in, Failed: "Failed to update location", Notice: "location.updated",
		Done: func() string { return "Location updated to (" + text(in.Latitude) + ", " + text(in.Longitude) + ")" },
		Data: func(dst []byte, _ string) []byte {
			o := jsontext.Open(dst)
			in.append(&o)
			return o.Close()
		},
	})
}

// problems are the errors of a position whose numbers are numbers.
func (p *Position) problems() []field.Error {
	doc := ordered.NewMap(
		ordered.Member{Name: "latitude", Value: ordered.Float(p.Latitude)}, ordered.Member{Name: "longitude", Value: ordered.Float(p.Longitude)})
	for _, x := range []struct {
		name  string
		value *float64
	}{{"accuracy", p.Accuracy}, {"speed", p.Speed}, {"bearing", p.Bearing}} {
		if x.value != nil {
			doc.Set(x.name, ordered.Float(*x.value))
		}
	}
	r := field.Read(doc)
	new(Position).read(r, true)
	return r.Errors()
}
