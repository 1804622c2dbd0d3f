package simulator

import (
	"github.com/weft-engine/weft/nodes/ues/simulator/modality"
	"github.com/weft-engine/weft/nodes/ues/simulator/modality/calendar"
	"github.com/weft-engine/weft/nodes/ues/simulator/modality/chat"
	"github.com/weft-engine/weft/nodes/ues/simulator/modality/clockprefs"
	"github.com/weft-engine/weft/nodes/ues/simulator/modality/contacts"
	"github.com/weft-engine/weft/nodes/ues/simulator/modality/email"
	"github.com/weft-engine/weft/nodes/ues/simulator/modality/location"
	"github.com/weft-engine/weft/nodes/ues/simulator/modality/sms"
	"github.com/weft-engine/weft/nodes/ues/simulator/modality/weather"
)

// Kinds are the modalities of a fresh server, in its order.
func Kinds() []modality.Kind {
	return []modality.Kind{
		weather.Kind(), email.Kind(), sms.Kind(), chat.Kind(), calendar.Kind(), contacts.Kind(), location.Kind(), clockprefs.Kind(),
	}
}
