package act

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"slices"

	"github.com/weft-engine/weft/engine/source"
	"github.com/weft-engine/weft/nodes/ues"
)

// errNoEvent is an act that leaves no trace of its own.
var errNoEvent = errors.New("nothing tells whether it was done")

// Find looks an act up that may have been made, by one of these agents; none is any. A
// chat message carries the key of its call; of anything else the newest event with the
// same content counts, so an act that is the same as an earlier one of the same agent
// is taken for it. c needs the permission events:list.
func (a *Action) Find(ctx context.Context, c *ues.Client, agents []string, args map[string]any, key string) (result any, found bool, err error) {
	if a.op == "" {
		return nil, false, errNoEvent
	}
	body, err := a.body(ctx, c, args, key)
	if err != nil {
		return nil, false, err
	}
	list, err := c.Events().List(ctx, ues.EventQuery{Status: ues.Executed, Modality: a.modal})
	if err != nil {
		return nil, false, err
	}
	for i := range slices.Backward(list.Events) {
		e := &list.Events[i]
		if len(agents) > 0 && (e.AgentID == nil || !slices.Contains(agents, *e.AgentID)) {
			continue
		}
		data, err := decode(e.Data)
		if err != nil {
			return nil, false, err
		}
		if did, ok := data.(map[string]any); ok && did["operation"] == a.op && a.says(body, did) {
			id := ""
			if a.modal == "calendar" {
				id, _ = did["event_id"].(string)
			}
			return Result{EventID: e.EventID, Message: a.Name + " was done before", Time: e.ScheduledTime.String(), ID: id}.Plain(), true, nil
		}
	}
	return nil, false, nil
}

// says reports whether an event says what a body says. What the body leaves out, the
// event may have.
func (a *Action) says(body, did fields) bool {
	for name, want := range body {
		if !same(want, did[name]) {
			return false
		}
	}
	return true
}

// same compares plain data. Instants are compared as such, and an object may have more
// than is wanted of it: the server fills in defaults.
func same(want, got any) bool {
	switch want := want.(type) {
	case string:
		return sameText(want, got)
	case []any:
		have, _ := got.([]any)
		return len(want) == len(have) && !slices.ContainsFunc(indexes(want), func(i int) bool { return !same(want[i], have[i]) })
	case map[string]any:
		have, ok := got.(map[string]any)
		for name := range want {
			if !ok || !same(want[name], have[name]) {
				return false
			}
		}
		return ok
	}
	return reflect.DeepEqual(number(want), number(got))
}

func sameText(want string, got any) bool {
	have, ok := got.(string)
	if !ok || want == have {
		return ok
	}
	a, errA := ues.ParseTime(want)
	b, errB := ues.ParseTime(have)
	return errA == nil && errB == nil && a.Equal(b.Time)
}

func indexes(list []any) []int {
	out := make([]int, len(list))
	for i := range out {
		out[i] = i
	}
	return out
}

// number gives whole numbers as decimals: a server may write 1.0 for 1.
func number(v any) any {
	if n, ok := v.(int); ok {
		return float64(n)
	}
	return v
}

// Scheduled looks up an event that may have been scheduled, by its data.
func Scheduled(ctx context.Context, c *ues.Client, n ues.NewEvent) (*ues.Event, error) {
	raw, err := json.Marshal(n.Data)
	if err != nil {
		return nil, err
	}
	want, err := source.DecodeJSON(raw)
	if err != nil {
		return nil, err
	}
	list, err := c.Events().List(ctx, ues.EventQuery{Start: n.ScheduledTime.Time, End: n.ScheduledTime.Time, Modality: n.Modality})
	if err != nil {
		return nil, err
	}
	for i := range slices.Backward(list.Events) {
		e := &list.Events[i]
		got, err := decode(e.Data)
		if err != nil {
			return nil, err
		}
		if e.Status != ues.Cancelled && same(want, got) {
			return e, nil
		}
	}
	return nil, nil
}
