package endpoint

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/weft-engine/weft/nodes/ues/simulator/accesslog"
	"github.com/weft-engine/weft/nodes/ues/simulator/field"
	"github.com/weft-engine/weft/nodes/ues/simulator/ident"
	"github.com/weft-engine/weft/nodes/ues/simulator/jsontext"
	"github.com/weft-engine/weft/nodes/ues/simulator/modality"
)

// Logs declares /access-logs.
func Logs(log *accesslog.Log) []modality.Route {
	l := logs{log}
	return []modality.Route{
		{Method: get, Path: "/access-logs", Permission: "logs:read", Outside: true, Summary: "Requests, newest first", Query: []modality.Param{
			{Name: "key_id", Type: "string", Doc: "made with this key"},
			{Name: "key_name", Type: "string", Doc: "made with a key of this name"},
			{Name: "path_prefix", Type: "string", Doc: "to paths that begin so"},
			{Name: "method", Type: "string", Doc: "with this method"},
			{Name: "status_code", Type: "integer", Doc: "answered with this status"},
			{Name: "min_status_code", Type: "integer", Doc: "answered with this status or a higher one"},
			{Name: "max_status_code", Type: "integer", Doc: "answered with this status or a lower one"},
			{Name: "since", Type: "string", Doc: "at or after"},
			{Name: "until", Type: "string", Doc: "before"},
			{Name: "errors_only", Type: "boolean", Doc: "answered with 400 or more"},
			{Name: "limit", Type: "integer", Doc: "1 to 1000, 100 by default"},
			{Name: "offset", Type: "integer", Doc: "leave out this many"},
		}, Handle: l.list},
		{Method: get, Path: "/access-logs/stats", Permission: "logs:read", Outside: true, Summary: "Counts of requests", Handle: l.stats},
		{Method: post, Path: "/access-logs/clear", Permission: "logs:clear", Outside: true, Summary: "Forget all requests", Handle: l.clear},
	}
}

type logs struct{ *accesslog.Log }

// chosen is the filter of a request for log entries.
type chosen struct {
	keyID, keyName, prefix, method *string
	status, least, most            *int
	since, until                   *field.Time
	errorsOnly                     bool
}

func (l logs) list(r *modality.Request) modality.Response {
	q := query(r)
	c := chosen{
		keyID: field.Maybe(q, "key_id", field.String), keyName: field.Maybe(q, "key_name", field.String),
		prefix: field.Maybe(q, "path_prefix", field.String), method: field.Maybe(q, "method", field.String),
		status: field.Maybe(q, "status_code", field.Int),
		least:  field.Maybe(q, "min_status_code", field.Int), most: field.Maybe(q, "max_status_code", field.Int),
		since: field.Maybe(q, "since", field.When), until: field.Maybe(q, "until", field.When),
		errorsOnly: field.Or(q, "errors_only", field.Bool, false),
	}
	limit := field.Or(q, "limit", field.Between(field.Int, 1, 1000), 100)
	offset := field.Or(q, "offset", field.AtLeast(field.Int, 0), 0)
	if errs := q.Errors(); len(errs) > 0 {
		return modality.Invalid(errs)
	}
	if c.since != nil && c.since.Naive() || c.until != nil && c.until.Naive() {
		return modality.Crash("TypeError")
	}
	entries, matched, total := l.Newest(c.keep, offset, limit)
	return object(http.StatusOK, func(o *jsontext.Object) {
		o.Member("entries", list(entries, writeEntry))
		o.Int("count", len(entries))
		o.Int("total_in_log", total)
		o.Int("limit", limit)
		o.Int("offset", offset)
		o.Bool("has_more", matched > offset+len(entries))
	})
}

func (c *chosen) keep(e *accesslog.Entry) bool {
	return same(c.keyID, e.KeyID) && same(c.keyName, e.KeyName) &&
		(c.method == nil || strings.EqualFold(*c.method, e.Method)) &&
		(c.prefix == nil || strings.HasPrefix(e.Path, *c.prefix)) &&
		c.statusFits(e.Status) && c.timeFits(field.At(e.Time))
}

func same(want *string, have string) bool { return want == nil || *want == have }

func (c *chosen) statusFits(status int) bool {
	return (c.status == nil || *c.status == status) && (c.least == nil || status >= *c.least) &&
		(c.most == nil || status <= *c.most) && (!c.errorsOnly || status >= http.StatusBadRequest)
}

func (c *chosen) timeFits(t field.Time) bool {
	return (c.since == nil || !t.Before(*c.since)) && (c.until == nil || t.Before(*c.until))
}

func writeEntry(o *jsontext.Object, e accesslog.Entry) {
	o.String("log_id", ident.Format(e.ID))
	wallTime(o, "timestamp", e.Time)
	o.String("method", e.Method)
	o.String("path", e.Path)
	o.Nullable("key_id", e.KeyID)
	o.Nullable("key_name", e.KeyName)
	o.Int("status_code", e.Status)
	o.Float("duration_ms", float64(e.Took)/float64(time.Millisecond))
	o.Nullable("client_ip", e.ClientIP)
	o.Nullable("user_agent", e.UserAgent)
	o.Null("error_detail")
	o.Bool("is_success", e.Success())
	o.Bool("is_error", !e.Success())
}

func (l logs) stats(*modality.Request) modality.Response {
	s, keys, oldest, newest := l.Stats()
	return object(http.StatusOK, func(o *jsontext.Object) {
		o.Int("total_entries", s.Total)
		o.Int("max_entries", accesslog.Capacity)
		o.Int("success_count", s.Success)
		o.Int("client_error_count", s.ClientErrors)
		o.Int("server_error_count", s.ServerErrors)
		o.Int("unique_keys", keys)
		wallTime(o, "earliest_timestamp", oldest)
		wallTime(o, "latest_timestamp", newest)
		o.Bool("is_full", s.Total == accesslog.Capacity)
	})
}

func (l logs) clear(*modality.Request) modality.Response {
	n := l.Clear()
	return object(http.StatusOK, func(o *jsontext.Object) {
		o.Int("cleared_count", n)
		o.String("message", fmt.Sprintf("Successfully cleared %d access log entries", n))
	})
}
