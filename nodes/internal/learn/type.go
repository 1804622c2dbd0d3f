package learn

import (
	"github.com/weft-engine/weft/engine/memory"
	"github.com/weft-engine/weft/engine/shape"
)

// Type returns the type of a Learned as data.
func Type() *shape.Type {
	text := &shape.Type{Kind: shape.String}
	return &shape.Type{Kind: shape.Object, Fields: map[string]*shape.Type{
		"memory": text, "error": {Kind: shape.String, Nullable: true}, "version": {Kind: shape.Int, Nullable: true},
		"status": {Kind: shape.String, Enum: []any{memory.Applied, memory.Proposed, memory.Unchanged, memory.Undone, Failed}},
	}}
}
