package env

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/secret"
	"github.com/weft-engine/weft/nodes/ues"
)

// The bounds of what a Keeper has open.
const (
	maxHouses  = 1000
	maxRemotes = 1000
)

// Keeper opens environments. Now and Wait are required for those inside this process,
// Vault for those elsewhere; the fields are set before the first call and then left
// alone. It is safe for concurrent use. Close it.
type Keeper struct {
	Vault *secret.Vault
	Now   func() time.Time // the wall clock
	Wait  func(ctx context.Context, d time.Duration) error
	HTTP  *http.Client // to environments elsewhere; nil: the client's own

	// IDs are random bytes for the identifiers in a thread's environment; nil is the
	// system's randomness. With a Shelf they must not repeat.
	IDs func(thread engine.ThreadID) io.Reader

	// Shelf keeps environments of threads and made keys; nil keeps nothing.
	Shelf Shelf

	// Inside refuses environments elsewhere: nothing reaches the network.
	Inside bool

	mu      sync.Mutex
	houses  map[engine.ThreadID]*house
	remotes map[[sha256.Size]byte]Environment
	ring    *keyring
	closed  bool
}

// Environment is one that is open.
type Environment struct {
	Admin *ues.Client // as who runs it, as far as the key goes
	User  *ues.Client // as its user
	Clock *Clock
	// Agents are the key_ids under which this environment's user may have acted; nil when
	// they are not known.
	Agents []string
}

// errClosed is what a Keeper says after Close.
var errClosed = errors.New("the environments are closed: the program ends")

