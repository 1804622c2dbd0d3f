package node

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/nodes/ues"
	"github.com/weft-engine/weft/nodes/ues/act"
)

// operations are what the node can do, by the key that says so.
var operations = []operation{
	{name: "clear", effect: engine.EffectIdempotent, do: empty},
	{name: "import", effect: engine.EffectIdempotent, verbatim: true, do: load},
	{name: "start", effect: engine.EffectIdempotent, do: start},
	{name: "stop", effect: engine.EffectIdempotent, do: stop},
	{name: "snapshot", effect: engine.EffectNone, foreign: true, do: snapshot},
	{name: "summary", effect: engine.EffectNone, do: summary},
	{name: "create_key", effect: engine.EffectIdempotent, do: createKey},
	{name: "revoke_key", effect: engine.EffectIdempotent, do: revokeKey},
	{name: "inject", effect: engine.EffectOnce, do: inject, find: injected},
	{name: "schedule", effect: engine.EffectOnce, do: schedule, find: scheduled},
	{name: "collect", effect: engine.EffectNone, foreign: true, do: collect},
	{name: "query", effect: engine.EffectNone, foreign: true, do: inject},
}

// empty gives {time, events_removed}.
func empty(r *run) (any, error) {
	req := ues.ClearRequest{}
	if at, given := r.fields()["time"]; given && at != nil {
		to, err := instant(at)
		if err != nil {
			return nil, err
		}
		req.ResetTimeTo = ues.Ptr(to)
	}
	done, err := r.env.Admin.Simulation().Clear(r.ctx, req)
	return map[string]any{"time": stamp(done.CurrentTime.Time), "events_removed": done.EventsRemoved}, err
}

// load gives {events, modalities, warnings}.
func load(r *run) (any, error) {
	scenario := r.fields()
	if inner, wrapped := scenario["scenario"].(map[string]any); wrapped && scenario["metadata"] == nil {
		scenario = inner
	}
	if scenario == nil {
		return nil, fmt.Errorf("import: a scenario {metadata, environment, events} is wanted, and this is %T", r.args)
	}
	done, err := r.env.Admin.Scenario().Import(r.ctx, scenario, false)
	return map[string]any{"events": done.EventsLoaded, "modalities": texts(done.ModalitiesLoaded), "warnings": texts(done.Warnings)}, err
}

// start gives {time}. A simulation that runs goes on: a start that was repeated did no harm.
func start(r *run) (any, error) {
	req := ues.StartRequest{}
	req.AutoAdvance, _ = r.fields()["auto_advance"].(bool)
	switch scale := r.fields()["time_scale"].(type) {
	case int:
		req.TimeScale = float64(scale)
	case float64:
		req.TimeScale = scale
	}
	if _, err := r.env.Admin.Simulation().Start(r.ctx, req); err != nil && ues.StatusOf(err) != http.StatusConflict {
		return nil, err
	}
	now, err := r.env.Admin.Time().Get(r.ctx)
	return map[string]any{"time": stamp(now.CurrentTime.Time)}, err
}

// stop gives {time}.
func stop(r *run) (any, error) {
	if _, err := r.env.Admin.Simulation().Stop(r.ctx); err != nil {
		return nil, err
	}
	now, err := r.env.Admin.Time().Get(r.ctx)
	return map[string]any{"time": stamp(now.CurrentTime.Time)}, err
}

// createKey gives {key_id, name, permissions, key, url}: key names the secret, for `at`.
func createKey(r *run) (any, error) {
	permissions := ues.UserPermissions()
	if given, ok := r.fields()["permissions"].([]any); ok {
		permissions = permissions[:0]
		for _, p := range given {
			permissions = append(permissions, fmt.Sprint(p))
		}
	}
	made, err := r.env.Admin.Keys().Create(r.ctx, r.text("name"), permissions)
	if err != nil {
		return nil, err
	}
	name, err := r.keeper.KeepKey(made)
	return map[string]any{
		"key_id": made.KeyID, "name": made.Name, "permissions": texts(made.Permissions), "key": name, "url": r.env.Admin.URL(),
	}, err
}

// revokeKey gives {key_id}.
func revokeKey(r *run) (any, error) {
	id, _ := r.args.(string)
	if id == "" {
		return nil, errors.New("revoke_key: the key_id of a key is wanted")
	}
	if err := r.env.Admin.Keys().Revoke(r.ctx, id); err != nil {
		return nil, err
	}
	return map[string]any{"key_id": id}, r.keeper.DropKey(id)
}

// inject does an act, or looks something up.
func inject(r *run) (any, error) {
	args, _ := r.fields()["args"].(map[string]any)
	return r.act.Do(r.ctx, r.env.Admin, args, r.call.Key)
}

func injected(r *run) (any, bool, error) {
	args, _ := r.fields()["args"].(map[string]any)
	return r.act.Find(r.ctx, r.env.Admin, nil, args, r.call.Key)
}

// event reads the event that is to be scheduled.
func (r *run) event() (ues.NewEvent, error) {
	at, err := instant(r.fields()["time"])
	n := ues.NewEvent{ScheduledTime: ues.At(at), Modality: r.text("modality"), Data: r.fields()["data"], AgentID: r.text("agent_id")}
	if p, ok := r.fields()["priority"].(int); ok {
		n.Priority = &p
	}
	return n, err
}

// schedule gives {event_id, time}.
func schedule(r *run) (any, error) {
	n, err := r.event()
	if err != nil {
		return nil, err
	}
	e, err := r.env.Admin.Events().Create(r.ctx, n)
	return map[string]any{"event_id": e.EventID, "time": stamp(e.ScheduledTime.Time)}, err
}

func scheduled(r *run) (any, bool, error) {
	n, err := r.event()
	if err != nil {
		return nil, false, err
	}
	e, err := act.Scheduled(r.ctx, r.env.Admin, n)
	if e == nil || err != nil {
		return nil, false, err
	}
	return map[string]any{"event_id": e.EventID, "time": stamp(e.ScheduledTime.Time)}, true, nil
}

// stamp writes an instant as data has it.
func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

// instant reads an instant of data.
func instant(v any) (time.Time, error) {
	switch v := v.(type) {
	case time.Time:
		return v, nil
	case string:
		at, err := ues.ParseTime(v)
		return at.Time, err
	}
	return time.Time{}, fmt.Errorf("an instant such as 2026-01-28T06:00:00Z is wanted, and this is %T", v)
}

func texts(list []string) []any {
	out := make([]any, len(list))
	for i, s := range list {
		out[i] = s
	}
	return out
}
