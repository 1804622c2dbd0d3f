package spectest

import (
	"io/fs"

	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/source"
)

// LoadFS is Load from any file system.
func LoadFS(fsys fs.FS, dir string) (*Suite, *diag.List) { return load(fsys, dir) }

// Flow is how Update writes data.
func Flow(v *source.Value) string { return flow(v) }

// Match compares data with what is expected.
func Match(want *source.Value, got any) []Mismatch {
	var m matcher
	m.data(want, got, "x")
	return m.found
}
