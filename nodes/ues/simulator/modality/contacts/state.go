package contacts

import (
	"cmp"
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

	place int // its place in the address book; later ones are larger
}

// State is an address book.
type State struct {
	modality.Stamp
	contacts ordered.Table[*Contact]
	owners   map[mark][]*Contact // by identifier, in order of place; scenarios may give one to several
	places   int                 // how many were given
}

// New makes an empty address book.
func New(m modality.Moment) modality.State {
	s := &State{}
	s.Clear(m)
	return s
}

// Clear empties the address book.
func (s *State) Clear(m modality.Moment) {
	*s = State{Stamp: modality.Stamp{LastUpdated: m.Now}, owners: map[mark][]*Contact{}}
}

// own and disown make an identifier lead to a contact, or not any more.
func (s *State) own(c *Contact) {
	for _, i := range c.Identifiers {
		owners := s.owners[i.mark()]
		if at, found := slices.BinarySearchFunc(owners, c, byPlace); !found {
			s.owners[i.mark()] = slices.Insert(owners, at, c)
		}
	}
}

func (s *State) disown(c *Contact) {
	for _, i := range c.Identifiers {
		owners := s.owners[i.mark()]
		at, found := slices.BinarySearchFunc(owners, c, byPlace)
		switch {
		case !found:
		case len(owners) == 1:
			delete(s.owners, i.mark())
		default:
			s.owners[i.mark()] = slices.Delete(owners, at, at+1)
		}
	}
}

func byPlace(a, b *Contact) int { return cmp.Compare(a.place, b.place) }

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
	s := &State{Stamp: modality.ReadStamp(r, name), owners: map[mark][]*Contact{}}
	s.contacts = *field.Or(r, "contacts", field.Values(field.Model(readContact)), &ordered.Table[*Contact]{})
	if errs := r.Errors(); len(errs) > 0 {
		return nil, errs
	}
	for id, c := range s.contacts.All() {
		if c.ID == "" {
			c.ID = id
		}
		s.places++
		c.place = s.places
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

// unite is a list with what it lacks of another behind it.
func unite[T any, K comparable](list, more []T, key func(T) K) []T {
	known := keys(list, key)
	list = slices.Clip(list)
	for _, x := range more {
		if _, found := known[key(x)]; !found {
			known[key(x)] = struct{}{}
			list = append(list, x)
		}
	}
	return list
}

// without is a list without what is in another.
func without[T any, K comparable](list, gone []T, key func(T) K) []T {
	if len(gone) == 0 {
		return list
	}
	drop := keys(gone, key)
	return slices.DeleteFunc(slices.Clone(list), func(x T) bool {
		_, found := drop[key(x)]
		return found
	})
}

func keys[T any, K comparable](list []T, key func(T) K) map[K]struct{} {
	set := make(map[K]struct{}, len(list))
	for _, x := range list {
		set[key(x)] = struct{}{}
	}
	return set
}

func itself(s string) string { return s }

// Problems are the inconsistencies that contract section 6.8 names.
func (s *State) Problems() []string {
	var found []string
	for id, c := range s.contacts.All() {
		if len(c.Identifiers) == 0 {
			found = append(found, fmt.Sprintf("Contact %s has no identifiers", id))
		}
		for _, i := range c.Identifiers {
			if owners := s.owners[i.mark()]; len(owners) > 1 && owners[0] != c {
				found = append(found, fmt.Sprintf("Identifier %s is shared by contacts %s and %s", i, owners[0].ID, id))
			}
		}
	}
	return found
}
