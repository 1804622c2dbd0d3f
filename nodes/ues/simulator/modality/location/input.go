// Package location is the location modality of the simulator: where the user is and was.
package location

import (
	"github.com/weft-engine/weft/nodes/ues/simulator/field"
	"github.com/weft-engine/weft/nodes/ues/simulator/jsontext"
	"github.com/weft-engine/weft/nodes/ues/simulator/modality"
	"github.com/weft-engine/weft/nodes/ues/simulator/ordered"
)

const name = "location"

// Position is a place and what is known of being there. Nil is not known.
type Position struct {
	Latitude, Longitude float64 // degrees
	Address, Name       *string
	Altitude            *float64 // metres
	Accuracy            *float64 // metres
	Speed               *float64 // metres a second
	Bearing             *float64 // degrees
}

// Input is a payload of contract section 6.5.
type Input struct {
	modality.Head
	Position
}

// Decode reads a payload.
func Decode(data *ordered.Map, m modality.Moment) (modality.Input, []field.Error) {
	r := field.Read(data)
	in := &Input{Head: modality.ReadHead(r, name, m)}
	in.read(r, true)
	return in, r.Errors()
}

// read reads a position; ranges are looked at when that is wanted.
func (p *Position) read(r *field.Reader, ranges bool) {
	number := func(what string, least, most float64) field.Type[float64] {
		if !ranges {
			return field.Finite
		}
		return within(what, least, most)
	}
	p.Latitude = field.Need(r, "latitude", number("Latitude", -90, 90))
	p.Longitude = field.Need(r, "longitude", number("Longitude", -180, 180))
	p.Address = field.Maybe(r, "address", field.String)
	p.Name = field.Maybe(r, "named_location", field.String)
	p.Altitude = field.Maybe(r, "altitude", field.Finite)
	p.Accuracy = field.Maybe(r, "accuracy", number("Accuracy", 0, 0))
	p.Speed = field.Maybe(r, "speed", number("Speed", 0, 0))
	p.Bearing = field.Maybe(r, "bearing", number("Bearing", 0, 360))
}

// within takes numbers from least to most, or from zero on when both are zero.
func within(what string, least, most float64) field.Type[float64] {
	return func(v any, at *field.Place) float64 {
		f := field.Finite(v, at)
		if text := rangeProblem(what, f, least, most); text != "" {
			at.Refuse(text, v)
		}
		return f
	}
}

// rangeProblem says that a number is out of range; empty: it is not.
func rangeProblem(what string, f, least, most float64) string {
	switch {
	case least == 0 && most == 0:
		if f >= 0 {
			return ""
		}
		return what + " must be non-negative, got " + text(f)
	case f >= least && f <= most:
		return ""
	}
	return what + " must be between " + field.Repr(ordered.Int(int(least))) + " and " + field.Repr(ordered.Int(int(most))) + ", got " + text(f)
}

func text(f float64) string { return field.Repr(ordered.Float(f)) }

// Check is the rule level: there are no rules besides the ranges.
func (in *Input) Check() error { return nil }

// AppendJSON writes the payload.
func (in *Input) AppendJSON(dst []byte) []byte {
	o := in.Open(dst, name)
	in.append(&o)
	return o.Close()
}

// append writes a position, nulls included.
func (p *Position) append(o *jsontext.Object) {
	o.Float("latitude", p.Latitude)
	o.Float("longitude", p.Longitude)
	modality.AppendNullable(o, "address", p.Address)
	modality.AppendNullable(o, "named_location", p.Name)
	modality.AppendNullableFloat(o, "altitude", p.Altitude)
	modality.AppendNullableFloat(o, "accuracy", p.Accuracy)
	modality.AppendNullableFloat(o, "speed", p.Speed)
	modality.AppendNullableFloat(o, "bearing", p.Bearing)
}

// appendKnown writes what is known of a position besides its coordinates.
func (p *Position) appendKnown(o *jsontext.Object) {
	for _, t := range []struct {
		name  string
		value *string
	}{{"address", p.Address}, {"named_location", p.Name}} {
		if t.value != nil {
			o.String(t.name, *t.value)
		}
	}
	for _, f := range []struct {
		name  string
		value *float64
	}{{"altitude", p.Altitude}, {"accuracy", p.Accuracy}, {"speed", p.Speed}, {"bearing", p.Bearing}} {
		if f.value != nil {
			o.Float(f.name, *f.value)
		}
	}
}
