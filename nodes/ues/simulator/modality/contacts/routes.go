package contacts

import (
	"net/http"
	"slices"
	"strings"

	"github.com/weft-engine/weft/nodes/ues/simulator/field"
	"github.com/weft-engine/weft/nodes/ues/simulator/jsontext"
	"github.com/weft-engine/weft/nodes/ues/simulator/modality"
	"github.com/weft-engine/weft/nodes/ues/simulator/ordered"
)

// Kind describes the modality.
func Kind() modality.Kind {
	routes := []modality.Route{
		{
			Method: http.MethodGet, Path: "/contacts/state", Permission: "contacts:state", Handle: getState,
			Summary: "The address book",
			Query:   []modality.Param{{Name: "compact", Type: "boolean", Doc: "counts and the last changed contacts"}},
		},
		post("query", "Find contacts", postQuery),
		post("create", "Create a contact", create),
		post("update", "Change a contact", update),
		post("merge", "Make one contact of two", merge),
		post("group/add", "Add a contact to a group", func(r *modality.Request) modality.Response { return regroup(r, opAddGroup) }),
		post("group/remove", "Take a contact out of a group", func(r *modality.Request) modality.Response { return regroup(r, opRemoveGroup) }),
	}
	for _, d := range []deed{
		{"delete", "Delete a contact", opDelete, "deleted", "contacts.deleted"},
		{"block", "Block a contact", opBlock, "blocked", "contacts.blocked"},
		{"unblock", "Unblock a contact", opUnblock, "unblocked", "contacts.unblocked"},
		{"favorite", "Make a contact a favorite", opFavorite, "favorited", "contacts.updated"},
		{"unfavorite", "Make a contact no favorite", opUnfavorite, "unfavorited", "contacts.updated"},
	} {
		routes = append(routes, post(d.path, d.doc, d.handle))
	}
	return modality.Kind{Name: name, Unscheduled: true, New: New, Load: Load, Decode: Decode, Routes: routes}
}

func post(path, doc string, handle func(*modality.Request) modality.Response) modality.Route {
	return modality.Route{
		Method: http.MethodPost, Path: "/contacts/" + path, Permission: "contacts:" + strings.ReplaceAll(path, "/", ":"),
		Summary: doc, Body: modality.NeedBody, Handle: handle,
	}
}

func getState(r *modality.Request) modality.Response {
	q := field.ReadQuery(r.Query)
	short := field.Or(q, "compact", field.Bool, false)
	if errs := q.Errors(); len(errs) > 0 {
		return modality.Invalid(errs)
	}
	s, ok := r.State.(*State)
	if !ok {
		return modality.Absent()
	}
	return modality.OK(func(dst []byte) []byte {
		if short {
			return s.appendShort(dst, r.Moment)
		}
		return s.appendFull(dst, r.Moment)
	})
}

// query is the body of POST /contacts/query; nil is no filter.
type query struct {
	*modality.Query
	search                                   modality.Part
	group, idType, idValue                   *string
	isFavorite, isBlocked, hasPhone, hasMail *bool
}

func readQuery(body *ordered.Map) *query {
	q := &query{Query: modality.ReadQuery(body)}
	q.search = q.Part("search_text")
	q.group = q.Text("group")
	q.isFavorite = q.Flag("is_favorite")
	q.isBlocked = q.Flag("is_blocked")
	q.hasPhone = q.Flag("has_phone")
	q.hasMail = q.Flag("has_email")
	q.idType = q.Text("identifier_type")
	q.idValue = q.Text("identifier_value")
	if q.idType != nil && *q.idType == phone && q.idValue != nil {
		number := modality.Phone(*q.idValue)
		q.idValue = &number
		q.Given.Set("identifier_value", number)
	}
	q.Page(field.Between(field.Int, 1, 1000))
	return q
}

func postQuery(r *modality.Request) modality.Response {
	q := readQuery(r.Body)
	if errs := q.Errors(); len(errs) > 0 {
		return modality.Invalid(errs)
	}
	s, ok := r.State.(*State)
	if !ok {
		return modality.Absent()
	}
	var found []*Contact
	for _, c := range s.contacts.All() {
		if q.wants(c) {
			found = append(found, c)
		}
	}
	return modality.Answer(q.Query, name, "contacts", found, func(dst []byte, c *Contact) []byte { return c.appendFound(dst) })
}

func (q *query) wants(c *Contact) bool {
	return (!q.search.Given || c.mentions(q.search)) &&
		(q.group == nil || slices.Contains(c.Groups, *q.group)) &&
		same(q.isFavorite, c.IsFavorite) && same(q.isBlocked, c.IsBlocked) &&
		(q.hasPhone == nil || *q.hasPhone == c.has(phone)) && (q.hasMail == nil || *q.hasMail == c.has(mail)) &&
		(q.idType == nil || q.idValue == nil || slices.ContainsFunc(c.Identifiers, func(i Identifier) bool {
			return i.Type == *q.idType && i.Value == *q.idValue
		}))
}

func same(want *bool, is bool) bool { return want == nil || *want == is }

func (c *Contact) has(kind string) bool {
	return slices.ContainsFunc(c.Identifiers, func(i Identifier) bool { return i.Type == kind })
}

