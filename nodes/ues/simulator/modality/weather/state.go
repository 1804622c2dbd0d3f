// Package weather is the weather modality of the simulator: the last reports on places,
// and the former ones.
package weather

import (
	"fmt"
	"math"

	"github.com/weft-engine/weft/nodes/ues/simulator/field"
	"github.com/weft-engine/weft/nodes/ues/simulator/jsontext"
	"github.com/weft-engine/weft/nodes/ues/simulator/modality"
	"github.com/weft-engine/weft/nodes/ues/simulator/ordered"
)

const name = "weather"

// defaultHistory is the number of reports that are kept per place.
const defaultHistory = 100

// tolerance is how far a report's coordinates may lie from those it is for, in degrees.
const tolerance = 0.01

// Input is a payload of contract section 6.6.
type Input struct {
	modality.Head
	Latitude, Longitude float64
	Report              *ordered.Map
}

// Decode reads a payload.
func Decode(data *ordered.Map, m modality.Moment) (modality.Input, []field.Error) {
	r := field.Read(data)
	in := &Input{Head: modality.ReadHead(r, name, m)}
	in.read(r)
	return in, r.Errors()
}

func (in *Input) read(r *field.Reader) {
	in.Latitude = field.Need(r, "latitude", field.Between(field.Finite, -90, 90))
	in.Longitude = field.Need(r, "longitude", field.Between(field.Finite, -180, 180))
	in.Report = field.Need(r, "report", readReport)
}

// Check is the rule level: the report has to be about the place.
func (in *Input) Check() error {
	if lat := number(in.Report, "lat"); !(math.Abs(lat-in.Latitude) <= tolerance) {
		return modality.Refuse("Report latitude %s doesn't match input latitude %s", text(lat), text(in.Latitude))
	}
	if lon := number(in.Report, "lon"); !(math.Abs(lon-in.Longitude) <= tolerance) {
		return modality.Refuse("Report longitude %s doesn't match input longitude %s", text(lon), text(in.Longitude))
	}
	return nil
}

func text(f float64) string { return field.Repr(ordered.Float(f)) }

// AppendJSON writes the payload.
func (in *Input) AppendJSON(dst []byte) []byte {
	o := in.Open(dst, name)
	o.Float("latitude", in.Latitude)
	o.Float("longitude", in.Longitude)
	o.Member("report", in.Report.AppendJSON)
	return o.Close()
}

// State are the reports, by place.
type State struct {
	modality.Stamp
	places ordered.Table[*place]
	limit  int // reports per place
}

// place is what is known of one place. Reports are shared and do not change.
type place struct {
	latitude, longitude float64
	current             *ordered.Map
	firstSeen           field.Time
	lastUpdated         field.Time
	updateCount         int
	history             []entry // oldest first, with the current report
}

type entry struct {
	at     field.Time
	report *ordered.Map
}

// reports are all that is known of a place, oldest first. A scenario may give the current
// report only.
func (p *place) reports() []entry {
	if len(p.history) == 0 && p.current != nil {
		return []entry{{p.lastUpdated, p.current}}
	}
	return p.history
}

// key names a place by its rounded coordinates.
func key(latitude, longitude float64) string { return fmt.Sprintf("%.2f,%.2f", latitude, longitude) }

// New makes a state without places.
func New(m modality.Moment) modality.State {
	s := &State{limit: defaultHistory}
	s.Clear(m)
	return s
}

// Clear forgets all places.
func (s *State) Clear(m modality.Moment) {
	*s = State{Stamp: modality.Stamp{LastUpdated: m.Now}, limit: s.limit}
}

// Apply performs a payload.
func (s *State) Apply(payload modality.Input, _ modality.Moment) (modality.Undo, error) {
	in, ok := payload.(*Input)
	if !ok {
		return nil, fmt.Errorf("apply to the weather: payload is a %T", payload)
	}
	k := key(in.Latitude, in.Longitude)
	p, found := s.places.Get(k)
	if !found {
		p = &place{latitude: in.Latitude, longitude: in.Longitude, firstSeen: in.At}
		s.places.Set(k, p)
	}
	before := *p
	// The former slice is a prefix or a suffix of the same array: what is appended is
	// beyond its end, and what is cut off is still there.
	p.history = append(p.history, entry{in.At, in.Report})
	p.history = p.history[max(0, len(p.history)-max(s.limit, 1)):]
	p.current, p.lastUpdated = in.Report, in.At
	p.updateCount++
	if !found {
		return s.Touched(in.At, "remove_location", modality.Reversal{func() { s.places.Delete(k) }}), nil
	}
	return s.Touched(in.At, "restore_previous", modality.Reversal{func() { *p = before }}), nil
}

// AppendJSON writes the state of contract section 6.6.
func (s *State) AppendJSON(dst []byte) []byte {
	o := s.Open(dst, name)
	o.Member("locations", s.appendPlaces)
	o.Int("max_history_per_location", s.limit)
	return o.Close()
}

