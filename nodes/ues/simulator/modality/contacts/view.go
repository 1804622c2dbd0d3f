package contacts

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/weft-engine/weft/nodes/ues/simulator/jsontext"
	"github.com/weft-engine/weft/nodes/ues/simulator/modality"
)

// Summary is one line on the address book.
func (s *State) Summary(modality.Moment) string {
	n := s.contacts.Len()
	if n == 0 {
		return "No contacts"
	}
	parts := []string{modality.Count(n, "contact")}
	if f := s.count(favorite); f > 0 {
		parts = append(parts, modality.Count(f, "favorite"))
	}
	if b := s.count(blocked); b > 0 {
		parts = append(parts, fmt.Sprintf("%d blocked", b))
	}
	return strings.Join(parts, ", ")
}

func favorite(c *Contact) bool { return c.IsFavorite }
func blocked(c *Contact) bool  { return c.IsBlocked }

func (s *State) count(is func(*Contact) bool) int {
	n := 0
	for _, c := range s.contacts.All() {
		if is(c) {
			n++
		}
	}
	return n
}

// groups counts the members of each group.
func (s *State) groups() map[string]int {
	sizes := map[string]int{}
	for _, c := range s.contacts.All() {
		for _, g := range c.Groups {
			sizes[g]++
		}
	}
	return sizes
}

// appendFull writes the answer of GET /contacts/state.
func (s *State) appendFull(dst []byte, m modality.Moment) []byte {
	o := jsontext.Open(dst)
	o.String("modality_type", name)
	o.Member("current_time", m.Now.JSON)
	o.Member("contacts", s.appendContacts)
	o.Int("total_count", s.contacts.Len())
	o.Int("favorites_count", s.count(favorite))
	o.Int("blocked_count", s.count(blocked))
	o.Strings("groups", slices.Sorted(maps.Keys(s.groups())))
	return o.Close()
}

// appendShort writes the compact answer of GET /contacts/state.
func (s *State) appendShort(dst []byte, m modality.Moment) []byte {
	o := jsontext.Open(dst)
	s.writeShort(&o, m)
	return o.Close()
}

// AppendCompact writes the address book's part of the compact snapshot.
func (s *State) AppendCompact(dst []byte, m modality.Moment) []byte {
	o := jsontext.Open(dst)
	o.String("summary", s.Summary(m))
	s.writeShort(&o, m)
	return o.Close()
}

func (s *State) writeShort(o *jsontext.Object, m modality.Moment) {
	o.String("modality_type", name)
	o.Member("last_updated", s.LastUpdated.JSONISO)
	o.Int("update_count", s.UpdateCount)
	o.Int("total_contacts", s.contacts.Len())
	o.Int("favorites_count", s.count(favorite))
	o.Int("blocked_count", s.count(blocked))
	sizes := s.groups()
	o.Member("groups", func(dst []byte) []byte {
		o := jsontext.Open(dst)
		for _, g := range slices.Sorted(maps.Keys(sizes)) {
			o.Key(g)
			o.Write(func(dst []byte) []byte { return fmt.Append(dst, sizes[g]) })
		}
		return o.Close()
	})
	o.Member("recent_contacts", func(dst []byte) []byte {
		return modality.AppendArray(dst, s.recent(5), func(dst []byte, c *Contact) []byte {
			o := jsontext.Open(dst)
			o.String("name", c.displayName())
			o.String("updated_ago", modality.Ago(c.UpdatedAt, m.Now))
			return o.Close()
		})
	})
}

// recent are the at most n contacts that were changed last, newest first.
func (s *State) recent(n int) []*Contact {
	var list []*Contact
	for _, c := range s.contacts.All() {
		at, _ := slices.BinarySearchFunc(list, c, func(a, b *Contact) int { return cmp.Or(b.UpdatedAt.Compare(a.UpdatedAt), -1) })
		if at < n {
			list = slices.Insert(list, at, c)
			list = list[:min(n, len(list))]
		}
	}
	return list
}

// appendFound writes a contact as query results have it.
func (c *Contact) appendFound(dst []byte) []byte {
	o := jsontext.Open(dst)
	o.String("contact_id", c.ID)
	c.appendNames(&o)
	o.String("resolved_display_name", c.displayName())
	o.Member("identifiers", func(dst []byte) []byte {
		return modality.AppendArray(dst, c.Identifiers, func(dst []byte, i Identifier) []byte {
			o := jsontext.Open(dst)
			o.String("identifier_type", i.Type)
			o.String("value", i.Value)
			if i.Label != nil {
				o.String("label", *i.Label)
			}
			return o.Close()
		})
	})
	c.appendWork(&o)
	o.Member("addresses", func(dst []byte) []byte { return modality.AppendArray(dst, c.Addresses, appendKnownAddress) })
	c.appendRest(&o)
	c.appendFlags(&o)
	o.Member("created_at", c.CreatedAt.JSONISO)
	o.Member("updated_at", c.UpdatedAt.JSONISO)
	return o.Close()
}

func appendKnownAddress(dst []byte, a Address) []byte {
	o := jsontext.Open(dst)
	for _, p := range a.parts() {
		if *p.value != nil {
			o.String(p.name, **p.value)
		}
	}
	return o.Close()
}
