package world

import (
	"github.com/weft-engine/weft/nodes/ues/simulator/field"
	"github.com/weft-engine/weft/nodes/ues/simulator/ordered"
)

// Scenario is what an import brings, its outer shape read; states and events are read by
// their modalities when they are imported.
type Scenario struct {
	Metadata    Metadata
	Environment Environment
	Events      []*ordered.Map
}

// Metadata says where a scenario comes from.
type Metadata struct {
	UESVersion, Version string
	CreatedAt           field.Time
	Author, Description *string
}

// Environment is the clock and the states of a scenario.
type Environment struct {
	Now    field.Time
	Scale  float64
	Paused bool
	Auto   bool
	Wall   field.Time
	States *ordered.Table[*ordered.Map] // in order of the file
}

// ReadScenario reads a Scenario with field.Model.
func ReadScenario(r *field.Reader) Scenario {
	return Scenario{
		Metadata:    field.Need(r, "metadata", field.Model(readMetadata)),
		Environment: field.Need(r, "environment", field.Model(ReadEnvironment)),
		Events:      field.Need(r, "events", field.Model(ReadEvents)),
	}
}

func readMetadata(r *field.Reader) Metadata {
	return Metadata{
		UESVersion:  field.Need(r, "ues_version", field.String),
		Version:     field.Need(r, "scenario_version", field.String),
		CreatedAt:   field.Need(r, "created_at", aware),
		Author:      field.Maybe(r, "author", field.String),
		Description: field.Maybe(r, "description", field.String),
	}
}

// ReadEnvironment reads an ExportedEnvironment with field.Model.
func ReadEnvironment(r *field.Reader) Environment {
	e := field.Need(r, "time_state", field.Model(func(r *field.Reader) Environment {
		return Environment{
			Now:    field.Need(r, "current_time", aware),
			Scale:  field.Need(r, "time_scale", field.Above(finite, 0)),
			Paused: field.Need(r, "is_paused", field.Bool),
			Auto:   field.Need(r, "auto_advance", field.Bool),
			Wall:   field.Need(r, "last_wall_time_update", aware),
		}
	}))
	e.States = field.Need(r, "modality_states", field.Values(field.Object))
	return e
}

// ReadEvents reads an ExportedEventQueue with field.Model.
func ReadEvents(r *field.Reader) []*ordered.Map {
	return field.Need(r, "events", field.List(field.Object, 0))
}

// aware takes times; in scenarios those without an offset are UTC.
func aware(v any, at *field.Place) field.Time { return field.When(v, at).Aware() }

// finite takes numbers that JSON can say.
func finite(v any, at *field.Place) float64 {
	f := field.Float(v, at)
	if f-f != 0 {
		at.Fail("finite_number", "Input should be a finite number", v)
		return 1
	}
	return f
}
