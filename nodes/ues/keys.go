package ues

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"
)

// KeysAPI is the API keys.
type KeysAPI struct{ c *Client }

// NewKey is a key as it is made: the only time its secret is told.
type NewKey struct {
	KeyID       string   `json:"key_id"`
	Secret      string   `json:"secret"`
	Name        string   `json:"name"`
	Permissions []string `json:"permissions"`
	CreatedAt   Time     `json:"created_at"`
	CreatedBy   *string  `json:"created_by"`
}

// String leaves the secret out.
func (k NewKey) String() string { return "key " + k.KeyID + " (" + k.Name + ")" }

// GoString is String: the secret must not get into a log by %#v either.
func (k NewKey) GoString() string { return k.String() }

// Key is a key as it can be listed.
type Key struct {
	KeyID       string   `json:"key_id"`
	Name        string   `json:"name"`
	Permissions []string `json:"permissions"`
	CreatedAt   Time     `json:"created_at"`
	CreatedBy   *string  `json:"created_by"`
	LastUsedAt  *Time    `json:"last_used_at"`
	IsActive    bool     `json:"is_active"`
	RevokedAt   *Time    `json:"revoked_at"`
}

// Create makes a key. Permission keys:create.
func (k KeysAPI) Create(ctx context.Context, name string, permissions []string) (NewKey, error) {
	return post[NewKey](ctx, k.c, "/keys", struct {
		Name        string   `json:"name"`
		Permissions []string `json:"permissions"`
	}{name, permissions})
}

// KeyList is the keys, the admin's first.
type KeyList struct {
	Keys    []Key `json:"keys"`
	Total   int   `json:"total"`
	Active  int   `json:"active"`
	Revoked int   `json:"revoked"`
}

// List gives the keys, with or without those revoked. Permission keys:list.
func (k KeysAPI) List(ctx context.Context, revoked bool) (KeyList, error) {
	return get[KeyList](ctx, k.c, "/keys", url.Values{"include_revoked": {strconv.FormatBool(revoked)}})
}

// Get gives one key. Permission keys:read.
func (k KeysAPI) Get(ctx context.Context, id string) (Key, error) {
	return get[Key](ctx, k.c, "/keys/"+segment(id), nil)
}

// Revoke ends a key. One that is revoked already, or not there, is no error: it opens
// nothing. The admin's key cannot be revoked. Permission keys:revoke.
func (k KeysAPI) Revoke(ctx context.Context, id string) error {
	_, err := k.c.send(ctx, request{method: http.MethodDelete, path: "/keys/" + segment(id)})
	if status := StatusOf(err); status == http.StatusNotFound || status == http.StatusConflict {
		return nil
	}
	return err
}

// userPermissions are what an assistant may do as the user: read and write the mailbox,
// messages and calendar, talk in the chat, and see the clock.
var userPermissions = [...]string{
	"email:state", "email:query", "sms:state", "sms:query", "calendar:state", "calendar:query", "chat:state", "chat:query", "time:read",
	"email:send", "email:read", "email:unread", "email:star", "email:unstar", "email:archive", "email:delete", "email:label", "email:unlabel", "email:move",
	"sms:send", "sms:read", "sms:unread", "sms:delete", "sms:react",
	"calendar:create", "calendar:update", "calendar:delete", "calendar:respond",
	"chat:send",
}

// UserPermissions returns what an assistant may do as the user, as a list of its own.
func UserPermissions() []string { return slices.Clone(userPermissions[:]) }

// AccessLogAPI is the log of requests.
type AccessLogAPI struct{ c *Client }

// AccessQuery chooses entries; zero fields choose all.
type AccessQuery struct {
	KeyID, KeyName, PathPrefix, Method string
	Status, MinStatus, MaxStatus       int
	Since, Until                       time.Time // Until is not included
	ErrorsOnly                         bool
	Limit, Offset                      int // Limit 0 is 100, at most 1000
}

// AccessEntry is one request.
type AccessEntry struct {
	LogID       string  `json:"log_id"`
	Timestamp   Time    `json:"timestamp"`
	Method      string  `json:"method"`
	Path        string  `json:"path"`
	KeyID       *string `json:"key_id"`
	KeyName     *string `json:"key_name"`
	StatusCode  int     `json:"status_code"`
	DurationMS  float64 `json:"duration_ms"`
	ClientIP    *string `json:"client_ip"`
	UserAgent   *string `json:"user_agent"`
	ErrorDetail *string `json:"error_detail"`
	IsSuccess   bool    `json:"is_success"`
	IsError     bool    `json:"is_error"`
}

// AccessPage is a page of entries, newest first.
type AccessPage struct {
	Entries    []AccessEntry `json:"entries"`
	Count      int           `json:"count"`
	TotalInLog int           `json:"total_in_log"`
	Limit      int           `json:"limit"`
	Offset     int           `json:"offset"`
	HasMore    bool          `json:"has_more"`
}

// List gives entries. Permission logs:read.
func (a AccessLogAPI) List(ctx context.Context, q AccessQuery) (AccessPage, error) {
	query := url.Values{}
	add(query, "key_id", q.KeyID)
	add(query, "key_name", q.KeyName)
	add(query, "path_prefix", q.PathPrefix)
	add(query, "method", q.Method)
	for name, n := range map[string]int{
		"status_code": q.Status, "min_status_code": q.MinStatus, "max_status_code": q.MaxStatus, "limit": q.Limit, "offset": q.Offset,
	} {
		if n > 0 {
			query.Set(name, strconv.Itoa(n))
		}
	}
	for name, at := range map[string]time.Time{"since": q.Since, "until": q.Until} {
		if !at.IsZero() {
			query.Set(name, At(at).String())
		}
	}
	if q.ErrorsOnly {
		query.Set("errors_only", "true")
	}
	return get[AccessPage](ctx, a.c, "/access-logs", query)
}

// AccessStats counts the log.
type AccessStats struct {
	TotalEntries      int   `json:"total_entries"`
	MaxEntries        int   `json:"max_entries"`
	SuccessCount      int   `json:"success_count"`
	ClientErrorCount  int   `json:"client_error_count"`
	ServerErrorCount  int   `json:"server_error_count"`
	UniqueKeys        int   `json:"unique_keys"`
	EarliestTimestamp *Time `json:"earliest_timestamp"`
	LatestTimestamp   *Time `json:"latest_timestamp"`
	IsFull            bool  `json:"is_full"`
}

// Stats counts the log. Permission logs:read.
func (a AccessLogAPI) Stats(ctx context.Context) (AccessStats, error) {
	return get[AccessStats](ctx, a.c, "/access-logs/stats", nil)
}

// Clear empties the log and tells how many entries it had. Permission logs:clear.
func (a AccessLogAPI) Clear(ctx context.Context) (int, error) {
	out, err := post[struct {
		Cleared int `json:"cleared_count"`
	}](ctx, a.c, "/access-logs/clear", nil)
	return out.Cleared, err
}
