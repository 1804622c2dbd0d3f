package learn

import (
	"github.com/weft-engine/weft/engine/memory"
	"github.com/weft-engine/weft/engine/shape"
)

// Type returns the type of Learned.Data.
func Type() *shape.Type {
	maybe := &shape.Type{Kind: shape.String, Nullable: true}
	return &shape.Type{Kind: shape.Object, Fields: map[string]*shape.Type{
		"memory": {Kind: shape.String}, "reason": maybe, "error": maybe, "version": {Kind: shape.Int, Nullable: true},
		"status": {Kind: shape.String, Enum: []any{memory.Applied, memory.Proposed, memory.Unchanged, Failed}},
	}}
}

// ChangeType returns the type of Learned.Change.
func ChangeType() *shape.Type {
	text := &shape.Type{Kind: shape.String}
	return &shape.Type{Kind: shape.Object, Fields: map[string]*shape.Type{
		"memory": text, "version": {Kind: shape.Int}, "text": text, "reason": text,
		"status": {Kind: shape.String, Enum: []any{memory.Applied, memory.Proposed, memory.Unchanged, memory.Undone}},
	}}
}
