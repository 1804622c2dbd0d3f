// Package expr is the backend of tools whose result is computed from their arguments:
// dry runs, look-ups in constants, arithmetic. It touches nothing outside.
package expr

import (
	"fmt"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/build"
	"github.com/weft-engine/weft/engine/chat"
	"github.com/weft-engine/weft/engine/expr"
	"github.com/weft-engine/weft/engine/source"
)

// Type is the backend type `expr`.
func Type() build.BackendType {
	return build.BackendType{
		Name: "expr",
		Build: func(s *build.Scope, _ *engine.Tool, config *source.Value) build.Backend {
			x := s.Expr(config)
			return build.Backend{Backend: backend{x}, Result: x.Type(), Effect: engine.EffectNone}
		},
	}
}

// backend is one computed tool.
type backend struct{ result *expr.Expr }

// Op computes the result at once: nothing needs doing.
func (b backend) Op(_ chat.ToolCall, scope map[string]any) (engine.Op, any, error) {
	v, err := b.result.Eval(scope)
	if err != nil {
		return nil, nil, &engine.Failure{Class: engine.Permanent, Message: fmt.Sprintf("compute the result: %s", err)}
	}
	return nil, v, nil
}
