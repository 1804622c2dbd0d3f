package secret

import "strings"

// Stream redacts text that comes in pieces. A secret that is split over several pieces
// is found, too: what may be the beginning of one is held back until it is known.
// Without a vault nothing is redacted. Not safe for concurrent use.
type Stream struct {
	Vault *Vault
	held  string
}

// Next returns what may be shown after another piece.
func (s *Stream) Next(piece string) string {
	if s.Vault == nil {
		return piece
	}
	text := s.held + piece
	cut := s.Vault.cut(text)
	s.held = text[cut:]
	return s.Vault.Redact(text[:cut])
}

// Rest returns what was held back, at the end of the text.
func (s *Stream) Rest() string {
	out := s.held
	s.held = ""
	if s.Vault == nil {
		return out
	}
	return s.Vault.Redact(out)
}

// cut returns how much of a text can be redacted whatever follows it: behind it stands
// only what a secret may begin with, and no secret lies across.
func (v *Vault) cut(text string) int {
	v.mu.RLock()
	defer v.mu.RUnlock()
	at := len(text)
	for _, secret := range v.known {
		for n := min(len(secret)-1, len(text)); len(text)-n < at; n-- {
			if strings.HasSuffix(text, secret[:n]) {
				at = len(text) - n
			}
		}
	}
	for moved := true; moved; {
		moved = false
		for _, secret := range v.known {
			from := max(0, at-len(secret)+1)
			if i := strings.Index(text[from:min(len(text), at+len(secret)-1)], secret); i >= 0 && from+i < at {
				at, moved = from+i, true
			}
		}
	}
	return at
}
