// Package response is the registry of what a spec says to people: templates that belong
// to intents and to dialogue acts, how they are looked up, and how they are filled. Its
// main type is Registry; engine/build makes it of a spec.
package response

import (
	"hash/fnv"
	"maps"
	"slices"
	"strings"

	"github.com/weft-engine/weft/engine/expr"
)

// Registry is what a spec says to people. It is immutable and safe for concurrent use.
type Registry struct {
	Intents map[string]*Intent
	Acts    map[string]*Template // by dialogue act: they replace the base template
	Bases   map[string]*Template // by intent
	Named   map[string]*Template // by the name of the template
}

// Intent is what a response can mean.
type Intent struct {
	Name       string
	Base       string      // the intent whose base template it shares; "" is its own
	Speaks     *expr.Value // whether anything is said, over `flags`; nil: always
	Naturalize string      // template of the prompt that restyles; "" is none of its own
	Min, Max   int         // tokens that a text should have; 0 is no bound
}

// Template is one response template.
type Template struct {
	Name        string
	Intent, Act string // what it belongs to; one of them
	Version     string // v1 when the spec does not say
	Hint        string // how it wants to be shown
	Verbatim    bool   // said as it is, never restyled
	Naturalize  string // template of the prompt that restyles; "" is the intent's
	Temperature *float64
	Min, Max    int      // tokens that a text should have; 0 is no bound
	Variations  [][]Part // one of them is said; at least one
	Reads       []string // the names that the texts read, each once
}

// Part is one section of a response.
type Part struct {
	When *expr.Expr // nil: always
	Text *expr.Value
	Else *expr.Value // nil: nothing
}

// ID is what records name the template by: its name and version.
func (r *Template) ID() string { return r.Name + "." + r.Version }

// Source is where a response was found.
type Source string

// The sources of a response, in the order of lookup.
const (
	Override Source = "override" // of the dialogue act
	Base     Source = "base"     // of the intent
)

// Abstract returns the intent whose base template counts for an intent: the one that it
// maps to, itself when it maps to none. The mapping is followed once, so that a name may
// mean one thing in a domain and another among the intents that domains map to.
func (r *Registry) Abstract(intent string) string {
	if in := r.Intents[intent]; in != nil && in.Base != "" {
		return in.Base
	}
	return intent
}

// Find returns the response to a dialogue act of an intent: the template of the act,
// else the base template of the intent. Nil when there is neither.
func (r *Registry) Find(act, intent string) (*Template, Source) {
	if t := r.Acts[act]; t != nil {
		return t, Override
	}
	if t := r.Bases[r.Abstract(intent)]; t != nil {
		return t, Base
	}
	return nil, ""
}

// Says reports whether an intent says anything under these flags. One that the spec
// does not know speaks.
func (r *Registry) Says(intent string, flags map[string]any) (bool, error) {
	in := r.Intents[intent]
	if in != nil && in.Base != "" && in.Speaks == nil {
		in = r.Intents[in.Base]
	}
	if in == nil || in.Speaks == nil {
		return true, nil
	}
	v, err := in.Speaks.Eval(map[string]any{"flags": flags})
	if err != nil {
		return false, err
	}
	return expr.Truthy(v), nil
}

// Filling is what a response is filled with.
type Filling struct {
	Sources []any  // objects; the first that has a name, and a value for it, counts. Others are skipped
	Locale  string // of formats that name none; "" is en
	Seed    string // chooses among variations
}

// Filled is a filled response.
type Filled struct {
	expr.Filled
	Text      string // trimmed
	Variation int
	Sections  []Section
}

// Section is what became of one part of a response.
type Section struct {
	Held bool // its condition did, or it has none
	Text string
}

// Fill fills the response. Missing values are empty and reported, never an error; an
// error is one of limits.
func (r *Template) Fill(f Filling) (Filled, error) {
	scope := make(map[string]any, len(r.Reads))
	for _, name := range r.Reads {
		if v := lookup(f.Sources, name); v != nil {
			scope[name] = v
		}
	}
	out := Filled{Variation: r.choose(f.Seed)}
	parts := r.Variations[out.Variation]
	out.Sections = make([]Section, len(parts))
	said := make([]string, 0, len(parts))
	fill := expr.NewFill(scope, f.Locale)
	for i, p := range parts {
		s := &out.Sections[i]
		s.Held = p.When == nil || fill.Holds(p.When)
		text := p.Text
		if !s.Held {
			text = p.Else
		}
		if text == nil {
			continue
		}
		var err error
		if s.Text, err = fill.Text(text); err != nil {
			return Filled{}, err
		}
		if s.Text = trimmed(s.Text, len(parts)); s.Text != "" {
			said = append(said, s.Text)
		}
	}
	out.Filled = fill.Filled
	out.Text = strings.TrimSpace(strings.Join(said, " "))
	return out, nil
}

// trimmed cuts white space at the ends of a section among others.
func trimmed(s string, parts int) string {
	if parts > 1 {
		return strings.TrimSpace(s)
	}
	return s
}

func lookup(sources []any, name string) any {
	for _, s := range sources {
		if fields, ok := s.(map[string]any); ok {
			if v := fields[name]; v != nil {
				return v
			}
		}
	}
	return nil
}

// choose picks a variation: the same for the same seed.
func (r *Template) choose(seed string) int {
	if len(r.Variations) <= 1 {
		return 0
	}
	h := fnv.New64a()
	_, _ = h.Write([]byte(r.Name + "\x00" + seed)) // never fails
	return int(h.Sum64() % uint64(len(r.Variations)))
}

// SetReads notes the names that the texts read. Whoever makes a Template calls it once.
func (r *Template) SetReads() {
	names := map[string]bool{}
	add := func(refs []expr.Ref) {
		for _, ref := range refs {
			names[ref.Path[0]] = true
		}
	}
	for _, parts := range r.Variations {
		for _, p := range parts {
			if p.When != nil {
				add(p.When.Refs())
			}
			add(p.Text.Refs())
			if p.Else != nil {
				add(p.Else.Refs())
			}
		}
	}
	r.Reads = slices.Sorted(maps.Keys(names))
}
