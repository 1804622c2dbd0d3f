// Package contacts is the address book modality of the simulator: people with their
// identifiers, addresses and groups. An identifier belongs to one contact only.
package contacts

import (
	"strings"

	"github.com/weft-engine/weft/nodes/ues/simulator/field"
	"github.com/weft-engine/weft/nodes/ues/simulator/jsontext"
	"github.com/weft-engine/weft/nodes/ues/simulator/modality"
	"github.com/weft-engine/weft/nodes/ues/simulator/ordered"
)

const name = "contacts"

// The operations of a payload.
const (
	opCreate      = "create_contact"
	opUpdate      = "update_contact"
	opDelete      = "delete_contact"
	opBlock       = "block_contact"
	opUnblock     = "unblock_contact"
	opFavorite    = "favorite_contact"
	opUnfavorite  = "unfavorite_contact"
	opAddGroup    = "add_to_group"
	opRemoveGroup = "remove_from_group"
	opMerge       = "merge_contacts"
)

// The types of identifiers that have rules of their own.
const (
	phone = "phone"
	mail  = "email"
)

// Input is a payload of contract section 6.8. Nil is null.
type Input struct {
	modality.Head
	Operation string
	ContactID *string
	Person
	Identifiers, AddIdentifiers, RemoveIdentifiers []Identifier
	Addresses, AddAddresses, RemoveAddresses       []Address
	IsFavorite, IsBlocked                          *bool
	Groups, AddGroups, RemoveGroups                []string
	GroupName                                      *string
	PrimaryID, SecondaryID                         *string

	// made is the id that applying gave a new contact; a redo gives the same one.
	made string
}

// Person are the plain fields of a contact. Nil is unknown.
type Person struct {
	FirstName, LastName, DisplayName, Nickname *string
	Company, JobTitle                          *string
	Birthday                                   *field.Date
	Notes, PhotoURL                            *string
}

// Identifier is a way to reach somebody: a phone number, an address, a handle.
type Identifier struct {
	Type, Value string
	Label       *string
}

// String is the form in error texts.
func (i Identifier) String() string { return i.Type + ":" + i.Value }

// mark is what tells identifiers apart: the label does not.
type mark struct{ kind, value string }

func (i Identifier) mark() mark { return mark{i.Type, i.Value} }

// Address is a postal address.
type Address struct {
	Street, City, State, PostalCode, Country, Label *string
}

func (a *Address) parts() []part {
	return []part{
		{"street", &a.Street},
		{"city", &a.City},
		{"state", &a.State},
		{"postal_code", &a.PostalCode},
		{"country", &a.Country},
		{"label", &a.Label},
	}
}

// part is a named text that may be unknown.
type part struct {
	name  string
	value **string
}

// mark is a text that equal addresses share.
func (a Address) mark() string { return string(appendAddress(nil, a)) }

// Decode reads a payload.
func Decode(data *ordered.Map, m modality.Moment) (modality.Input, []field.Error) {
	r := field.Read(data)
	in := &Input{
		Head: modality.ReadHead(r, name, m),
		Operation: field.Need(r, "operation", field.OneOf(opCreate, opUpdate, opDelete, opBlock, opUnblock, opFavorite, opUnfavorite,
			opAddGroup, opRemoveGroup, opMerge)),
		ContactID: field.Maybe(r, "contact_id", field.String),
	}
	in.read(r)
	in.GroupName = field.Maybe(r, "group_name", field.String)
	in.PrimaryID = field.Maybe(r, "primary_contact_id", field.String)
	in.SecondaryID = field.Maybe(r, "secondary_contact_id", field.String)
	return in, r.Errors()
}

// read reads the fields that payloads share with the bodies of endpoints.
func (in *Input) read(r *field.Reader) {
	identifiers := func(name string) []Identifier {
		return field.MaybeOr(r, name, field.List(field.Model(readIdentifier), 0), nil)
	}
	addresses := func(name string) []Address {
		return field.MaybeOr(r, name, field.List(field.Model(readAddress), 0), nil)
	}
	groups := func(name string) []string { return field.MaybeOr(r, name, field.List(field.String, 0), nil) }
	in.Person = readPerson(r)
	in.Identifiers = identifiers("identifiers")
	in.AddIdentifiers = identifiers("add_identifiers")
	in.RemoveIdentifiers = identifiers("remove_identifiers")
	in.Addresses = addresses("addresses")
	in.AddAddresses = addresses("add_addresses")
	in.RemoveAddresses = addresses("remove_addresses")
	in.IsFavorite = field.Maybe(r, "is_favorite", field.Bool)
	in.IsBlocked = field.Maybe(r, "is_blocked", field.Bool)
	in.Groups = groups("groups")
	in.AddGroups = groups("add_groups")
	in.RemoveGroups = groups("remove_groups")
}

func readPerson(r *field.Reader) Person {
	return Person{
		FirstName:   field.Maybe(r, "first_name", field.String),
		LastName:    field.Maybe(r, "last_name", field.String),
		DisplayName: field.Maybe(r, "display_name", field.String),
		Nickname:    field.Maybe(r, "nickname", field.String),
		Company:     field.Maybe(r, "company", field.String),
		JobTitle:    field.Maybe(r, "job_title", field.String),
		Birthday:    field.Maybe(r, "birthday", field.Day),
		Notes:       field.Maybe(r, "notes", field.String),
		PhotoURL:    field.Maybe(r, "photo_url", field.String),
	}
}

