package sqlite

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/gofrs/flock"
)

// owner is a living Store: it holds the lock on a file beside the database until it
// is closed or its process ends, however it ends.
type owner struct {
	db   string // path of the database
	id   string
	lock *flock.Flock
}

// newOwner takes a new lock.
func newOwner(db string) (*owner, error) {
	for {
		var id [8]byte
		if _, err := rand.Read(id[:]); err != nil {
			return nil, err
		}
		o := &owner{db: db, id: hex.EncodeToString(id[:])}
		o.lock = flock.New(o.path("lock"), flock.SetFlag(os.O_CREATE|os.O_EXCL|os.O_RDWR))
		mine, err := o.lock.TryLock()
		if err != nil {
			return nil, err
		}
		// Somebody who looks for dead owners may have come in between.
		if mine && o.held() {
			return o, nil
		}
		_ = o.lock.Close()
	}
}

// held reports whether the lock is on the file that others see.
func (o *owner) held() bool {
	mine, err := o.lock.Stat()
	if err != nil {
		return false
	}
	theirs, err := os.Stat(o.path("lock"))
	return err == nil && os.SameFile(mine, theirs)
}

// path is a file of this owner's beside the database.
func (o *owner) path(suffix string) string { return ownerPath(o.db, o.id) + suffix }

// ownerPath is what the names of an owner's files begin with.
func ownerPath(db, id string) string { return db + ".owner-" + id + "." }

// release ends all leases of the owner.
func (o *owner) release() error {
	// An open file cannot be removed everywhere, so close it first.
	err := o.lock.Close()
	if e := os.Remove(o.path("lock")); e != nil && !errors.Is(e, fs.ErrNotExist) {
		err = errors.Join(err, e)
	}
	return err
}

// named is how a lease of this owner's is stored.
func (o *owner) named(name string) string { return o.id + "/" + name }

// alive reports whether the owner with the id still has its lock.
func (o *owner) alive(id string) bool {
	if id == o.id {
		return true
	}
	lock, alive := o.probe(id)
	if lock != nil {
		_ = lock.Close()
	}
	return alive
}

// probe looks whether another owner has its lock. If it has not, and its file is
// there, probe returns a shared lock on it. Shared locks let any number look at
// once without taking each other for the owner.
func (o *owner) probe(id string) (lock *flock.Flock, alive bool) {
	if !isID(id) {
		return nil, false
	}
	lock = flock.New(ownerPath(o.db, id)+"lock", flock.SetFlag(os.O_RDONLY))
	free, err := lock.TryRLock()
	switch {
	case free:
		return lock, false
	case errors.Is(err, fs.ErrNotExist):
		return nil, false
	}
	_ = lock.Close()
	return nil, true // one who cannot be asked keeps the lease
}

// holder splits a stored lease. A lease whose owner is gone is none.
func (o *owner) holder(stored string) (id, name string) {
	id, name, _ = strings.Cut(stored, "/")
	if stored == "" || !o.alive(id) {
		return "", ""
	}
	return id, name
}

// free reports whether one who is named so may take or keep the lease.
func (o *owner) free(stored, named string) bool {
	if stored == "" || stored == named {
		return true
	}
	id, _ := o.holder(stored)
	return id == ""
}

// isID reports whether an id, which comes from the database, is fit for a file name.
func isID(id string) bool {
	_, err := hex.DecodeString(id)
	return err == nil && len(id) == 16
}

// removeDead removes the files of owners that are gone. What cannot be removed does no harm.
func removeDead(db string) {
	entries, err := os.ReadDir(filepath.Dir(db))
	if err != nil {
		return
	}
	nobody := &owner{db: db}
	prefix := filepath.Base(db) + ".owner-"
	for _, e := range entries {
		rest, ok := strings.CutPrefix(e.Name(), prefix)
		if id, _, dot := strings.Cut(rest, "."); ok && dot && isID(id) {
			nobody.bury(id, filepath.Join(filepath.Dir(db), e.Name()))
		}
	}
}

// bury removes a file of an owner that is gone.
func (o *owner) bury(id, path string) {
	lock, alive := o.probe(id)
	if alive {
		return
	}
	// Under the lock, so that a new owner who has made its file, but does not have
	// its lock yet, cannot get it in between; see newOwner.
	err := os.Remove(path)
	if lock != nil && lock.Close() == nil && err != nil {
		_ = os.Remove(path) // where an open file cannot be removed
	}
}
