package sms

import "github.com/weft-engine/weft/nodes/ues/simulator/modality"

// Check is the rule level of contract section 6.2.
func (in *Input) Check() error {
	switch in.Operation {
	case opSend, opReceive:
		return in.need(
			need{"from_number", modality.IsEmpty(in.From)}, need{"to_numbers", len(in.To) == 0}, need{"body", in.Body == nil})
	case opUpdateDelivery:
		if err := in.need(need{"message_id", modality.IsEmpty(in.MessageID)}, need{"new_status", in.NewStatus == nil}); err != nil {
			return err
		}
		switch *in.NewStatus {
		case statusDelivered, statusRead, statusFailed:
			return nil
		}
		return modality.Refuse("Operation '%s' requires new_status to be one of: delivered, read, failed", in.Operation)
	case opAddReaction:
		return in.need(need{"message_id", modality.IsEmpty(in.MessageID)}, need{"phone_number", modality.IsEmpty(in.PhoneNumber)},
			need{"emoji", modality.IsEmpty(in.Emoji)})
	case opRemoveReaction:
		return in.need(need{"message_id", modality.IsEmpty(in.MessageID)}, need{"phone_number", modality.IsEmpty(in.PhoneNumber)},
			need{"reaction_id", modality.IsEmpty(in.ReactionID)})
	case opEdit:
		return in.need(need{"message_id", modality.IsEmpty(in.MessageID)}, need{"new_body", in.NewBody == nil})
	case opDelete:
		return in.need(need{"message_id", modality.IsEmpty(in.MessageID)})
	}
	return in.checkConversation()
}

func (in *Input) checkConversation() error {
	if in.Operation == opCreateGroup {
		return in.need(need{"creator_number", modality.IsEmpty(in.CreatorNumber)},
			need{"at least 2 participant_numbers", len(in.ParticipantNumbers) < 2})
	}
	needs := []need{{"thread_id", modality.IsEmpty(in.ThreadID)}}
	switch in.Operation {
	case opAddParticipant, opRemoveParticipant:
		needs = append(needs, need{"phone_number", modality.IsEmpty(in.PhoneNumber)})
	case opUpdateConversation:
		nothing := in.Pin == nil && in.Mute == nil && in.Archive == nil && in.MarkAllRead == nil && in.DraftMessage == nil
		needs = append(needs, need{"at least one of: pin, mute, archive, mark_all_read, draft_message", nothing})
	}
	return in.need(needs...)
}

// need is something an operation cannot do without.
type need struct {
	what    string
	missing bool
}

func (in *Input) need(list ...need) error {
	for _, n := range list {
		if n.missing {
			return modality.Refuse("Operation '%s' requires %s", in.Operation, n.what)
		}
	}
	return nil
}
