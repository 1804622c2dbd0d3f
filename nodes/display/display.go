package display

import (
	"fmt"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/build"
	"github.com/weft-engine/weft/engine/expr"
	"github.com/weft-engine/weft/engine/shape"
	"github.com/weft-engine/weft/engine/source"
)

// Type returns the node type display.
func Type() build.NodeType {
	return build.NodeType{
		Name: "display", Rules: Rules(),
		Build: func(s *build.Scope, config *source.Value) build.Node {
			if check := config.Get("check"); check != nil {
				return build.Node{Plan: &checking{
					block: s.Value(check), degraded: s.Value(config.Get("degraded")),
					rows: s.Value(config.Get("source_rows")), limit: s.Value(config.Get("limit")),
				}, Output: checkedType()}
			}
			p := &showing{
				frame: s.Value(config.Get("frame")), hint: s.Value(config.Get("hint")), previous: s.Value(config.Get("previous")),
				tables: s.Value(config.Get("tables")), id: s.Value(config.Get("block_id")), settings: s.Value(config.Get("settings")),
			}
			p.known = constantSettings(p.settings)
			checkHint(s, config.Get("hint"), p)
			return build.Node{Plan: p, Output: outputType(len(p.frame.Untrusted()) > 0)}
		},
	}
}

// outputType is the type of `output`; what comes from outside stays marked as such.
func outputType(untrusted bool) *shape.Type {
	text, words := &shape.Type{Kind: shape.String}, &shape.Type{Kind: shape.String, Untrusted: untrusted}
	list := func(t *shape.Type) *shape.Type { return &shape.Type{Kind: shape.List, Elem: t} }
	limitation := &shape.Type{Kind: shape.Object, Fields: map[string]*shape.Type{"reason": text, "text": words}}
	return &shape.Type{Kind: shape.Object, Fields: map[string]*shape.Type{
		"block":     {Kind: shape.Object, Open: true, Nullable: true, Untrusted: untrusted},
		"block_id":  {Kind: shape.String, Nullable: true, Untrusted: untrusted},
		"render":    {Kind: shape.String, Nullable: true, Enum: []any{"create", "update"}},
		"placement": {Kind: shape.String, Nullable: true, Enum: []any{panel, inline}},
		"panel_ref": text, "failed": list(text), "degraded": {Kind: shape.Bool}, "limitations": list(limitation),
	}}
}

// showing is a configured node that makes a block of a frame.
type showing struct {
	frame, hint, previous, tables, id, settings *expr.Value
	known                                       *settings // the settings when they are constant
}

// Next makes the block.
func (p *showing) Next(in *engine.Invocation) (engine.Move, error) {
	r := request{key: in.Key}
	var hint, id, given any
	for _, part := range []struct {
		name string
		from *expr.Value
		to   *any
	}{
		{"frame", p.frame, &r.frame},
		{"hint", p.hint, &hint},
		{"previous", p.previous, &r.previous},
		{"tables", p.tables, &r.tables},
		{"block_id", p.id, &id},
		{"settings", p.settings, &given},
	} {
		if part.from == nil || part.name == "settings" && p.known != nil {
			continue
		}
		v, err := part.from.Eval(in.Scope)
		if err != nil {
			return engine.Move{}, fmt.Errorf("%s: %w", part.name, err)
		}
		*part.to = v
	}
	r.hint, r.id = textOf(hint), textOf(id)
	if r.settings = p.known; r.settings == nil {
		var err error
		if r.settings, err = readSettings(given); err != nil {
			return engine.Move{}, fmt.Errorf("settings: %w", err)
		}
	}
	return engine.Finish(show(&r)), nil
}
