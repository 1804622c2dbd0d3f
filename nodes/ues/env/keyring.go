package env

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync"
)

// keyPrefix begins the name by which data speaks of a key whose secret is in a keyring.
const keyPrefix = "ues-key:"

// ringName is the keyring's name on the shelf.
const ringName = "keys"

// keyring keeps the secrets of keys that nodes made, by the id of the key. Data, and so
// the journal, has names only.
type keyring struct {
	shelf Shelf // nil: in memory only

	mu      sync.Mutex
	secrets map[string]string // nil: not read yet
}

// put keeps a secret and returns the key's name.
func (k *keyring) put(id, secret string) (string, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if err := k.read(); err != nil {
		return "", err
	}
	k.secrets[id] = secret
	return keyPrefix + id, k.save()
}

// drop forgets a secret.
func (k *keyring) drop(id string) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if err := k.read(); err != nil {
		return err
	}
	if _, has := k.secrets[id]; !has {
		return nil
	}
	delete(k.secrets, id)
	return k.save()
}

// get returns the secret of a name. named is false when the text is no name.
func (k *keyring) get(name string) (secret string, named bool, err error) {
	id, named := strings.CutPrefix(name, keyPrefix)
	if !named {
		return "", false, nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if err := k.read(); err != nil {
		return "", true, err
	}
	secret, has := k.secrets[id]
	if !has {
		return "", true, fmt.Errorf("the secret of key %s is not known here: it was revoked, or another process made it and kept nothing", id)
	}
	return secret, true, nil
}

func (k *keyring) read() error {
	if k.secrets != nil {
		return nil
	}
	secrets := map[string]string{}
	if k.shelf != nil {
		data, err := k.shelf.Load(ringName)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("read the keys of environments: %w", err)
		}
		if len(data) > 0 {
			if err := json.Unmarshal(data, &secrets); err != nil {
				return fmt.Errorf("read the keys of environments: %w", err)
			}
		}
	}
	k.secrets = secrets
	return nil
}

func (k *keyring) save() error {
	if k.shelf == nil {
		return nil
	}
	data, err := json.Marshal(k.secrets)
	if err != nil {
		return err
	}
	return k.shelf.Save(ringName, data)
}
