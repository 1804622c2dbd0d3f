package location

import (
	"fmt"

	"github.com/weft-engine/weft/nodes/ues/simulator/field"
	"github.com/weft-engine/weft/nodes/ues/simulator/jsontext"
	"github.com/weft-engine/weft/nodes/ues/simulator/modality"
	"github.com/weft-engine/weft/nodes/ues/simulator/ordered"
)

// defaultHistory is the number of former positions that are kept.
const defaultHistory = 100

// State is where the user is and was.
type State struct {
	modality.Stamp
	current Position
	hasLat  bool     // the latitude is known
	hasLon  bool     // the longitude is known; a scenario may know just one of them
	history []former // oldest first
	limit   int
}

func (s *State) known() bool { return s.hasLat && s.hasLon }

// former is a position that was left.
type former struct {
	Position
	at field.Time
}

// New makes a state without a position.
func New(m modality.Moment) modality.State {
	s := &State{limit: defaultHistory}
	s.Clear(m)
	return s
}

// Clear forgets all positions.
func (s *State) Clear(m modality.Moment) {
	*s = State{Stamp: modality.Stamp{LastUpdated: m.Now}, limit: s.limit}
}

// Apply performs a payload: the present position goes into the history.
func (s *State) Apply(payload modality.Input, _ modality.Moment) (modality.Undo, error) {
	in, ok := payload.(*Input)
	if !ok {
		return nil, fmt.Errorf("apply to a location: payload is a %T", payload)
	}
	before := *s
	action := "clear_current"
	if s.known() {
		// The former state's slice is a prefix or a suffix of the same array: what is
		// appended here is beyond its end, and what is cut off is still there.
		action = "restore_previous"
		s.history = append(s.history, former{s.current, s.LastUpdated})
		s.history = s.history[max(0, len(s.history)-max(s.limit, 0)):]
	}
	s.current, s.hasLat, s.hasLon = in.Position, true, true
	s.Touch(in.At)
	return func() (string, error) {
		*s = before
		return action, nil
	}, nil
}

// AppendJSON writes the state of contract section 6.5.
func (s *State) AppendJSON(dst []byte) []byte {
	o := s.Open(dst, name)
	p := &s.current
	appendCoordinate(&o, "current_latitude", p.Latitude, s.hasLat)
	appendCoordinate(&o, "current_longitude", p.Longitude, s.hasLon)
	modality.AppendNullable(&o, "current_address", p.Address)
	modality.AppendNullable(&o, "current_named_location", p.Name)
	modality.AppendNullableFloat(&o, "current_altitude", p.Altitude)
	modality.AppendNullableFloat(&o, "current_accuracy", p.Accuracy)
	modality.AppendNullableFloat(&o, "current_speed", p.Speed)
	modality.AppendNullableFloat(&o, "current_bearing", p.Bearing)
	o.Member("location_history", s.appendHistory)
	o.Int("max_history_size", s.limit)
	return o.Close()
}

func appendCoordinate(o *jsontext.Object, name string, f float64, known bool) {
	if !known {
		o.Null(name)
		return
	}
	o.Float(name, f)
}

func (s *State) appendHistory(dst []byte) []byte {
	return modality.AppendArray(dst, s.history, func(dst []byte, f former) []byte {
		o := jsontext.Open(dst)
		o.Member("timestamp", f.at.JSON)
		f.append(&o)
		return o.Close()
	})
}

// Load reads a state of contract section 6.5.
func Load(doc *ordered.Map, _ modality.Moment) (modality.State, []field.Error) {
	r := field.Read(doc)
	s := &State{Stamp: modality.ReadStamp(r, name)}
	latitude := field.Maybe(r, "current_latitude", field.Finite)
	longitude := field.Maybe(r, "current_longitude", field.Finite)
	s.current = Position{
		Address:  field.Maybe(r, "current_address", field.String),
		Name:     field.Maybe(r, "current_named_location", field.String),
		Altitude: field.Maybe(r, "current_altitude", field.Finite),
		Accuracy: field.Maybe(r, "current_accuracy", field.Finite),
		Speed:    field.Maybe(r, "current_speed", field.Finite),
		Bearing:  field.Maybe(r, "current_bearing", field.Finite),
	}
	s.history = field.Or(r, "location_history", field.List(field.Model(readFormer), 0), nil)
	s.limit = field.Or(r, "max_history_size", field.Int, defaultHistory)
	if errs := r.Errors(); len(errs) > 0 {
		return nil, errs
	}
	if s.hasLat = latitude != nil; s.hasLat {
		s.current.Latitude = *latitude
	}
	if s.hasLon = longitude != nil; s.hasLon {
		s.current.Longitude = *longitude
	}
	return s, nil
}

func readFormer(r *field.Reader) former {
	f := former{at: field.Need(r, "timestamp", field.When).Aware()}
	f.read(r, false)
	return f
}

// Problems are the inconsistencies that contract section 6.5 names.
func (s *State) Problems() []string {
	var found []string
	if s.hasLat != s.hasLon {
		found = append(found, "Latitude and longitude must both be set or both be null")
	}
	if p := s.current; s.known() {
		for _, text := range []string{rangeProblem("Latitude", p.Latitude, -90, 90), rangeProblem("Longitude", p.Longitude, -180, 180)} {
			if text != "" {
				found = append(found, text)
			}
		}
	}
	for i := 1; i < len(s.history); i++ {
		if s.history[i].at.Before(s.history[i-1].at) {
			found = append(found, fmt.Sprintf("Location history not in chronological order at index %d", i))
		}
	}
	if len(s.history) > s.limit {
		found = append(found, fmt.Sprintf("Location history size (%d) exceeds maximum (%d)", len(s.history), s.limit))
	}
	return found
}

// Summary is one line on the position.
func (s *State) Summary(modality.Moment) string {
	switch p := s.current; {
	case !s.known():
		return "Location not set"
	case !modality.IsEmpty(p.Name):
		return "At " + *p.Name
	case !modality.IsEmpty(p.Address):
		return "At " + *p.Address
	default:
		return fmt.Sprintf("At %.4f, %.4f", p.Latitude, p.Longitude)
	}
}

// AppendCompact writes the position's part of the compact snapshot.
func (s *State) AppendCompact(dst []byte, m modality.Moment) []byte {
	o := jsontext.Open(dst)
	o.String("summary", s.Summary(m))
	p := s.current
	if !s.known() {
		o.Null("current")
		return o.Close()
	}
	o.Member("current", func(dst []byte) []byte {
		o := jsontext.Open(dst)
		o.Float("latitude", p.Latitude)
		o.Float("longitude", p.Longitude)
		(&Position{Address: p.Address, Name: p.Name}).appendKnown(&o)
		if p.Accuracy != nil {
			o.Float("accuracy_meters", *p.Accuracy)
		}
		if p.Speed != nil {
			o.Float("speed_mps", *p.Speed)
		}
		return o.Close()
	})
	return o.Close()
}
