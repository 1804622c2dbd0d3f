package calendar

import "github.com/weft-engine/weft/nodes/ues/simulator/modality"

// Check is the rule level of contract section 6.4.
func (in *Input) Check() error {
	var err error
	switch in.Operation {
	case opCreate:
		err = in.need(need{"title", modality.IsEmpty(in.Title)}, need{"start", in.Start == nil}, need{"end", in.End == nil})
	case opRespond:
		err = in.need(need{"event_id", modality.IsEmpty(in.EventID)}, need{"attendee_email", modality.IsEmpty(in.AttendeeEmail)},
			need{"response", in.Response == nil})
	default:
		err = in.need(need{"event_id", modality.IsEmpty(in.EventID)})
	}
	if err != nil {
		return err
	}
	if in.Start != nil && in.End != nil && !in.End.After(*in.Start) {
		return modality.Refuse("end time must be after start time")
	}
	if in.Recurrence != nil {
		if err := in.Recurrence.check(in.Start); err != nil {
			return err
		}
	}
	if !modality.IsEmpty(in.Organizer) && !looksLikeAddress(*in.Organizer) {
		return modality.Refuse("Invalid organizer email format: %s", *in.Organizer)
	}
	return nil
}

// need is something an operation cannot do without.
type need struct {
	what    string
	missing bool
}

func (in *Input) need(list ...need) error {
	for _, n := range list {
		if n.missing {
			return modality.Refuse("%s is required for %s operation", n.what, in.Operation)
		}
	}
	return nil
}