// Open opens the environment that a target means for a thread. It asks nothing of one
// elsewhere yet.
func (k *Keeper) Open(ctx context.Context, thread engine.ThreadID, t Target) (Environment, error) {
	if k == nil {
		return Environment{}, errors.New("this program has no simulated environments")
	}
	if err := ctx.Err(); err != nil {
		return Environment{}, err
	}
	key, err := k.key(t)
	if err != nil {
		return Environment{}, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.closed {
		return Environment{}, errClosed
	}
	url := t.URL
	if url == "" && t.Place != nil {
		url = t.Place.URL
	}
	if url != "" {
		if k.Inside {
			return Environment{}, fmt.Errorf("the environment at %s is not reached: there is no network here", url)
		}
		return k.elsewhere(url, key)
	}
	h, err := k.house(ctx, thread, t.Place)
	if err != nil {
		return Environment{}, err
	}
	env := h.env
	if key != "" {
		env.Admin, env.User, env.Agents = env.Admin.With(key), env.Admin.With(key), nil
	}
	return env, nil
}

// key is the secret that a target means, "" for none.
func (k *Keeper) key(t Target) (string, error) {
	switch {
	case t.Key != "":
		value, named, err := k.keys().get(t.Key)
		if err != nil {
			return "", err
		}
		if !named {
			value = t.Key
		}
		if k.Vault != nil {
			k.Vault.Learn(value)
		}
		return value, nil
	case !t.Ref.IsZero():
		return k.resolve(t.Ref)
	case t.URL == "" && t.Place != nil && !t.Place.Key.IsZero():
		return k.resolve(t.Place.Key)
	}
	return "", nil
}

func (k *Keeper) resolve(ref secret.Ref) (string, error) {
	if k.Vault == nil {
		return "", errors.New("this program has no secrets")
	}
	return k.Vault.Resolve(ref)
}

func (k *Keeper) keys() *keyring {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.ring == nil {
		k.ring = &keyring{shelf: k.Shelf}
	}
	return k.ring
}

// KeepKey keeps the secret of a key that was made, and returns the name by which data
// may speak of it: At takes such a name for a key. The secret is struck from journals.
func (k *Keeper) KeepKey(made ues.NewKey) (name string, err error) {
	if k.Vault != nil {
		k.Vault.Learn(made.Secret)
	}
	return k.keys().put(made.KeyID, made.Secret)
}

// DropKey forgets the secret of a key that was revoked.
func (k *Keeper) DropKey(id string) error { return k.keys().drop(id) }

// Secret returns what a name of KeepKey stands for, for whom a key is handed to.
func (k *Keeper) Secret(name string) (string, error) {
	value, named, err := k.keys().get(name)
	if err == nil && !named {
		err = errors.New("this is no name of a key that a create_key made")
	}
	return value, err
}

// elsewhere opens an environment at a URL.
func (k *Keeper) elsewhere(url, key string) (Environment, error) {
	id := sha256.Sum256([]byte(url + "\x00" + key))
	if e, open := k.remotes[id]; open {
		return e, nil
	}
	if len(k.remotes) >= maxRemotes {
		return Environment{}, fmt.Errorf("%d environments are open, the limit", maxRemotes)
	}
	e, err := k.remote(url, key)
	if err != nil {
		return Environment{}, err
	}
	if k.remotes == nil {
		k.remotes = map[[sha256.Size]byte]Environment{}
	}
	k.remotes[id] = e
	return e, nil
}

func (k *Keeper) remote(url, key string) (Environment, error) {
	watched := &watching{}
	inner := http.Client{}
	if k.HTTP != nil {
		inner = *k.HTTP
	}
	if watched.inner = inner.Transport; watched.inner == nil {
		watched.inner = &http.Transport{MaxIdleConnsPerHost: 16, IdleConnTimeout: 30 * time.Second}
	}
	inner.Transport = watched
	c, err := ues.New(ues.Options{URL: url, Key: key, HTTP: &inner})
	if err != nil {
		return Environment{}, err
	}
	clock := newClock(readTime(c), k.Now)
	watched.changed = func() error { clock.Moved(); return nil }
	return Environment{Admin: c, User: c, Clock: clock}, nil
}

// timeTimeout bounds how long a clock may take to answer.
const timeTimeout = 5 * time.Second

// readTime asks an environment for its time.
func readTime(c *ues.Client) func() (time.Time, error) {
	return func() (time.Time, error) {
		ctx, cancel := context.WithTimeout(context.Background(), timeTimeout)
		defer cancel()
		now, err := c.Time().Get(ctx)
		return now.CurrentTime.UTC(), err
	}
}

// watching tells of calls that may have changed an environment.
type watching struct {
	inner   http.RoundTripper
	changed func() error // its error is the call's: what was changed was not kept
}

// RoundTrip makes a call. One whose answer was lost may have changed something, too.
func (w *watching) RoundTrip(req *http.Request) (*http.Response, error) {
	res, err := w.inner.RoundTrip(req)
	if !changes(req) || w.changed == nil {
		return res, err
	}
	if unkept := w.changed(); unkept != nil {
		if err == nil {
			_ = res.Body.Close() // nobody gets it
		}
		return nil, errors.Join(err, unkept)
	}
	return res, err
}

// changes reports whether a call may change anything.
func changes(req *http.Request) bool {
	return req.Method != http.MethodGet && !strings.HasSuffix(req.URL.Path, "/query") && req.URL.Path != "/environment/validate"
}

// Close ends the environments inside this process.
func (k *Keeper) Close() error {
	if k == nil {
		return nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.closed = true
	var errs []error
	for _, h := range k.houses {
		errs = append(errs, h.server.Stop())
	}
	k.houses = nil
	return errors.Join(errs...)
}

// ClockOf returns the time of the environment that a thread of a spec lives in.
func (k *Keeper) ClockOf(ctx context.Context, thread engine.ThreadID, environment any) (engine.Clock, error) {
	place, _ := environment.(*Place)
	e, err := k.Open(ctx, thread, Target{Place: place})
	if err != nil {
		return nil, err
	}
	if _, err := e.Clock.first(); err != nil {
		return nil, fmt.Errorf("read the simulated time: %w", err)
	}
	return e.Clock, nil
}
