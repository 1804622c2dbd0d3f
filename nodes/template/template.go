// Package template is the node type template: it renders a template of the spec, or a
// text written in place. Its output is the text.
package template

import (
	"fmt"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/build"
	"github.com/weft-engine/weft/engine/source"
)

// Type returns the node type template.
func Type() build.NodeType {
	return build.NodeType{
		Name: "template",
		Build: func(s *build.Scope, config *source.Value) build.Node {
			text := textOf(s, config)
			return build.Node{Plan: &plan{text: text}, Output: s.TextType(config.Get("name"), text)}
		},
	}
}

func textOf(s *build.Scope, config *source.Value) *engine.Text {
	with := config.Get("with")
	if name := config.Get("name"); name != nil {
		return s.Template(name, with)
	}
	inner := s
	var names []engine.Assign
	if with != nil {
		for _, f := range with.Fields {
			x := s.Value(f.Value)
			names = append(names, engine.Assign{Name: f.Key, Value: x})
			inner = inner.With(f.Key, x.Type())
		}
	}
	text := inner.Text(config.Get("text"))
	if text == nil || len(names) == 0 {
		return text
	}
	return &engine.Text{Parts: text.Parts, With: names}
}

type plan struct{ text *engine.Text }

// Next renders the text.
func (p *plan) Next(in *engine.Invocation) (engine.Move, error) {
	text, err := p.text.Render(in.Scope)
	if err != nil {
		return engine.Move{}, fmt.Errorf("template: %w", err)
	}
	return engine.Finish(text), nil
}