func (s *State) appendPlaces(dst []byte) []byte {
	o := jsontext.Open(dst)
	for k, p := range s.places.All() {
		o.Key(k)
		o.Write(p.appendJSON)
	}
	return o.Close()
}

func (p *place) appendJSON(dst []byte) []byte {
	o := jsontext.Open(dst)
	o.Float("latitude", p.latitude)
	o.Float("longitude", p.longitude)
	o.Member("current_report", p.current.AppendJSON)
	o.Member("first_seen", p.firstSeen.JSON)
	o.Member("last_updated", p.lastUpdated.JSON)
	o.Int("update_count", p.updateCount)
	o.Member("report_history", func(dst []byte) []byte {
		return modality.AppendArray(dst, p.history, func(dst []byte, e entry) []byte {
			o := jsontext.Open(dst)
			o.Member("timestamp", e.at.JSON)
			o.Member("report", e.report.AppendJSON)
			return o.Close()
		})
	})
	return o.Close()
}

// Load reads a state of contract section 6.6.
func Load(doc *ordered.Map, _ modality.Moment) (modality.State, []field.Error) {
	r := field.Read(doc)
	s := &State{Stamp: modality.ReadStamp(r, name)}
	s.places = *field.Or(r, "locations", field.Values(field.Model(readPlace)), &ordered.Table[*place]{})
	s.limit = field.Or(r, "max_history_per_location", field.Int, defaultHistory)
	if errs := r.Errors(); len(errs) > 0 {
		return nil, errs
	}
	return s, nil
}

func readPlace(r *field.Reader) *place {
	return &place{
		latitude:    field.Need(r, "latitude", field.Finite),
		longitude:   field.Need(r, "longitude", field.Finite),
		current:     field.Need(r, "current_report", readReport),
		firstSeen:   field.Need(r, "first_seen", field.When).Aware(),
		lastUpdated: field.Need(r, "last_updated", field.When).Aware(),
		updateCount: field.Or(r, "update_count", field.Int, 1),
		history: field.Or(r, "report_history", field.List(field.Model(func(r *field.Reader) entry {
			return entry{field.Need(r, "timestamp", field.When).Aware(), field.Need(r, "report", readReport)}
		}), 0), nil),
	}
}

// Problems are inconsistencies of the state.
func (s *State) Problems() []string {
	var found []string
	for k, p := range s.places.All() {
		if len(p.history) > s.limit {
			found = append(found, fmt.Sprintf("Location %s report history size (%d) exceeds maximum (%d)", k, len(p.history), s.limit))
		}
	}
	return found
}

// Summary is one line on the weather.
func (s *State) Summary(modality.Moment) string {
	if s.places.Len() == 0 {
		return "No weather data"
	}
	return "Weather data for " + modality.Count(s.places.Len(), "location")
}

// AppendCompact writes the weather's part of the compact snapshot: the place that was
// reported on last.
func (s *State) AppendCompact(dst []byte, m modality.Moment) []byte {
	o := jsontext.Open(dst)
	o.String("summary", s.Summary(m))
	o.Int("location_count", s.places.Len())
	var latest *place
	for _, p := range s.places.All() {
		if latest == nil || p.lastUpdated.After(latest.lastUpdated) {
			latest = p
		}
	}
	current := (*ordered.Map)(nil)
	if latest != nil {
		current = object(latest.current, "current")
	}
	if current == nil {
		o.Null("current")
		return o.Close()
	}
	o.Member("current", func(dst []byte) []byte { return latest.appendCompact(dst, current) })
	return o.Close()
}

func (p *place) appendCompact(dst []byte, current *ordered.Map) []byte {
	kelvin := number(current, "temp")
	o := jsontext.Open(dst)
	o.String("location", key(p.latitude, p.longitude))
	o.Float("latitude", p.latitude)
	o.Float("longitude", p.longitude)
	o.String("condition", condition(current))
	o.Float("temperature_c", celsius(kelvin))
	o.Float("temperature_f", fahrenheit(kelvin))
	for _, x := range []struct{ to, from string }{
		{"humidity_percent", "humidity"}, {"wind_speed_mps", "wind_speed"}, {"cloud_cover_percent", "clouds"},
	} {
		if v, _ := current.Get(x.from); v != nil {
			o.Member(x.to, func(dst []byte) []byte { return ordered.Append(dst, v) })
		}
	}
	return o.Close()
}

// condition is the description of the weather in a few words.
func condition(current *ordered.Map) string {
	v, _ := current.Get("weather")
	items, _ := v.([]any)
	if len(items) == 0 {
		return "Unknown"
	}
	first, _ := items[0].(*ordered.Map)
	description, _ := first.Get("description")
	s, _ := description.(string)
	return s
}
