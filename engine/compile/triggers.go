package compile

import (
	"strings"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/build"
	"github.com/weft-engine/weft/engine/shape"
	"github.com/weft-engine/weft/engine/source"
)

// triggerKeys is the fields of a trigger that are no source.
var triggerKeys = map[string]bool{"description": true, "graph": true, "input": true, "thread": true, "dedupe": true, "when_open": true}

// triggers makes what starts runs. It comes after the states, which tell what input the
// graphs want.
func triggers(c *compilation) {
	c.each("triggers", func(f source.Field) {
		t := &engine.Trigger{Name: f.Key, Description: text(f.Value.Get("description")), WhenOpen: engine.WhenOpen(text(f.Value.Get("when_open")))}
		if t.WhenOpen == "" {
			t.WhenOpen = engine.QueueEvent
		}
		plain := c.spec.NewScope(nil, c.list)
		s := c.spec.NewScope(map[string]*shape.Type{"event": c.source(t, f, plain)}, c.list)
		t.Input = s.Value(f.Value.Get("input"))
		t.Thread = s.Text(f.Value.Get("thread"))
		t.Dedupe = s.Text(f.Value.Get("dedupe"))
		if g := s.Graph(f.Value.Get("graph")); g != nil {
			t.Graph = g.Name
			s.CheckInput(triggerInput, f.Value.Get("graph").Pos, g, f.Value.Get("input"), t.Input)
		}
		c.outside = append(c.outside, s.Flows()...)
		c.spec.Uses().Merge(s.Uses())
		c.spec.Uses().Merge(plain.Uses())
		c.triggers = append(c.triggers, t)
	})
}

// source makes a trigger's source and returns the type of its events.
func (c *compilation) source(t *engine.Trigger, f source.Field, s *build.Scope) *shape.Type {
	var found []string
	event := &shape.Type{}
	for _, config := range f.Value.Fields {
		if triggerKeys[config.Key] {
			continue
		}
		found = append(found, config.Key)
		typ := c.types.Source(config.Key)
		switch {
		case len(found) > 1:
			c.list.Add(triggerSource.At(config.Pos, "trigger %q listens to %s and to %s", t.Name, found[0], config.Key).
				WithHint("Keep one of them, and make another trigger for the other."))
		case typ == nil:
			c.list.Add(triggerSource.At(config.Pos, "trigger %q listens to %q, which this program does not know", t.Name, config.Key).
				WithHint("Use one of: %s.", c.sourceNames()))
		default:
			built := typ.Build(s, config.Value)
			t.Source, t.Every = built.Source, built.Every
			if built.Event != nil {
				event = built.Event
			}
		}
	}
	if len(found) == 0 {
		c.list.Add(triggerSource.At(f.Pos, "trigger %q listens to nothing", t.Name).WithHint("Add one of: %s.", c.sourceNames()))
	}
	return event
}

func (c *compilation) sourceNames() string {
	names := make([]string, len(c.types.Sources))
	for i, s := range c.types.Sources {
		names[i] = s.Name
	}
	return strings.Join(names, ", ")
}
