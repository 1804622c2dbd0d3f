// Package clockprefs is the time modality of the simulator: how the user likes times to
// be shown. It is not the clock, and it has no endpoints; only events and scenarios reach
// it. The name of the modality is "time".
package clockprefs

import (
	"fmt"
	"time"

	"github.com/weft-engine/weft/nodes/ues/simulator/field"
	"github.com/weft-engine/weft/nodes/ues/simulator/jsontext"
	"github.com/weft-engine/weft/nodes/ues/simulator/modality"
	"github.com/weft-engine/weft/nodes/ues/simulator/ordered"
)

const (
	name           = "time"
	defaultZone    = "UTC"
	defaultFormat  = "12h"
	defaultHistory = 50
)

// Kind describes the modality.
func Kind() modality.Kind {
	return modality.Kind{Name: name, New: New, Load: Load, Decode: Decode}
}

// Settings are the user's preferences. Nil is none.
type Settings struct {
	Timezone   string // IANA name
	Format     string // 12h or 24h
	DateFormat *string
	Locale     *string
	WeekStart  *string
}

// Input is a payload of contract section 6.7: all settings anew.
type Input struct {
	modality.Head
	Settings
}

// Decode reads a payload.
func Decode(data *ordered.Map, m modality.Moment) (modality.Input, []field.Error) {
	r := field.Read(data)
	in := &Input{Head: modality.ReadHead(r, name, m)}
	in.Timezone = field.Need(r, "timezone", zone)
	in.Format = field.Need(r, "format_preference", format)
	in.readRest(r)
	return in, r.Errors()
}

func (s *Settings) readRest(r *field.Reader) {
	s.DateFormat = field.Maybe(r, "date_format", field.OneOf("MM/DD/YYYY", "DD/MM/YYYY", "YYYY-MM-DD", "YYYY/MM/DD", "DD.MM.YYYY", "DD-MM-YYYY"))
	s.Locale = field.Maybe(r, "locale", field.String)
	s.WeekStart = field.Maybe(r, "week_start", field.OneOf("sunday", "monday"))
}

func zone(v any, at *field.Place) string {
	s := field.String(v, at)
	if _, ok := v.(string); ok && !isZone(s) {
		at.Refuse("Invalid timezone: "+s, v)
	}
	return s
}

// isZone tells whether a text is the name of a time zone. The two names that Go reads in
// its own way, and names that are no plain path below the list of zones, are none.
func isZone(s string) bool {
	if s == "" || s == "Local" {
		return false
	}
	_, err := time.LoadLocation(s)
	return err == nil
}

func format(v any, at *field.Place) string { return field.OneOf(defaultFormat, "24h")(v, at) }

// Check is the rule level: there are no rules.
func (in *Input) Check() error { return nil }

// AppendJSON writes the payload.
func (in *Input) AppendJSON(dst []byte) []byte {
	o := in.Open(dst, name)
	in.append(&o)
	return o.Close()
}

func (s *Settings) append(o *jsontext.Object) {
	o.String("timezone", s.Timezone)
	o.String("format_preference", s.Format)
	modality.AppendNullable(o, "date_format", s.DateFormat)
	modality.AppendNullable(o, "locale", s.Locale)
	modality.AppendNullable(o, "week_start", s.WeekStart)
}

// State are the settings in force and the former ones.
type State struct {
	modality.Stamp
	Settings
	history []former // oldest first
	limit   int
}

// former are settings that were replaced.
type former struct {
	Settings
	at field.Time
}

// New makes the default settings.
func New(m modality.Moment) modality.State {
	s := &State{limit: defaultHistory}
	s.Clear(m)
	return s
}

// Clear restores the default settings.
func (s *State) Clear(m modality.Moment) {
	*s = State{
		Stamp: modality.Stamp{LastUpdated: m.Now}, Settings: Settings{Timezone: defaultZone, Format: defaultFormat}, limit: s.limit,
	}
}

// Apply performs a payload: the present settings go into the history.
func (s *State) Apply(payload modality.Input, _ modality.Moment) (modality.Undo, error) {
	in, ok := payload.(*Input)
	if !ok {
		return nil, fmt.Errorf("apply to time settings: payload is a %T", payload)
	}
	before := *s
	// The former slice is a prefix or a suffix of the same array: what is appended is
	// beyond its end, and what is cut off is still there.
	s.history = append(s.history, former{s.Settings, s.LastUpdated})
	s.history = s.history[max(0, len(s.history)-max(s.limit, 0)):]
	s.Settings = in.Settings
	s.Touch(in.At)
	return func() (string, error) {
		*s = before
		return "restore_previous", nil
	}, nil
}

// AppendJSON writes the state of contract section 6.7.
func (s *State) AppendJSON(dst []byte) []byte {
	o := s.Open(dst, name)
	s.append(&o)
	o.Member("settings_history", func(dst []byte) []byte {
		return modality.AppendArray(dst, s.history, func(dst []byte, f former) []byte {
			o := jsontext.Open(dst)
			o.Member("timestamp", f.at.JSON)
			f.append(&o)
			return o.Close()
		})
	})
	o.Int("max_history_size", s.limit)
	return o.Close()
}

// AppendCompact writes the settings' part of the compact snapshot.
func (s *State) AppendCompact(dst []byte, m modality.Moment) []byte {
	o := jsontext.Open(dst)
	o.String("summary", s.Summary(m))
	s.append(&o)
	return o.Close()
}

// Summary is one line on the settings.
func (s *State) Summary(modality.Moment) string {
	return fmt.Sprintf("Timezone %s, %s format", s.Timezone, s.Format)
}

// Load reads a state of contract section 6.7.
func Load(doc *ordered.Map, _ modality.Moment) (modality.State, []field.Error) {
	r := field.Read(doc)
	s := &State{Stamp: modality.ReadStamp(r, name)}
	s.Timezone = field.Or(r, "timezone", field.String, defaultZone)
	s.Format = field.Or(r, "format_preference", format, defaultFormat)
	s.readRest(r)
	s.history = field.Or(r, "settings_history", field.List(field.Model(readFormer), 0), nil)
	s.limit = field.Or(r, "max_history_size", field.Int, defaultHistory)
	if errs := r.Errors(); len(errs) > 0 {
		return nil, errs
	}
	return s, nil
}

func readFormer(r *field.Reader) former {
	f := former{at: field.Need(r, "timestamp", field.When).Aware()}
	f.Timezone = field.Need(r, "timezone", field.String)
	f.Format = field.Need(r, "format_preference", format)
	f.readRest(r)
	return f
}

// Problems are the inconsistencies that contract section 6.7 names.
func (s *State) Problems() []string {
	var found []string
	if !isZone(s.Timezone) {
		found = append(found, "Invalid timezone: "+s.Timezone)
	}
	for i := 1; i < len(s.history); i++ {
		if s.history[i].at.Before(s.history[i-1].at) {
			found = append(found, fmt.Sprintf("Settings history not in chronological order at index %d", i))
		}
	}
	if len(s.history) > s.limit {
		found = append(found, fmt.Sprintf("Settings history size (%d) exceeds maximum (%d)", len(s.history), s.limit))
	}
	return found
}