// mentions tells whether a contact contains a text, whatever the case of letters.
func (c *Contact) mentions(part modality.Part) bool {
	for _, s := range []*string{c.FirstName, c.LastName, c.DisplayName, c.Nickname, c.Company, c.JobTitle, c.Notes} {
		if s != nil && part.In(*s) {
			return true
		}
	}
	return slices.ContainsFunc(c.Identifiers, func(i Identifier) bool { return part.In(i.Value) })
}

// act performs an action. What is wrong with identifiers and rules is told in the generic
// ways of contract section 3.5, as in the original.
func act(r *modality.Request, b *field.Reader, in *Input, d modality.Deed) modality.Response {
	ofRules, ofTypes := split(b.Errors())
	switch {
	case len(ofTypes) > 0:
		return modality.Invalid(ofTypes)
	case len(ofRules) > 0:
		return failedValidation(ofRules)
	}
	if err := in.Check(); err != nil {
		return modality.Generic(http.StatusBadRequest, "Invalid Value", err.Error(), "ValueError")
	}
	d.Modality, d.Input, d.Data = name, in, in.appendNotice
	return r.Act(d)
}

// split tells errors of custom rules from the others, which the original finds first.
func split(errs []field.Error) (ofRules, ofTypes []field.Error) {
	for _, e := range errs {
		if e.Type == "value_error" {
			ofRules = append(ofRules, e)
		} else {
			ofTypes = append(ofTypes, e)
		}
	}
	return ofRules, ofTypes
}

func failedValidation(errs []field.Error) modality.Response {
	return modality.Response{Status: http.StatusUnprocessableEntity, Write: func(dst []byte) []byte {
		o := jsontext.Open(dst)
		o.String("error", "Validation Error")
		o.String("detail", "The request data failed validation")
		o.Member("validation_errors", func(dst []byte) []byte { return field.AppendErrors(dst, errs) })
		return o.Close()
	}}
}

func (in *Input) appendNotice(dst []byte, _ string) []byte {
	o := jsontext.Open(dst)
	if in.Operation == opMerge {
		o.String("primary_contact_id", *in.PrimaryID)
		o.String("secondary_contact_id", *in.SecondaryID)
		return o.Close()
	}
	o.String("contact_id", deref(in.ContactID))
	return o.Close()
}

func create(r *modality.Request) modality.Response {
	b := field.Read(r.Body, "body")
	in := &Input{Head: modality.NewHead(r.Moment), Operation: opCreate, Person: readPerson(b)}
	no := false
	in.Identifiers = field.Need(b, "identifiers", field.List(field.Model(readIdentifier), 1))
	in.Addresses = field.MaybeOr(b, "addresses", field.List(field.Model(readAddress), 0), nil)
	in.IsFavorite = field.Or(b, "is_favorite", pointer(field.Bool), &no)
	in.IsBlocked = field.Or(b, "is_blocked", pointer(field.Bool), &no)
	in.Groups = field.MaybeOr(b, "groups", field.List(field.String, 0), nil)
	return act(r, b, in, modality.Deed{
		Failed: "Failed to create contact", Notice: "contacts.created", Done: func() string { return "Contact created successfully" },
	})
}

// pointer takes what t takes.
func pointer[T any](t field.Type[T]) field.Type[*T] {
	return func(v any, at *field.Place) *T {
		x := t(v, at)
		return &x
	}
}

func update(r *modality.Request) modality.Response {
	b := field.Read(r.Body, "body")
	id := field.Need(b, "contact_id", field.String)
	in := &Input{Head: modality.NewHead(r.Moment), Operation: opUpdate, ContactID: &id}
	in.read(b)
	return act(r, b, in, modality.Deed{
		Failed: "Failed to update contact", Notice: "contacts.updated",
		Done: func() string { return "Contact " + id + " updated successfully" },
	})
}

func merge(r *modality.Request) modality.Response {
	b := field.Read(r.Body, "body")
	primary := field.Need(b, "primary_contact_id", field.String)
	secondary := field.Need(b, "secondary_contact_id", field.String)
	in := &Input{Head: modality.NewHead(r.Moment), Operation: opMerge, PrimaryID: &primary, SecondaryID: &secondary}
	return act(r, b, in, modality.Deed{
		Failed: "Failed to merge contacts", Notice: "contacts.merged",
		Done: func() string { return "Contacts merged successfully (primary: " + primary + ")" },
	})
}

func regroup(r *modality.Request, operation string) modality.Response {
	b := field.Read(r.Body, "body")
	id := field.Need(b, "contact_id", field.String)
	group := field.Need(b, "group_name", field.String)
	in := &Input{Head: modality.NewHead(r.Moment), Operation: operation, ContactID: &id, GroupName: &group}
	failed, done := "Failed to add contact to group", "added to"
	if operation == opRemoveGroup {
		failed, done = "Failed to remove contact from group", "removed from"
	}
	return act(r, b, in, modality.Deed{
		Failed: failed, Notice: "contacts.updated",
		Done: func() string { return "Contact " + id + " " + done + " group '" + group + "' successfully" },
	})
}

// deed is an endpoint that only names a contact.
type deed struct {
	path, doc, operation, done, notice string
}

func (d deed) handle(r *modality.Request) modality.Response {
	b := field.Read(r.Body, "body")
	id := field.Need(b, "contact_id", field.String)
	in := &Input{Head: modality.NewHead(r.Moment), Operation: d.operation, ContactID: &id}
	return act(r, b, in, modality.Deed{
		Failed: "Failed to " + d.path + " contact", Notice: d.notice,
		Done: func() string { return "Contact " + id + " " + d.done + " successfully" },
	})
}
