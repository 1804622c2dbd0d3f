package compile

import (
	"github.com/weft-engine/weft/engine/build"
	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/response"
	"github.com/weft-engine/weft/engine/spec"
)

// Preview returns a template of a spec, of whatever kind, as a response that may name
// anything: for looking at what it gives. Nil when there is none of that name.
func Preview(sp *spec.Spec, name string) *response.Template {
	if sp == nil || sp.Root == nil {
		return nil
	}
	return build.New(sp.Root, build.Types{}, &diag.List{}).Preview(name)
}
