package node

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/weft-engine/weft/engine/source"
	"github.com/weft-engine/weft/nodes/ues"
)

// collected is what is new in a world since an earlier look at it. Each thing is told
// once: what bears the very time of the earlier look, and the API gives twice, is known
// by its id.
type collected struct {
	since time.Time
	none  bool            // nothing is new: only the cursor is wanted
	dates bool            // since is an instant, not a cursor
	seen  map[string]bool // ids of kind/id that are not new
	now   time.Time
	next  []any // ids that will not be new
}

// collect gives {time, emails, sms, calendar_events, events, cursor}, each list in order
// of time.
func collect(r *run) (any, error) {
	c, err := since(r.fields()["since"])
	if err != nil {
		return nil, fmt.Errorf("collect: %w", err)
	}
	now, err := r.env.Admin.Time().Get(r.ctx)
	if err != nil {
		return nil, err
	}
	if c.now = now.CurrentTime.UTC(); c.none {
		c.since = c.now
	}
	out := map[string]any{"time": stamp(c.now)}
	for _, part := range []struct {
		name string
		read func(*run) ([]any, error)
	}{{"emails", c.emails}, {"sms", c.sms}, {"calendar_events", c.calendar}, {"events", c.events}} {
		if out[part.name], err = orNone(part.read(r)); err != nil {
			return nil, err
		}
		if list, _ := out[part.name].([]any); c.none || list == nil {
			out[part.name] = []any{}
		}
	}
	out["cursor"] = map[string]any{"time": stamp(c.now), "seen": append([]any{}, c.next...)}
	return out, nil
}

// since reads where a collect begins: nil, an instant, or a cursor.
func since(v any) (*collected, error) {
	c := &collected{seen: map[string]bool{}}
	cursor, ok := v.(map[string]any)
	if v == nil || ok && len(cursor) == 0 {
		c.none = true
		return c, nil
	}
	var err error
	if !ok {
		c.dates = true
		c.since, err = instant(v)
		return c, err
	}
	if c.since, err = instant(cursor["time"]); err != nil {
		return nil, fmt.Errorf("this is no cursor of an earlier collect: %w", err)
	}
	list, _ := cursor["seen"].([]any)
	for _, id := range list {
		c.seen[fmt.Sprint(id)] = true
	}
	return c, nil
}

// fresh chooses what is new among items, and keeps for the next time those that will be
// given again.
func (c *collected) fresh(kind string, items []any, id string, at func(item map[string]any) time.Time) []any {
	out := []any{}
	for _, item := range items {
		one, ok := item.(map[string]any)
		if !ok {
			continue
		}
		name := kind + "/" + fmt.Sprint(one[id])
		if !at(one).Before(c.now) {
			c.next = append(c.next, name)
		}
		if !c.seen[name] {
			out = append(out, one)
		}
	}
	slices.SortStableFunc(out, func(a, b any) int {
		x, _ := a.(map[string]any)
		y, _ := b.(map[string]any)
		return at(x).Compare(at(y))
	})
	return out
}

// by reads the time in a field.
func by(field string) func(map[string]any) time.Time {
	return func(item map[string]any) time.Time {
		at, err := instant(item[field])
		if err != nil {
			return time.Time{}
		}
		return at
	}
}

func (c *collected) emails(r *run) ([]any, error) {
	items, err := r.query("/email/query", ues.EmailQuery{ReceivedAfter: ues.Ptr(c.since), SortOrder: "asc"}, "emails")
	return c.fresh("email", items, "message_id", by("received_at")), err
}

func (c *collected) sms(r *run) ([]any, error) {
	items, err := r.query("/sms/query", ues.SMSQuery{SentAfter: ues.Ptr(c.since), SortOrder: "asc"}, "messages")
	return c.fresh("sms", items, "message_id", by("sent_at")), err
}

// calendar gives entries that were not there before; changes to entries are not new.
func (c *collected) calendar(r *run) ([]any, error) {
	items, err := r.query("/calendar/query", ues.CalendarQuery{}, "events")
	if c.dates {
		old := func(item any) bool {
			one, ok := item.(map[string]any)
			return ok && by("created_at")(one).Before(c.since)
		}
		for _, item := range items {
			if one, ok := item.(map[string]any); ok && old(item) {
				c.seen["calendar/"+fmt.Sprint(one["event_id"])] = true
			}
		}
	}
	ever := func(map[string]any) time.Time { return c.now }
	return c.fresh("calendar", items, "event_id", ever), err
}

// events gives what was done: the events that were executed, those of one agent when
// that is asked for.
func (c *collected) events(r *run) ([]any, error) {
	list, err := r.env.Admin.Events().List(r.ctx, ues.EventQuery{Status: ues.Executed, Start: c.since})
	if err != nil {
		return nil, err
	}
	agent := r.text("agent_id")
	var items []any
	for i := range list.Events {
		e := &list.Events[i]
		if agent != "" && (e.AgentID == nil || *e.AgentID != agent) {
			continue
		}
		one, err := told(e)
		if err != nil {
			return nil, err
		}
		items = append(items, one)
	}
	return c.fresh("event", items, "event_id", by("scheduled_time")), nil
}

// told is an event as data: {event_id, action, agent_id, scheduled_time, executed_at, parameters}.
func told(e *ues.Event) (map[string]any, error) {
	data, err := source.DecodeJSON(e.Data)
	if err != nil {
		return nil, err
	}
	given, _ := data.(map[string]any)
	parameters := maps.Clone(given)
	delete(parameters, "operation")
	operation, _ := given["operation"].(string)
	out := map[string]any{
		"event_id": e.EventID, "action": e.Modality + "." + cmp.Or(operation, "unknown"), "agent_id": nil,
		"scheduled_time": stamp(e.ScheduledTime.Time), "executed_at": nil, "parameters": parameters,
	}
	if e.AgentID != nil {
		out["agent_id"] = *e.AgentID
	}
	if e.ExecutedAt != nil {
		out["executed_at"] = stamp(e.ExecutedAt.Time)
	}
	return out, nil
}

// query makes a query and gives one list of its answer.
func (r *run) query(path string, body any, list string) ([]any, error) {
	data, err := r.env.Admin.Call(r.ctx, http.MethodPost, path, body)
	if err != nil {
		return nil, err
	}
	v, err := source.DecodeJSON(data)
	if err != nil {
		return nil, err
	}
	answer, _ := v.(map[string]any)
	items, _ := answer[list].([]any)
	return items, nil
}