// readIdentifier reads an identifier of a request; phone numbers are normalised.
func readIdentifier(r *field.Reader) Identifier {
	i := readStoredIdentifier(r)
	if i.Type == phone {
		i.Value = modality.Phone(i.Value)
	}
	return i
}

func readStoredIdentifier(r *field.Reader) Identifier {
	i := Identifier{
		Type:  field.Need(r, "identifier_type", notBlank("Identifier type cannot be empty")),
		Value: field.Need(r, "value", notBlank("Identifier value cannot be empty")),
		Label: field.Maybe(r, "label", field.String),
	}
	if i.Type == mail && i.Value != "" && !strings.Contains(i.Value, "@") {
		r.Fail("value", "Invalid email address: "+i.Value, i.Value)
	}
	return i
}

func notBlank(text string) field.Type[string] {
	return func(v any, at *field.Place) string {
		s := field.String(v, at)
		if _, ok := v.(string); ok && strings.TrimSpace(s) == "" {
			at.Refuse(text, v)
		}
		return s
	}
}

func readAddress(r *field.Reader) Address {
	var a Address
	for _, p := range a.parts() {
		*p.value = field.Maybe(r, p.name, field.String)
	}
	return a
}

// Check is the rule level of contract section 6.8.
func (in *Input) Check() error {
	switch in.Operation {
	case opCreate:
		if len(in.Identifiers) == 0 {
			return in.requires("at least one identifier")
		}
	case opMerge:
		switch {
		case modality.IsEmpty(in.PrimaryID):
			return in.requires("primary_contact_id")
		case modality.IsEmpty(in.SecondaryID):
			return in.requires("secondary_contact_id")
		case *in.PrimaryID == *in.SecondaryID:
			return modality.Refuse("primary_contact_id and secondary_contact_id must be different")
		}
	default:
		if modality.IsEmpty(in.ContactID) {
			return in.requires("contact_id")
		}
		if (in.Operation == opAddGroup || in.Operation == opRemoveGroup) && modality.IsEmpty(in.GroupName) {
			return in.requires("group_name")
		}
	}
	return nil
}

func (in *Input) requires(what string) error {
	return modality.Refuse("Operation '%s' requires %s", in.Operation, what)
}

// AppendJSON writes the payload.
func (in *Input) AppendJSON(dst []byte) []byte {
	o := in.Open(dst, name)
	o.String("operation", in.Operation)
	modality.AppendNullable(&o, "contact_id", in.ContactID)
	in.appendNames(&o)
	appendNullableList(&o, "identifiers", in.Identifiers, appendIdentifier)
	appendNullableList(&o, "add_identifiers", in.AddIdentifiers, appendIdentifier)
	appendNullableList(&o, "remove_identifiers", in.RemoveIdentifiers, appendIdentifier)
	in.appendWork(&o)
	appendNullableList(&o, "addresses", in.Addresses, appendAddress)
	appendNullableList(&o, "add_addresses", in.AddAddresses, appendAddress)
	appendNullableList(&o, "remove_addresses", in.RemoveAddresses, appendAddress)
	in.appendRest(&o)
	modality.AppendNullableBool(&o, "is_favorite", in.IsFavorite)
	modality.AppendNullableBool(&o, "is_blocked", in.IsBlocked)
	modality.AppendNullableStrings(&o, "groups", in.Groups)
	modality.AppendNullableStrings(&o, "add_groups", in.AddGroups)
	modality.AppendNullableStrings(&o, "remove_groups", in.RemoveGroups)
	modality.AppendNullable(&o, "group_name", in.GroupName)
	modality.AppendNullable(&o, "primary_contact_id", in.PrimaryID)
	modality.AppendNullable(&o, "secondary_contact_id", in.SecondaryID)
	return o.Close()
}

func appendNullableList[T any](o *jsontext.Object, name string, items []T, write func([]byte, T) []byte) {
	if items == nil {
		o.Null(name)
		return
	}
	o.Member(name, func(dst []byte) []byte { return modality.AppendArray(dst, items, write) })
}

func (p *Person) appendNames(o *jsontext.Object) {
	modality.AppendNullable(o, "first_name", p.FirstName)
	modality.AppendNullable(o, "last_name", p.LastName)
	modality.AppendNullable(o, "display_name", p.DisplayName)
	modality.AppendNullable(o, "nickname", p.Nickname)
}

func (p *Person) appendWork(o *jsontext.Object) {
	modality.AppendNullable(o, "company", p.Company)
	modality.AppendNullable(o, "job_title", p.JobTitle)
}

func (p *Person) appendRest(o *jsontext.Object) {
	if p.Birthday == nil {
		o.Null("birthday")
	} else {
		o.String("birthday", p.Birthday.String())
	}
	modality.AppendNullable(o, "notes", p.Notes)
	modality.AppendNullable(o, "photo_url", p.PhotoURL)
}

func appendIdentifier(dst []byte, i Identifier) []byte {
	o := jsontext.Open(dst)
	o.String("identifier_type", i.Type)
	o.String("value", i.Value)
	modality.AppendNullable(&o, "label", i.Label)
	return o.Close()
}

func appendAddress(dst []byte, a Address) []byte {
	o := jsontext.Open(dst)
	for _, p := range a.parts() {
		modality.AppendNullable(&o, p.name, *p.value)
	}
	return o.Close()
}
