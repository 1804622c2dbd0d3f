package google

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// tokenFile is a login as it is kept. The names of the first block are those that
// Google's Python libraries write, so that their files can be used.
type tokenFile struct {
	Token        string    `json:"token"`
	RefreshToken string    `json:"refresh_token"`
	TokenURI     string    `json:"token_uri"`
	ClientID     string    `json:"client_id"`
	ClientSecret string    `json:"client_secret"`
	Scopes       []string  `json:"scopes"`
	Account      string    `json:"account"`
	Expiry       time.Time `json:"expiry"`

	RevokeURI string    `json:"revoke_uri,omitempty"`
	Endpoint  string    `json:"api_endpoint,omitempty"` // of a local Google
	Created   time.Time `json:"created"`
}

// dirMode and fileMode keep logins to their owner.
const (
	dirMode  = 0o700
	fileMode = 0o600
)

// maxToken bounds a token file.
const maxToken = 64 << 10

// path is where the login of an account is kept. The address cannot lead elsewhere.
func (a *Accounts) path(account string) string {
	name := url.PathEscape(strings.ToLower(account))
	name = strings.ReplaceAll(name, "%40", "@")
	return filepath.Join(a.Dir, strings.TrimLeft(name, ".")+".json")
}

// Names returns the accounts that are logged in, sorted.
func (a *Accounts) Names() ([]string, error) {
	entries, err := os.ReadDir(a.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read logins: %w", err)
	}
	var out []string
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), ".json")
		if account, err := url.PathUnescape(name); ok && err == nil && strings.Contains(account, "@") && e.Type().IsRegular() {
			out = append(out, account)
		}
	}
	slices.Sort(out)
	return out, nil
}

// load reads a login.
func (a *Accounts) load(account string) (*tokenFile, error) {
	path := a.path(account)
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, &LoginError{Account: account, Reason: account + " is not logged in", err: ErrNoLogin}
	case err != nil:
		return nil, fmt.Errorf("read the login of %s: %w", account, err)
	case info.Size() > maxToken:
		return nil, fmt.Errorf("the login of %s in %s is no token file", account, path)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the login of %s: %w", account, err)
	}
	t := &tokenFile{}
	if err := json.Unmarshal(data, t); err != nil || t.RefreshToken == "" || t.TokenURI == "" {
		return nil, &LoginError{Account: account, Reason: "the login of " + account + " in " + path + " cannot be read", err: ErrNoLogin}
	}
	if err := t.check(); err != nil {
		return nil, fmt.Errorf("the login of %s in %s: %w", account, path, err)
	}
	t.Account = strings.ToLower(account) // Google's libraries leave it empty; the file's name counts
	return t, nil
}

// check refuses addresses to which a secret must not go.
func (t *tokenFile) check() error {
	for _, text := range []string{t.TokenURI, t.RevokeURI} {
		u, err := url.Parse(text)
		switch {
		case text == "":
		case err != nil || u.Host == "":
			return fmt.Errorf("%q is no address", text)
		case u.Scheme != "https" && !Loopback(text):
			return fmt.Errorf("%q is not reached by https", text)
		}
	}
	if t.Endpoint != "" && (!Loopback(t.Endpoint) || !Loopback(t.TokenURI)) {
		return fmt.Errorf("api_endpoint %q: only a local Google has one", t.Endpoint)
	}
	return nil
}

// Loopback reports whether an address is on this machine: http(s)://127.0.0.1:port.
func Loopback(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.User != nil {
		return false
	}
	if u.Hostname() == "localhost" {
		return true
	}
	addr, err := netip.ParseAddr(u.Hostname())
	return err == nil && addr.IsLoopback()
}

// save writes a login so that it is there whole or not at all, and readable by its owner.
func (a *Accounts) save(t *tokenFile) error {
	if err := os.MkdirAll(a.Dir, dirMode); err != nil {
		return fmt.Errorf("keep the login of %s: %w", t.Account, err)
	}
	data, err := json.MarshalIndent(t, "", "  ")
	if err != nil {
		return fmt.Errorf("keep the login of %s: %w", t.Account, err)
	}
	if err := writeAtomic(a.path(t.Account), append(data, '\n')); err != nil {
		return fmt.Errorf("keep the login of %s: %w", t.Account, err)
	}
	return nil
}

// writeAtomic replaces a file by rename. The new one is never readable by others: it is
// made with fileMode.
func writeAtomic(path string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".token-*")
	if err != nil {
		return err
	}
	err = f.Chmod(fileMode)
	if err == nil {
		_, err = f.Write(data)
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}

// sign is a text that changes with the login and tells nothing of it.
func (t *tokenFile) sign() string {
	sum := sha256.Sum256([]byte("weft login\x00" + t.RefreshToken))
	return hex.EncodeToString(sum[:8])
}
