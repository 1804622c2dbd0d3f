package display

import (
	"github.com/weft-engine/weft/engine/build"
	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/expr"
	"github.com/weft-engine/weft/engine/source"
)

// constantSettings reads settings that do not depend on the run; nil when they do. What
// the schema admits is right.
func constantSettings(x *expr.Value) *settings {
	var v any
	if x != nil {
		var ok bool
		if v, ok = x.Constant(); !ok {
			return nil
		}
	}
	known, err := readSettings(v)
	if err != nil {
		return nil
	}
	return known
}

// checkHint reports a hint at a type of block that there is not.
func checkHint(s *build.Scope, hint *source.Value, p *showing) {
	if p.hint == nil || p.known == nil {
		return
	}
	v, ok := p.hint.Constant()
	name := textOf(v)
	if !ok || name == "" {
		return
	}
	if _, known := p.known.takes(name, ""); !known {
		s.Report(build.Unknown(unknownBlock, "type of block", hint, sortedKeys(p.known.accepts)))
	}
}

var unknownBlock = diag.Rule{
	Code: "display/block", Severity: diag.Error, Summary: "There is no type of block of this name.",
	Explain: "The types of block are the names in the setting `accepts`, with the shapes of data that each takes. A spec may add types of its own.\n\n" +
		"    hint: sparkline                                              # wrong, unless accepts has it\n" +
		"    settings: {accepts: {sparkline: [rows]}}\n",
}

// Rules returns the findings of this package.
func Rules() []diag.Rule { return []diag.Rule{unknownBlock} }
