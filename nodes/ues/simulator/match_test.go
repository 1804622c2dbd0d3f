package simulator_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/weft-engine/weft/nodes/ues/simulator/field"
	"github.com/weft-engine/weft/nodes/ues/simulator/ordered"
)

// match compares recorded answers with ours under the rules of the data's README: names
// that are made up (uuids, key ids, secrets) are paired in order of first sight, times of
// the wall clock only have to be times, sets have no order.
type match struct {
	request  line
	ours     map[string]string // made-up name in the recording → ours
	recorded map[string]string // and back
	problems []string
}

func newMatch() *match {
	return &match{ours: map[string]string{}, recorded: map[string]string{}}
}

// madeUp finds uuids, key ids, secrets and the ids of webhooks and deliveries in a text.
var madeUp = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|ues_[0-9a-f]{16}|\b[0-9a-f]{64}\b|\b(?:wh|del)_[0-9a-f]{12}\b`)

// wallFrom is a time later than everything simulated in the recordings: what lies after
// it was read from the recording machine's clock.
var wallFrom = mustTime("2026-06-01T00:00:00Z")

func mustTime(s string) field.Time {
	t, err := field.ParseTime(s)
	if err != nil {
		panic(err)
	}
	return t
}

func (m *match) problem(at, format string, args ...any) {
	if at == "" {
		at = "the answer"
	}
	m.problems = append(m.problems, at+": "+fmt.Sprintf(format, args...))
}

// value compares two JSON values at a place of the answer.
func (m *match) value(at string, recorded, ours any) {
	if m.ignored(at) || m.excused(at, recorded, ours) {
		return
	}
	recorded, ours = m.bend(at, recorded, ours)
	switch r := recorded.(type) {
	case *ordered.Map:
		if o, ok := ours.(*ordered.Map); ok {
			m.object(at, r, o)
			return
		}
	case []any:
		if o, ok := ours.([]any); ok {
			m.list(at, r, o)
			return
		}
	case ordered.Number:
		if o, ok := ours.(ordered.Number); ok && r.Float() == o.Float() {
			return
		}
	case string:
		if o, ok := ours.(string); ok && m.text(r, o) {
			return
		}
	default:
		if recorded == ours {
			return
		}
	}
	m.problem(at, "ours %s, recorded %s", shown(ours), shown(recorded))
}

func shown(v any) string {
	s := string(ordered.Append(nil, v))
	if len(s) > 600 {
		s = s[:600] + "…"
	}
	return s
}

// ignored are the places that differ between any two runs, and the prose of 422.
func (m *match) ignored(at string) bool {
	name := at[strings.LastIndex(at, "/")+1:]
	if name == "duration_ms" || name == "user_agent" || at == "/modalities/calendar/summary" {
		return true
	}
	return fmt.Sprint(m.request.get("status")) == "422" && prose.MatchString(at)
}

// prose are the places of a 422 answer that are for people.
var prose = regexp.MustCompile(`^/(detail|validation_errors)/\d+/(msg|ctx|input)$`)

// calendarText tells that an object is the summary of the calendar, whose text counts from
// the day of the recording.
func calendarText(doc *ordered.Map, name string) bool {
	kind, _ := doc.Get("modality_type")
	return kind == "calendar" && name == "state_summary"
}

// text compares two texts; made-up names in them are paired.
func (m *match) text(recorded, ours string) bool {
	if r, err := field.ParseTime(recorded); err == nil && len(recorded) > 10 {
		o, err := field.ParseTime(ours)
		if err != nil {
			return false
		}
		return r.After(wallFrom) && o.After(wallFrom) || r.Naive() == o.Naive() && r.Micros() == o.Micros()
	}
	if printed.MatchString(recorded) && printed.MatchString(ours) {
		recorded, ours = reasons.ReplaceAllString(recorded, ""), reasons.ReplaceAllString(ours, "")
	}
	if madeUp.ReplaceAllString(recorded, "*") != madeUp.ReplaceAllString(ours, "*") {
		return false
	}
	mine := madeUp.FindAllString(ours, -1)
	for i, name := range madeUp.FindAllString(recorded, -1) {
		if !m.pair(name, mine[i]) {
			return false
		}
	}
	return true
}

// printed is a validation error in a text; reasons are those of its lines that say why, not
// where.
var (
	printed = regexp.MustCompile(`\d+ validation errors? for \w+\n`)
	reasons = regexp.MustCompile(`\n {2,}.*`)
)

// pair notes that a name in the recording is that name of ours, or checks it.
func (m *match) pair(recorded, ours string) bool {
	known, seen := m.ours[recorded]
	_, taken := m.recorded[ours]
	if !seen && !taken {
		m.ours[recorded], m.recorded[ours] = ours, recorded
		return true
	}
	return seen && known == ours
}

// renamed is a text of the recording with our names, as far as they are paired.
func (m *match) renamed(recorded string) string {
	return madeUp.ReplaceAllStringFunc(recorded, func(name string) string {
		if mine, found := m.ours[name]; found {
			return mine
		}
		return name
	})
}

// object compares members; those whose names are not paired yet go by order.
func (m *match) object(at string, recorded, ours *ordered.Map) {
	var fresh []string
	for name := range ours.All() {
		if _, paired := m.recorded[madeUp.FindString(name)]; madeUp.MatchString(name) && !paired {
			fresh = append(fresh, name)
		}
	}
	seen := map[string]bool{}
	for name, r := range recorded.All() {
		mine := m.renamed(name)
		if _, found := ours.Get(mine); !found && madeUp.MatchString(name) && len(fresh) > 0 && m.text(name, fresh[0]) {
			mine, fresh = fresh[0], fresh[1:]
		}
		o, found := ours.Get(mine)
		if calendarText(recorded, name) {
			seen[mine] = found
			continue
		}
		if !found {
			if !m.ignored(at+"/"+name) && !m.excused(at+"/"+name, r, absent{}) {
				m.problem(at+"/"+name, "is missing, recorded %s", shown(r))
			}
			continue
		}
		seen[mine] = true
		m.value(at+"/"+name, r, o)
	}
	for name, o := range ours.All() {
		if !seen[name] && !m.ignored(at+"/"+name) && !m.excused(at+"/"+name, absent{}, o) {
			m.problem(at+"/"+name, "is not in the recording, ours %s", shown(o))
		}
	}
}

// absent stands for a member that is not there.
type absent struct{}

// sets are the lists without an order.
var sets = regexp.MustCompile(`/(event_ids|recurrence_exceptions|participant_roles|participant_addresses|groups)$`)

func (m *match) list(at string, recorded, ours []any) {
	if len(recorded) != len(ours) {
		m.problem(at, "%d items, recorded %d\n ours: %s\n recorded: %s", len(ours), len(recorded), shown(ours), shown(recorded))
		return
	}
	if sets.MatchString(at) {
		recorded, ours = m.sorted(recorded), m.sorted(ours)
	}
	for i := range recorded {
		m.value(fmt.Sprintf("%s/%d", at, i), recorded[i], ours[i])
	}
}

// sorted orders a set, made-up names by what they are called here.
func (m *match) sorted(items []any) []any {
	items = slices.Clone(items)
	slices.SortFunc(items, func(a, b any) int {
		return strings.Compare(m.renamed(fmt.Sprint(a)), m.renamed(fmt.Sprint(b)))
	})
	return items
}
