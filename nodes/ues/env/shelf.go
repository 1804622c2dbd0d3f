package env

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Shelf keeps the environments of threads, and the keys that were made, from one
// process to the next.
type Shelf interface {
	// Load returns what was saved under a name, fs.ErrNotExist when nothing was.
	Load(name string) ([]byte, error)
	// Save replaces what is saved under a name, all or nothing.
	Save(name string, data []byte) error
}

// Files is a shelf of files in a directory, which is made when it is needed. Only its
// owner can read them: they hold keys. What is saved survives the process; after a loss
// of power it is whole, but may be what was saved before.
type Files struct{ Dir string }

// path is the file of a name: any text makes a name, so the file has its hash.
func (f Files) path(name string) string {
	sum := sha256.Sum256([]byte(name))
	return filepath.Join(f.Dir, hex.EncodeToString(sum[:16])+".json")
}

// Load reads a file.
func (f Files) Load(name string) ([]byte, error) {
	data, err := os.ReadFile(f.path(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fs.ErrNotExist
	}
	return data, err
}

// Save writes a file beside the old one and puts it in its place.
func (f Files) Save(name string, data []byte) error {
	if err := os.MkdirAll(f.Dir, 0o700); err != nil {
		return fmt.Errorf("keep the environment: %w", err)
	}
	tmp, err := os.CreateTemp(f.Dir, "tmp-*") // mode 0600
	if err != nil {
		return fmt.Errorf("keep the environment: %w", err)
	}
	if _, err = tmp.Write(data); err == nil {
		err = tmp.Sync() // or else a power cut after the renaming could leave an empty file
	}
	err = errors.Join(err, tmp.Close())
	if err == nil {
		err = os.Rename(tmp.Name(), f.path(name))
	}
	if err != nil {
		return errors.Join(fmt.Errorf("keep the environment: %w", err), os.Remove(tmp.Name()))
	}
	return nil
}
