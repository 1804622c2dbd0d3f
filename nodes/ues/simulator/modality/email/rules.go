package email

import (
	"strings"

	"github.com/weft-engine/weft/nodes/ues/simulator/modality"
)

// Check is the rule level of contract section 6.1.
func (in *Input) Check() error {
	switch in.Operation {
	case opReceive, opSend, opSaveDraft:
		return in.checkCompose()
	case opReply, opReplyAll, opForward:
		if empty(in.InReplyTo) {
			return in.requires("in_reply_to")
		}
		return in.checkCompose()
	case opSendDraft:
		if empty(in.MessageID) {
			return in.requires("message_id")
		}
		return nil
	}
	return in.checkBulk()
}

func (in *Input) checkCompose() error {
	switch {
	case empty(in.From):
		return in.requires("from_address")
	case len(in.To) == 0:
		return in.requires("to_addresses")
	case empty(in.Subject):
		return in.requires("subject")
	case empty(in.BodyText):
		return in.requires("body_text")
	}
	if err := checkAddress(*in.From); err != nil {
		return err
	}
	for _, list := range [...][]string{in.To, in.CC, in.BCC} {
		for _, a := range list {
			if err := checkAddress(a); err != nil {
				return err
			}
		}
	}
	if empty(in.ReplyTo) {
		return nil
	}
	return checkAddress(*in.ReplyTo)
}

func (in *Input) checkBulk() error {
	switch {
	case empty(in.MessageID) && len(in.MessageIDs) == 0:
		return in.requires("message_id or message_ids")
	case in.Operation == opMove && empty(in.Folder):
		return in.requires("folder")
	case (in.Operation == opAddLabel || in.Operation == opRemoveLabel) && len(in.Labels) == 0:
		return in.requires("labels")
	case len(in.Labels)*len(in.MessageIDs) > mostLabels:
		return modality.Refuse("Operation '%s' with %d labels for %d emails is more than %d in all",
			in.Operation, len(in.Labels), len(in.MessageIDs), mostLabels)
	}
	return nil
}

// mostLabels is how many labels one operation may give or take in all.
const mostLabels = 1_000_000

func (in *Input) requires(what string) error {
	return modality.Refuse("Operation '%s' requires %s", in.Operation, what)
}

func empty(s *string) bool { return s == nil || *s == "" }

func checkAddress(a string) error {
	if !IsAddress(a) {
		return modality.Refuse("Invalid email address format: '%s'", a)
	}
	return nil
}

// IsAddress tells whether a text matches
// ^[a-zA-Z0-9._%+-]+@[a-zA-Z0-9.-]+\.[a-zA-Z]{2,}$, without the price of a pattern.
func IsAddress(a string) bool {
	local, domain, found := strings.Cut(strings.TrimSuffix(a, "\n"), "@")
	dot := strings.LastIndexByte(domain, '.')
	if !found || local == "" || dot < 1 || len(domain)-dot-1 < 2 {
		return false
	}
	return only(local, "._%+-", true) && only(domain[:dot], ".-", true) && only(domain[dot+1:], "", false)
}

// only tells whether a text consists of ASCII letters, digits if allowed, and others.
func only(s, others string, digits bool) bool {
	for i := range len(s) {
		c := s[i]
		letter := c|0x20 >= 'a' && c|0x20 <= 'z'
		if !letter && (!digits || c < '0' || c > '9') && strings.IndexByte(others, c) < 0 {
			return false
		}
	}
	return true
}
