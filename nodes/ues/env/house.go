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
	"github.com/weft-engine/weft/engine/source"
	"github.com/weft-engine/weft/nodes/ues"
	"github.com/weft-engine/weft/nodes/ues/process"
	"github.com/weft-engine/weft/nodes/ues/simulator"
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

// furnish brings the world into the state in which it was left, or begins with the
// scenario, and starts it.
func (h *house) furnish(place *Place) error {
	sim := h.server.Simulator()
	world, err := h.load()
	if err == nil && world == nil && place != nil && place.Scenario != nil {
		world, err = source.AppendJSON(nil, place.Scenario)
	}
	if err != nil {
		return err
	}
	if world != nil {
		if _, err := sim.Import(world, false); err != nil {
			return fmt.Errorf("load the scenario: %w", err)
		}
	}
	if err := sim.Start(false, 1); err != nil {
		return fmt.Errorf("start the simulation: %w", err)
	}
	return nil
}

func (h *house) load() ([]byte, error) {
	if h.shelf == nil {
		return nil, nil
	}
	data, err := h.shelf.Load(h.name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var was kept
	if err := json.Unmarshal(data, &was); err != nil {
		return nil, fmt.Errorf("what was kept of it cannot be read: %w", err)
	}
	h.agents = was.Agents
	return was.World, nil
}

// save keeps the world.
func (h *house) save() error {
	if h.shelf == nil {
		return nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	data, err := json.Marshal(kept{World: h.server.Simulator().Export("", ""), Agents: h.agents})
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
