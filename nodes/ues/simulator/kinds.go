package simulator

import (
	"github.com/weft-engine/weft/nodes/ues/simulator/modality"
	"github.com/weft-engine/weft/nodes/ues/simulator/modality/email"
)

// Kinds are the modalities of a fresh server, in its order.
func Kinds() []modality.Kind {
	return []modality.Kind{email.Kind()}
}
