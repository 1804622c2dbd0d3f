package contacts

import (
	"fmt"
	"slices"

	"github.com/weft-engine/weft/nodes/ues/simulator/modality"
)

// Apply performs a payload.
func (s *State) Apply(payload modality.Input, m modality.Moment) (modality.Undo, error) {
	in, ok := payload.(*Input)
	if !ok {
		return nil, fmt.Errorf("apply to contacts: payload is a %T", payload)
	}
	var action string
	var undo modality.Reversal
	var err error
	switch in.Operation {
	case opCreate:
		action = "delete_contact"
		undo, err = s.create(in, m)
	case opMerge:
		action = "unmerge_contacts"
		undo, err = s.merge(in)
	default:
		action, undo, err = s.change(in)
	}
	if err != nil {
		return nil, err
	}
	return s.Touched(in.At, action, undo), nil
}

func (s *State) contact(id string) (*Contact, error) {
	c, found := s.contacts.Get(id)
	if !found {
		return nil, modality.Refuse("Contact not found: %s", id)
	}
	return c, nil
}

// free tells that identifiers belong to nobody but perhaps a contact.
func (s *State) free(list []Identifier, but *Contact) error {
	for _, i := range list {
		for _, c := range s.owners[i.mark()] {
			if c != but {
				return modality.Refuse("Identifier %s already belongs to contact %s (%s)", i, c.ID, c.displayName())
			}
		}
	}
	return nil
}

// create makes a contact. Its id is new, whatever the payload says.
func (s *State) create(in *Input, m modality.Moment) (undo modality.Reversal, err error) {
	if err := s.free(in.Identifiers, nil); err != nil {
		return nil, err
	}
	if in.made == "" || s.contacts.Has(in.made) {
		in.made = m.NewID()
	}
	id := in.made
	in.ContactID = &id
	c := &Contact{
		ID: id, Person: in.Person, Identifiers: in.Identifiers, Addresses: in.Addresses, Groups: union(nil, in.Groups),
		IsFavorite: in.IsFavorite != nil && *in.IsFavorite, IsBlocked: in.IsBlocked != nil && *in.IsBlocked,
		CreatedAt: in.At, UpdatedAt: in.At, place: s.places + 1,
	}
	undo.Add(modality.Assign(&s.places, c.place))
	undo.Add(modality.Put(&s.contacts, id, c))
	s.own(c)
	undo.Add(func() { s.disown(c) })
	return undo, nil
}

// change performs an operation on one contact.
func (s *State) change(in *Input) (action string, undo modality.Reversal, err error) {
	c, err := s.contact(*in.ContactID)
	if err != nil {
		return "", nil, err
	}
	changed := *c
	changed.UpdatedAt = in.At
	switch in.Operation {
	case opDelete:
		return "restore_contact", s.remove(*in.ContactID, c), nil
	case opBlock, opUnblock:
		action, changed.IsBlocked = "restore_blocked_state", in.Operation == opBlock
	case opFavorite, opUnfavorite:
		action, changed.IsFavorite = "restore_favorite_state", in.Operation == opFavorite
	case opAddGroup:
		action, changed.Groups = "restore_group_membership", union(c.Groups, []string{*in.GroupName})
	case opRemoveGroup:
		action, changed.Groups = "restore_group_membership", without(c.Groups, []string{*in.GroupName}, itself)
	default:
		action, err = "restore_contact", s.update(in, &changed, c)
	}
	if err != nil {
		return "", nil, err
	}
	return action, modality.Reversal{s.replace(c, changed)}, nil
}

// replace puts a changed copy in a contact's place.
func (s *State) replace(c *Contact, changed Contact) func() {
	put := func(x Contact) {
		s.disown(c)
		*c = x
		s.own(c)
	}
	before := *c
	put(changed)
	return func() { put(before) }
}

func (s *State) remove(id string, c *Contact) (undo modality.Reversal) {
	undo.Add(modality.Remove(&s.contacts, id))
	s.disown(c)
	undo.Add(func() { s.own(c) })
	return undo
}

// update writes what a payload gives into a copy of a contact.
func (s *State) update(in *Input, to, from *Contact) error {
	if err := s.free(slices.Concat(in.Identifiers, in.AddIdentifiers), from); err != nil {
		return err
	}
	if err := to.updateIdentifiers(in); err != nil {
		return err
	}
	to.take(in.Person)
	if in.Addresses != nil {
		to.Addresses = in.Addresses
	}
	to.Addresses = without(slices.Concat(to.Addresses, in.AddAddresses), in.RemoveAddresses, Address.mark)
	if in.Groups != nil {
		to.Groups = union(nil, in.Groups)
	}
	to.Groups = without(union(to.Groups, in.AddGroups), in.RemoveGroups, itself)
	if in.IsFavorite != nil {
		to.IsFavorite = *in.IsFavorite
	}
	if in.IsBlocked != nil {
		to.IsBlocked = *in.IsBlocked
	}
	return nil
}

// updateIdentifiers replaces, adds and removes identifiers, in this order. One has to stay.
func (c *Contact) updateIdentifiers(in *Input) error {
	if in.Identifiers == nil && in.AddIdentifiers == nil && in.RemoveIdentifiers == nil {
		return nil
	}
	if in.Identifiers != nil {
		c.Identifiers = in.Identifiers
	}
	known := keys(c.Identifiers, Identifier.mark)
	for _, i := range in.AddIdentifiers {
		if _, found := known[i.mark()]; found {
			return modality.Refuse("Contact already has identifier %s", i)
		}
		known[i.mark()] = struct{}{}
	}
	c.Identifiers = without(slices.Concat(c.Identifiers, in.AddIdentifiers), in.RemoveIdentifiers, Identifier.mark)
	if len(c.Identifiers) == 0 {
		return modality.Refuse("Contact must have at least one identifier")
	}
	return nil
}

// take writes what is known of o over p.
func (p *Person) take(o Person) {
	others := o.texts()
	for i, t := range p.texts() {
		if *others[i] != nil {
			*t = *others[i]
		}
	}
	if o.Birthday != nil {
		p.Birthday = o.Birthday
	}
}

// texts are the fields of a person that are texts.
func (p *Person) texts() []**string {
	return []**string{&p.FirstName, &p.LastName, &p.DisplayName, &p.Nickname, &p.Company, &p.JobTitle, &p.Notes, &p.PhotoURL}
}

// merge fills the gaps of one contact with another, unites their lists and removes the
// other.
func (s *State) merge(in *Input) (undo modality.Reversal, err error) {
	c, err := s.contact(*in.PrimaryID)
	if err != nil {
		return nil, err
	}
	other, err := s.contact(*in.SecondaryID)
	if err != nil {
		return nil, err
	}
	merged := *c
	merged.Person = other.Person
	merged.take(c.Person)
	merged.UpdatedAt = in.At
	merged.Identifiers = unite(c.Identifiers, other.Identifiers, Identifier.mark)
	merged.Addresses = unite(c.Addresses, other.Addresses, Address.mark)
	merged.Groups = union(c.Groups, other.Groups)
	merged.IsFavorite = c.IsFavorite || other.IsFavorite
	merged.IsBlocked = c.IsBlocked || other.IsBlocked
	undo = s.remove(*in.SecondaryID, other)
	undo.Add(s.replace(c, merged))
	return undo, nil
}
