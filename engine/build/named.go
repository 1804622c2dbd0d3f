package build

import (
	"github.com/weft-engine/weft/engine/expr"
	"github.com/weft-engine/weft/engine/secret"
)

// Named is a named value that may be a secret: a header, an environment variable.
type Named struct {
	Name   string
	Value  *expr.Value // nil for a secret
	Secret secret.Ref
}
