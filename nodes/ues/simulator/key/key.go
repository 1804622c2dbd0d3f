// Package key keeps the API keys of a simulator: who may do what. A key's secret is
// kept as its SHA-256 only and is shown once, when the key is made. Everything lives in
// memory and outlives clears, resets and imports of the world.
package key

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
)

// What a caller can do wrong with a key.
var (
	ErrNotFound = errors.New("no such key")
	ErrRevoked  = errors.New("key is already revoked")
	ErrAdmin    = errors.New("the admin key cannot be revoked")
	ErrFull     = errors.New("too many keys")
)

// MinAdminSecret is the least length of the admin's secret, in characters.
const MinAdminSecret = 32

// limit bounds the memory that somebody with keys:create can take; revoked keys count.
const limit = 100_000

// Key is one key as it may be shown: without its secret. Times are wall-clock instants
// of microsecond precision; zero means never. It is a copy, to keep.
type Key struct {
	ID          string // ues_ and 16 hexadecimal digits; public
	Name        string
	Permissions []string
	CreatedAt   time.Time
	CreatedBy   string // the id of the key that made it, or empty
	LastUsedAt  time.Time
	RevokedAt   time.Time
}

// Active answers whether the key still opens anything.
func (k *Key) Active() bool { return k.RevokedAt.IsZero() }

// entry is a key with what checks need.
type entry struct {
	Key
	grants Grants
	sum    [sha256.Size]byte // of the secret
}

// Caller is the holder of a key for the length of one request.
type Caller struct {
	ID, Name string
	grants   *Grants
}

// May answers whether the caller holds a permission.
func (c Caller) May(permission string) bool { return c.grants != nil && c.grants.Allow(permission) }

// Options are the parts of a Registry.
type Options struct {
	Now    func() time.Time   // the wall clock
	NewHex func(n int) string // n random bytes in hexadecimal; secrets are made of it, so it must not be seeded
}

// Registry holds all keys ever made, the admin's first. It is safe for concurrent use.
type Registry struct {
	opts   Options
	mu     sync.Mutex
	keys   []*entry
	byID   map[string]*entry
	bySum  map[[sha256.Size]byte]*entry
	admin  string
	secret string
}

// NewRegistry starts with the admin key. An empty secret makes a random one, which
// AdminSecret tells; a short one is an error.
func NewRegistry(opts Options, secret string) (*Registry, error) {
	r := &Registry{opts: opts, byID: map[string]*entry{}, bySum: map[[sha256.Size]byte]*entry{}}
	if secret == "" {
		secret = opts.NewHex(32)
	}
	if n := len([]rune(secret)); n < MinAdminSecret {
		return nil, fmt.Errorf("admin secret has %d characters: use at least %d", n, MinAdminSecret)
	}
	r.secret = secret
	r.admin = r.add("Admin Key", []string{"*"}, "", secret).ID
	return r, nil
}

// Admin is the id and the secret of the admin key.
func (r *Registry) Admin() (id, secret string) { return r.admin, r.secret }

// Create makes a key with a fresh secret. by is the id of the key that asked.
// It gives ErrFull at 100,000 keys, revoked ones counted.
func (r *Registry) Create(name string, permissions []string, by string) (Key, string, error) {
	secret := r.opts.NewHex(32)
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.keys) >= limit {
		return Key{}, "", ErrFull
	}
	return r.add(name, slices.Clone(permissions), by, secret).Key, secret, nil
}

func (r *Registry) add(name string, permissions []string, by, secret string) *entry {
	e := &entry{
		Key: Key{
			ID: "ues_" + r.opts.NewHex(8), Name: name, Permissions: permissions,
			CreatedAt: r.now(), CreatedBy: by,
		},
		grants: NewGrants(permissions), sum: sha256.Sum256([]byte(secret)),
	}
	r.enter(e)
	return e
}

func (r *Registry) enter(e *entry) {
	r.keys = append(r.keys, e)
	r.byID[e.ID], r.bySum[e.sum] = e, e
}

// Identify finds the holder of a secret and notes the use. A revoked key holds nothing.
func (r *Registry) Identify(secret string) (Caller, bool) {
	sum := sha256.Sum256([]byte(secret))
	r.mu.Lock()
	defer r.mu.Unlock()
	e, found := r.bySum[sum]
	if !found || !e.Active() {
		return Caller{}, false
	}
	e.LastUsedAt = r.now()
	return Caller{ID: e.ID, Name: e.Name, grants: &e.grants}, true
}

// Opens tells whether a secret opens anything, without noting it as a use.
func (r *Registry) Opens(secret string) bool {
	sum := sha256.Sum256([]byte(secret))
	r.mu.Lock()
	defer r.mu.Unlock()
	e, found := r.bySum[sum]
	return found && e.Active()
}

// List gives all keys in order of creation, with or without the revoked ones.
func (r *Registry) List(revoked bool) []Key {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := make([]Key, 0, len(r.keys))
	for _, e := range r.keys {
		if revoked || e.Active() {
			out = append(out, e.Key)
		}
	}
	return out
}

// Get gives one key, or ErrNotFound.
func (r *Registry) Get(id string) (Key, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if e, found := r.byID[id]; found {
		return e.Key, nil
	}
	return Key{}, ErrNotFound
}

// Revoke ends a key: ErrNotFound, ErrAdmin or ErrRevoked when it cannot.
func (r *Registry) Revoke(id string) (Key, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e, found := r.byID[id]
	switch {
	case !found:
		return Key{}, ErrNotFound
	case id == r.admin:
		return Key{}, ErrAdmin
	case !e.Active():
		return e.Key, ErrRevoked
	}
	e.RevokedAt = r.now()
	return e.Key, nil
}

func (r *Registry) now() time.Time { return r.opts.Now().UTC().Truncate(time.Microsecond) }
