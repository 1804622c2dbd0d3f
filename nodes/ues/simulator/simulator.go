package simulator

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"github.com/weft-engine/weft/nodes/ues/simulator/accesslog"
	"github.com/weft-engine/weft/nodes/ues/simulator/endpoint"
	"github.com/weft-engine/weft/nodes/ues/simulator/feed"
	"github.com/weft-engine/weft/nodes/ues/simulator/ident"
	"github.com/weft-engine/weft/nodes/ues/simulator/key"
	"github.com/weft-engine/weft/nodes/ues/simulator/modality"
	"github.com/weft-engine/weft/nodes/ues/simulator/webhook"
	"github.com/weft-engine/weft/nodes/ues/simulator/world"
)

// Version is the version of UES that the simulator speaks.
const Version = "0.3.0"

// MaxBody is the size of the largest request body that is read, in bytes.
const MaxBody = 12 << 20

// tick is how often auto-advance looks at the wall clock.
const tick = 10 * time.Millisecond

// Options are the parts of a Simulator. Now and Wait are required.
type Options struct {
	// Now is the wall clock. It gives the start time of the world, and times of keys, logs
	// and holds.
	Now func() time.Time

	// Wait blocks for a duration or until the context ends, and then gives its error. It
	// paces auto-advance and the webhooks' retries.
	Wait func(ctx context.Context, d time.Duration) error

	// IDs are random bytes for the identifiers of the world. With a seeded stream the same
	// calls make the same world; nil is the system's randomness. Keys, secrets and log ids
	// never come from here.
	IDs io.Reader

	// AdminSecret opens everything; at least 32 characters. Empty makes a random one, see
	// Simulator.Admin.
	AdminSecret string

	// Kinds are the modalities; nil is all of them, see Kinds.
	Kinds []modality.Kind

	// Origins are the web origins that browsers may call from.
	Origins []string

	// Client delivers webhooks; nil is one that follows no redirects.
	Client *http.Client

	Log zerolog.Logger
}

// Simulator is one simulated world with its doors: it is an http.Handler, and its methods
// are the way in for the same process. It is safe for concurrent use. Close it.
type Simulator struct {
	opts  Options
	keys  *key.Registry
	log   accesslog.Log
	hub   *feed.Hub
	hooks *webhook.Registry
	ids   *ident.Source // of the log
	table *table
	gate  gate

	ctx    context.Context //nolint:containedctx // the life of the loop, ended by Close
	cancel context.CancelFunc
	loops  sync.WaitGroup

	mu      sync.Mutex // guards the world and looping
	world   *world.World
	looping bool
}

// New makes a simulator in the state of a fresh server.
func New(opts Options) (*Simulator, error) {
	if opts.Now == nil || opts.Wait == nil {
		return nil, errors.New("a simulator needs Now and Wait")
	}
	if opts.IDs == nil {
		opts.IDs = rand.Reader
	}
	if opts.Kinds == nil {
		opts.Kinds = Kinds()
	}
	if opts.Client == nil {
		opts.Client = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	}
	secrets := ident.New(rand.Reader)
	keys, err := key.NewRegistry(key.Options{Now: opts.Now, NewHex: secrets.Hex}, opts.AdminSecret)
	if err != nil {
		return nil, fmt.Errorf("make the admin key: %w", err)
	}
	s := &Simulator{opts: opts, keys: keys, ids: secrets, hub: feed.New(opts.Now), gate: newGate()}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.hooks = webhook.NewRegistry(webhook.Options{
		Now: opts.Now, Wait: opts.Wait, NewHex: secrets.Hex, Client: opts.Client, Hub: s.hub,
	})
	s.world = world.New(world.Options{
		Kinds: opts.Kinds, Now: opts.Now, NewID: ident.New(opts.IDs).UUID, Version: Version, Tell: s.hub.Publish,
	})
	s.table = newTable(s.routes())
	return s, nil
}

// routes are all endpoints that need a key.
func (s *Simulator) routes() []modality.Route {
	var all []modality.Route
	all = append(all, endpoint.Time(s.world)...)
	all = append(all, endpoint.Simulation(s.world)...)
	all = append(all, endpoint.Scenario(s.world)...)
	all = append(all, endpoint.Environment(s.world)...)
	all = append(all, endpoint.Events(s.world)...)
	all = append(all, endpoint.Keys(s.keys)...)
	all = append(all, endpoint.Logs(&s.log)...)
	all = append(all, endpoint.Webhooks(s.hooks, s.opts.Now)...)
	for i := range s.opts.Kinds {
		all = append(all, s.opts.Kinds[i].Routes...)
	}
	return all
}

// Close stops the simulation and everything that runs beside requests, and waits for it.
func (s *Simulator) Close() {
	s.with(func(w *world.World) { w.Stop() })
	s.cancel()
	s.hub.Close()
	s.hooks.Close()
	s.loops.Wait()
}

// Admin is the id and the secret of the admin key.
func (s *Simulator) Admin() (id, secret string) { return s.keys.Admin() }

// Keys are the API keys.
func (s *Simulator) Keys() *key.Registry { return s.keys }

// with runs f on the world, alone, and sees to it that time moves by itself when it should.
func (s *Simulator) with(f func(w *world.World)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f(s.world)
	if s.world.Moving() && !s.looping && s.ctx.Err() == nil {
		s.looping = true
		s.loops.Go(s.loop)
	}
}

// loop moves time by itself until the simulation stops.
func (s *Simulator) loop() {
	for {
		stopped := s.opts.Wait(s.ctx, tick) != nil
		s.mu.Lock()
		if stopped || !s.world.Moving() {
			s.looping = false
			s.mu.Unlock()
			return
		}
		s.world.Tick()
		s.mu.Unlock()
	}
}
