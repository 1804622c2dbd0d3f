package node

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/weft-engine/weft/engine/source"
	"github.com/weft-engine/weft/nodes/ues"
)

// stated are the modalities that have a state of their own at the API.
var stated = []string{"email", "sms", "calendar", "chat", "contacts", "location", "weather"}

// lacks reports whether a call failed because the environment has no such modality: an
// imported one has only those of its scenario.
func lacks(err error) bool {
	e, ok := errors.AsType[*ues.Error](err)
	return ok && e.Status == http.StatusInternalServerError && (e.Type == "KeyError" || strings.Contains(e.Detail, "not found in environment"))
}

// orNone takes the zero value for what an environment lacks.
func orNone[T any](v T, err error) (T, error) {
	if lacks(err) {
		var none T
		return none, nil
	}
	return v, err
}

// snapshot gives {time, states}: the full state of each modality by name.
func snapshot(r *run) (any, error) {
	names, _ := r.args.([]any)
	all := len(names) == 0
	if all {
		names = texts(stated)
	}
	now, err := r.env.Admin.Time().Get(r.ctx)
	if err != nil {
		return nil, err
	}
	states := map[string]any{}
	for _, n := range names {
		name := fmt.Sprint(n)
		state, err := r.state(name)
		if all && lacks(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		states[name] = state
	}
	return map[string]any{"time": stamp(now.CurrentTime.Time), "states": states}, nil
}

func (r *run) state(name string) (any, error) {
	if slices.Contains(stated, name) {
		return r.get("/" + name + "/state")
	}
	return nil, fmt.Errorf("there is no state of %.40q: use one of %s", name, strings.Join(stated, ", "))
}

func (r *run) get(path string) (any, error) {
	data, err := r.env.Admin.Call(r.ctx, http.MethodGet, path, nil)
	if err != nil {
		return nil, err
	}
	return source.DecodeJSON(data)
}

// summary gives {time, email, sms, calendar, chat}: what an assistant is told of the
// world as it begins.
func summary(r *run) (any, error) {
	now, err := r.env.Admin.Time().Get(r.ctx)
	if err != nil {
		return nil, err
	}
	email, err := orNone(r.env.Admin.Email().State(r.ctx))
	if err != nil {
		return nil, err
	}
	sms, err := orNone(r.env.Admin.SMS().State(r.ctx))
	if err != nil {
		return nil, err
	}
	calendar, err := orNone(r.env.Admin.Calendar().State(r.ctx))
	if err != nil {
		return nil, err
	}
	chat, err := orNone(r.env.Admin.Chat().State(r.ctx))
	if err != nil {
		return nil, err
	}
	return map[string]any{
		"time": stamp(now.CurrentTime.Time),
		"email": map[string]any{
			"total_emails": email.TotalEmailCount, "total_threads": len(email.Threads), "unread": email.UnreadCount, "draft_count": len(email.Folders["drafts"]),
		},
		"sms": map[string]any{"total_messages": sms.TotalMessageCount, "total_conversations": len(sms.Conversations), "unread": sms.UnreadCount},
		"calendar": map[string]any{
			"event_count": len(calendar.Events), "calendar_count": len(calendar.Calendars), "events_today": onDay(calendar.Events, now.CurrentTime.Time),
		},
		"chat": map[string]any{"total_messages": chat.TotalMessageCount, "conversation_count": chat.ConversationCount},
	}, nil
}

// onDay counts entries that begin on the day of an instant, dates as they are written.
func onDay(events map[string]ues.CalendarEvent, at time.Time) int {
	n := 0
	for id := range events {
		if events[id].Start.Format(time.DateOnly) == at.Format(time.DateOnly) {
			n++
		}
	}
	return n
}
