package display

import (
	"fmt"

	"github.com/weft-engine/weft/engine/build"
	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/expr"
	"github.com/weft-engine/weft/engine/source"
)

// constantSettings reads settings that do not depend on the run; nil when they do.
func constantSettings(s *build.Scope, at *source.Value, x *expr.Value) *settings {
	if x == nil {
		known, _ := readSettings(nil)
		return known
	}
	v, ok := x.Constant()
	if !ok {
		return nil
	}
	known, err := readSettings(v)
	if err != nil {
		s.Report(badSettings.At(at.Pos, "%s", fmt.Sprint(err)).WithHint("`weft explain %s` lists the settings.", badSettings.Code))
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

var (
	badSettings = diag.Rule{
		Code: "display/settings", Severity: diag.Error, Summary: "A setting of a display node has the wrong kind.",
		Explain: "`page_size` is a number, `svg` true or false, `panel_ref` a text; `chart_types`, `inline_types`, `markers`, `levels`, `axis_names` " +
			"and `colors` are lists of texts; `type_map`, `by_shape`, `inputs`, `reasons` and `labels` are maps of texts; `accepts` is a map of lists.\n\n" +
			"    settings: {page_size: many}     # wrong\n" +
			"    settings: {page_size: 512}\n",
	}
	unknownBlock = diag.Rule{
		Code: "display/block", Severity: diag.Error, Summary: "There is no type of block of this name.",
		Explain: "The types of block are the names in the setting `accepts`, with the shapes of data that each takes. A spec may add types of its own.\n\n" +
			"    hint: sparkline                                              # wrong, unless accepts has it\n" +
			"    settings: {accepts: {sparkline: [rows]}}\n",
	}
)

// Rules returns the findings of this package.
func Rules() []diag.Rule { return []diag.Rule{badSettings, unknownBlock} }
