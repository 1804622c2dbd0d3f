package contacts

import (
	"fmt"
	"slices"
	"strings"

	"github.com/weft-engine/weft/nodes/ues/simulator/field"
	"github.com/weft-engine/weft/nodes/ues/simulator/jsontext"
	"github.com/weft-engine/weft/nodes/ues/simulator/modality"
	"github.com/weft-engine/weft/nodes/ues/simulator/ordered"
)

// Contact is somebody in the address book. Its lists are not changed in place.
type Contact struct {
	ID string
	Person
	Identifiers []Identifier
	Addresses   []Address
	IsFavorite  bool
	IsBlocked   bool
	Groups      []string // sorted, no repetition
	CreatedAt   field.Time
	UpdatedAt   field.Time
}

// State is an address book.
type State struct {
	modality.Stamp
	contacts ordered.Table[*Contact]
	owners   map[string][]*Contact // by identifier; scenarios may give one to several
}

// New makes an empty address book.
func New(m modality.Moment) modality.State {
	s := &State{}
	s.Clear(m)
	return s
}

// Clear empties the address book.
func (s *State) Clear(m modality.Moment) {
	*s = State{Stamp: modality.Stamp{LastUpdated: m.Now}, owners: map[string][]*Contact{}}
}

// own and disown make an identifier lead to a contact, or not any more.
func (s *State) own(c *Contact) {
	for _, i := range c.Identifiers {
		if key := i.String(); !slices.Contains(s.owners[key], c) {
			s.owners[key] = append(s.owners[key], c)
		}
	}
}

func (s *State) disown(c *Contact) {
	for _, i := range c.Identifiers {
		key := i.String()
		left := slices.DeleteFunc(slices.Clone(s.owners[key]), func(x *Contact) bool { return x == c })
		if len(left) == 0 {
			delete(s.owners, key)
		} else {
			s.owners[key] = left
		}
	}
}

// displayName is what a contact is called.
func (c *Contact) displayName() string {
	full := strings.TrimSpace(deref(c.FirstName) + " " + deref(c.LastName))
	switch {
	case !modality.IsEmpty(c.DisplayName):
		return *c.DisplayName
	case full != "":
		return full
	case !modality.IsEmpty(c.Nickname):
		return *c.Nickname
	case len(c.Identifiers) > 0:
		return c.Identifiers[0].Value
	}
	return "Unknown"
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// AppendJSON writes the state of contract section 6.8.
func (s *State) AppendJSON(dst []byte) []byte {
	o := s.Open(dst, name)
	o.Member("contacts", s.appendContacts)
	return o.Close()
}

func (s *State) appendContacts(dst []byte) []byte {
	o := jsontext.Open(dst)
	for id, c := range s.contacts.All() {
		o.Key(id)
		o.Write(c.appendJSON)
	}
	return o.Close()
}

func (c *Contact) appendJSON(dst []byte) []byte {
	o := jsontext.Open(dst)
	o.String("contact_id", c.ID)
	c.appendNames(&o)
	o.Member("identifiers", func(dst []byte) []byte { return modality.AppendArray(dst, c.Identifiers, appendIdentifier) })
	c.appendWork(&o)
	o.Member("addresses", func(dst []byte) []byte { return modality.AppendArray(dst, c.Addresses, appendAddress) })
	c.appendRest(&o)
	c.appendFlags(&o)
	o.Member("created_at", c.CreatedAt.JSON)
	o.Member("updated_at", c.UpdatedAt.JSON)
	return o.Close()
}

func (c *Contact) appendFlags(o *jsontext.Object) {
	o.Bool("is_favorite", c.IsFavorite)
	o.Bool("is_blocked", c.IsBlocked)
	o.Strings("groups", c.Groups)
}

// Load reads an address book of contract section 6.8.
func Load(doc *ordered.Map, _ modality.Moment) (modality.State, []field.Error) {
	r := field.Read(doc)
	s := &State{Stamp: modality.ReadStamp(r, name), owners: map[string][]*Contact{}}
	s.contacts = *field.Or(r, "contacts", field.Values(field.Model(readContact)), &ordered.Table[*Contact]{})
	if errs := r.Errors(); len(errs) > 0 {
		return nil, errs
	}
	for id, c := range s.contacts.All() {
		if c.ID == "" {
			c.ID = id
		}
		s.own(c)
	}
	return s, nil
}

func readContact(r *field.Reader) *Contact {
	return &Contact{
		ID:          field.Or(r, "contact_id", field.String, ""),
		Person:      readPerson(r),
		Identifiers: field.Or(r, "identifiers", field.List(field.Model(readStoredIdentifier), 0), nil),
		Addresses:   field.Or(r, "addresses", field.List(field.Model(readAddress), 0), nil),
		IsFavorite:  field.Or(r, "is_favorite", field.Bool, false),
		IsBlocked:   field.Or(r, "is_blocked", field.Bool, false),
		Groups:      union(nil, field.Or(r, "groups", field.List(field.String, 0), nil)),
		CreatedAt:   field.Need(r, "created_at", field.When).Aware(),
		UpdatedAt:   field.Need(r, "updated_at", field.When).Aware(),
	}
}

// union is the sorted list of what is in one of two lists.
func union(a, b []string) []string {
	return slices.Compact(slices.Sorted(slices.Values(slices.Concat(a, b))))
}

// without is a list without what is in another.
func without(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(x string) bool { return slices.Contains(b, x) })
}

// Problems are the inconsistencies that contract section 6.8 names.
func (s *State) Problems() []string {
	var found []string
	for id, c := range s.contacts.All() {
		if len(c.Identifiers) == 0 {
			found = append(found, fmt.Sprintf("Contact %s has no identifiers", id))
		}
		for _, i := range c.Identifiers {
			if owners := s.owners[i.String()]; len(owners) > 1 && owners[0] != c {
				found = append(found, fmt.Sprintf("Identifier %s is shared by contacts %s and %s", i, owners[0].ID, id))
			}
		}
	}
	return found
}
