package key

import (
	"encoding/hex"
	"fmt"
)

// Record is a key as it can be kept and restored: with the SHA-256 of its secret, in
// hexadecimal, in place of the secret.
type Record struct {
	Key Key    `json:"key"`
	Sum string `json:"sum"`
}

// Records gives all keys but the admin's, in order of creation.
func (r *Registry) Records() []Record {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []Record
	for _, e := range r.keys {
		if e.ID != r.admin {
			out = append(out, Record{Key: e.Key, Sum: hex.EncodeToString(e.sum[:])})
		}
	}
	return out
}

// Restore adds keys that were recorded. It gives ErrFull at 100,000 keys, and an error for
// a sum that is none and for an id that is there already.
func (r *Registry) Restore(records []Record) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.keys)+len(records) > limit {
		return ErrFull
	}
	for _, rec := range records {
		e := &entry{Key: rec.Key, grants: NewGrants(rec.Key.Permissions)}
		sum, err := hex.DecodeString(rec.Sum)
		if err != nil || copy(e.sum[:], sum) != len(sum) || len(sum) != len(e.sum) {
			return fmt.Errorf("key %s: its sum is not a SHA-256", rec.Key.ID)
		}
		if r.byID[e.ID] != nil {
			return fmt.Errorf("key %s is there twice", e.ID)
		}
		r.enter(e)
	}
	return nil
}
