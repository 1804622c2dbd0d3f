package ues

import (
	"context"
	"encoding/json"
)

// ContactsAPI is the address book.
type ContactsAPI struct{ c *Client }

// Contact is somebody in the address book.
type Contact struct {
	ContactID    string       `json:"contact_id,omitempty"`
	FirstName    *string      `json:"first_name,omitempty"`
	LastName     *string      `json:"last_name,omitempty"`
	DisplayName  *string      `json:"display_name,omitempty"`
	Nickname     *string      `json:"nickname,omitempty"`
	Identifiers  []Identifier `json:"identifiers,omitempty"`
	Company      *string      `json:"company,omitempty"`
	JobTitle     *string      `json:"job_title,omitempty"`
	Addresses    []Address    `json:"addresses,omitempty"`
	Birthday     *string      `json:"birthday,omitempty"` // 1990-05-17
	Notes        *string      `json:"notes,omitempty"`
	PhotoURL     *string      `json:"photo_url,omitempty"`
	IsFavorite   bool         `json:"is_favorite,omitempty"`
	IsBlocked    bool         `json:"is_blocked,omitempty"`
	Groups       []string     `json:"groups,omitempty"` // without order
	CreatedAt    *Time        `json:"created_at,omitempty"`
	UpdatedAt    *Time        `json:"updated_at,omitempty"`
	ResolvedName string       `json:"resolved_display_name,omitempty"` // in the results of queries
}

// Identifier is a way to reach somebody.
type Identifier struct {
	IdentifierType string  `json:"identifier_type"` // email, phone, …
	Value          string  `json:"value"`
	Label          *string `json:"label,omitempty"`
}

// Address is a postal address.
type Address struct {
	Street     *string `json:"street,omitempty"`
	City       *string `json:"city,omitempty"`
	State      *string `json:"state,omitempty"`
	PostalCode *string `json:"postal_code,omitempty"`
	Country    *string `json:"country,omitempty"`
	Label      *string `json:"label,omitempty"`
}

// ContactsState is the whole address book.
type ContactsState struct {
	ModalityType   string             `json:"modality_type"`
	CurrentTime    Time               `json:"current_time"`
	Contacts       map[string]Contact `json:"contacts"`
	TotalCount     int                `json:"total_count"`
	FavoritesCount int                `json:"favorites_count"`
	BlockedCount   int                `json:"blocked_count"`
	Groups         []string           `json:"groups"`
}

// State gives the whole address book. Permission contacts:state.
func (c ContactsAPI) State(ctx context.Context) (ContactsState, error) {
	return get[ContactsState](ctx, c.c, "/contacts/state", nil)
}

// Compact gives the address book in short. Permission contacts:state.
func (c ContactsAPI) Compact(ctx context.Context) (json.RawMessage, error) {
	return compact(ctx, c.c, "/contacts/state")
}

// ContactsQuery chooses contacts; nil and empty fields choose all.
type ContactsQuery struct {
	SearchText      string `json:"search_text,omitempty"`
	Group           string `json:"group,omitempty"`
	IsFavorite      *bool  `json:"is_favorite,omitempty"`
	IsBlocked       *bool  `json:"is_blocked,omitempty"`
	HasPhone        *bool  `json:"has_phone,omitempty"`
	HasEmail        *bool  `json:"has_email,omitempty"`
	IdentifierType  string `json:"identifier_type,omitempty"`
	IdentifierValue string `json:"identifier_value,omitempty"`
	Limit           int    `json:"limit,omitempty"`
	Offset          int    `json:"offset,omitempty"`
}

// ContactsPage is the contacts that a query chose.
type ContactsPage struct {
	ModalityType  string          `json:"modality_type"`
	Contacts      []Contact       `json:"contacts"`
	TotalCount    int             `json:"total_count"` // before paging
	ReturnedCount int             `json:"returned_count"`
	Query         json.RawMessage `json:"query"`
}

// Query gives contacts. Permission contacts:query.
func (c ContactsAPI) Query(ctx context.Context, q ContactsQuery) (ContactsPage, error) {
	return post[ContactsPage](ctx, c.c, "/contacts/query", q)
}

// Create makes a contact; it needs an identifier. Its id is in the event's data.
// Permission contacts:create.
func (c ContactsAPI) Create(ctx context.Context, contact Contact) (Action, error) {
	return c.c.Act(ctx, "/contacts/create", contact)
}

// ContactChange changes a contact; nil and empty fields stay. Contact.ContactID says which.
type ContactChange struct {
	Contact
	AddIdentifiers    []Identifier `json:"add_identifiers,omitempty"`
	RemoveIdentifiers []Identifier `json:"remove_identifiers,omitempty"`
	AddAddresses      []Address    `json:"add_addresses,omitempty"`
	RemoveAddresses   []Address    `json:"remove_addresses,omitempty"`
	AddGroups         []string     `json:"add_groups,omitempty"`
	RemoveGroups      []string     `json:"remove_groups,omitempty"`
}

// Update changes a contact. Permission contacts:update.
func (c ContactsAPI) Update(ctx context.Context, change ContactChange) (Action, error) {
	return c.c.Act(ctx, "/contacts/update", change)
}

// Mark does one of delete, block, unblock, favorite and unfavorite to a contact.
// Permission contacts:VERB.
func (c ContactsAPI) Mark(ctx context.Context, verb, id string) (Action, error) {
	return c.c.Act(ctx, "/contacts/"+segment(verb), struct {
		ID string `json:"contact_id"`
	}{id})
}

// Group puts a contact into a group, or takes it out. Permissions contacts:group:add
// and contacts:group:remove.
func (c ContactsAPI) Group(ctx context.Context, id, group string, in bool) (Action, error) {
	path := "/contacts/group/remove"
	if in {
		path = "/contacts/group/add"
	}
	return c.c.Act(ctx, path, struct {
		ID    string `json:"contact_id"`
		Group string `json:"group_name"`
	}{id, group})
}

// Merge puts the second contact into the first. Permission contacts:merge.
func (c ContactsAPI) Merge(ctx context.Context, primary, secondary string) (Action, error) {
	return c.c.Act(ctx, "/contacts/merge", struct {
		Primary   string `json:"primary_contact_id"`
		Secondary string `json:"secondary_contact_id"`
	}{primary, secondary})
}
