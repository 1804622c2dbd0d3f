package env

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/nodes/ues"
	"github.com/weft-engine/weft/nodes/ues/process"
	"github.com/weft-engine/weft/nodes/ues/simulator"
	"github.com/weft-engine/weft/nodes/ues/simulator/key"
	"github.com/weft-engine/weft/nodes/ues/simulator/world"
)

// house is the environment of a thread inside this process.
type house struct {
	name   string
	server *process.Server
	shelf  Shelf
	agents []string // key_ids of its user, in this process and before
	env    Environment

	mu sync.Mutex // one save at a time
}

// kept is a house as it is on the shelf.
type kept struct {
	World  json.RawMessage `json:"world"` // a scenario, wrapped as it is exported
	Left   simulator.Left  `json:"left"`  // absent in old files: it ran
	Agents []string        `json:"agents"`
}

// house returns the environment of a thread: one that is open, else one from the shelf,
// else a new one.
func (k *Keeper) house(ctx context.Context, thread engine.ThreadID, place *Place) (*house, error) {
	if h := k.houses[thread]; h != nil {
		return h, nil
	}
	if len(k.houses) >= maxHouses {
		return nil, fmt.Errorf("%d threads have an environment of their own in this process, the limit: use one at a url", maxHouses)
	}
	h, err := k.build(ctx, thread, place)
	if err != nil {
		return nil, fmt.Errorf("environment of thread %s: %w", thread, err)
	}
	if k.houses == nil {
		k.houses = map[engine.ThreadID]*house{}
	}
	k.houses[thread] = h
	return h, nil
}

func (k *Keeper) build(ctx context.Context, thread engine.ThreadID, place *Place) (*house, error) {
	if k.Now == nil || k.Wait == nil {
		return nil, errors.New("this program has no environments of its own: give one with a url")
	}
	opts := simulator.Options{Now: k.Now, Wait: k.Wait}
	if k.IDs != nil {
		opts.IDs = k.IDs(thread)
	}
	server, err := process.Embedded{Options: opts}.Start(ctx)
	if err != nil {
		return nil, err
	}
	h := &house{name: "thread " + string(thread), server: server, shelf: k.Shelf}
	if err = h.furnish(place); err == nil {
		err = h.connect()
	}
	if err != nil {
		return nil, errors.Join(err, server.Stop())
	}
	return h, nil
}

// furnish goes on with the world as it was left, or begins with the scenario and starts it.
func (h *house) furnish(place *Place) error {
	sim := h.server.Simulator()
	found, err := h.load()
	if err != nil || found {
		return err
	}
	if place != nil && place.Scenario != nil {
		if _, err := sim.Import(place.Scenario, false); err != nil {
			return fmt.Errorf("load the scenario: %w", err)
		}
	}
	if err := sim.Start(false, 1); err != nil {
		return fmt.Errorf("start the simulation: %w", err)
	}
	return nil
}

// load goes on with what is on the shelf, and tells whether there is anything.
func (h *house) load() (found bool, err error) {
	if h.shelf == nil {
		return false, nil
	}
	data, err := h.shelf.Load(h.name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	was := kept{Left: simulator.Left{Left: world.Left{Running: true, Manual: true}}}
	if err == nil {
		err = json.Unmarshal(data, &was)
	}
	if err == nil {
		h.agents = was.Agents
		err = h.server.Simulator().Continue(was.World, was.Left)
	}
	if err != nil {
		return false, fmt.Errorf("what was kept of it cannot be read: %w", err)
	}
	return true, nil
}

// save keeps the world.
func (h *house) save() error {
	if h.shelf == nil {
		return nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	text, left := h.server.Simulator().Leave()
	left.Keys = slices.DeleteFunc(left.Keys, func(r key.Record) bool { return slices.Contains(h.agents, r.Key.ID) }) // each process has its own
	data, err := json.Marshal(kept{World: text, Left: left, Agents: h.agents})
	if err != nil {
		return err
	}
	return h.shelf.Save(h.name, data)
}

// userName is the name of the key with which tools act.
const userName = "Weft, as the user"

// connect makes the clients of the world: one with all rights, and one of its user.
func (h *house) connect() error {
	watched := &watching{inner: h.server.HTTP().Transport}
	admin, err := ues.New(ues.Options{URL: h.server.URL(), Key: h.server.Secret(), HTTP: &http.Client{Transport: watched}})
	if err != nil {
		return err
	}
	sim := h.server.Simulator()
	id, _ := sim.Admin()
	user, secret, err := sim.Keys().Create(userName, ues.UserPermissions(), id)
	if err != nil {
		return err
	}
	h.agents = append(slices.Clip(h.agents), user.ID)
	clock := newClock(func() (time.Time, error) { return sim.Clock().Now.Go(), nil }, nil)
	watched.changed = func() error {
		clock.Moved()
		return h.save()
	}
	h.env = Environment{Admin: admin, User: admin.With(secret), Clock: clock, Agents: h.agents}
	return nil
}
