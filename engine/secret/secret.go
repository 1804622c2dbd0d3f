// Package secret keeps credentials out of everything that is written down. A spec
// only refers to a secret; a Vault resolves the reference at the moment of use and
// remembers what it handed out, so that Redact can strike it from any text.
package secret

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
)

// Ref says where a secret is kept. Exactly one of Env and File is set.
type Ref struct {
	Env    string `json:"env,omitempty"`    // name of an environment variable
	File   string `json:"file,omitempty"`   // path of a file; one trailing newline is cut
	Prefix string `json:"prefix,omitempty"` // written before the secret, for example "Bearer "
}

// IsZero reports whether r refers to nothing.
func (r Ref) IsZero() bool { return r.Env == "" && r.File == "" }

// String names the place, never the secret.
func (r Ref) String() string {
	if r.Env != "" {
		return "environment variable " + r.Env
	}
	return "file " + r.File
}

// Mark is what Redact writes in place of a secret.
const Mark = "[secret]"

// minLength is the length below which a value is not struck from texts: striking
// "a" or "1234" would garble everything and protect nothing.
const minLength = 6

// Vault resolves references. It is safe for concurrent use.
type Vault struct {
	Getenv   func(name string) (string, bool)
	ReadFile func(path string) ([]byte, error)

	mu    sync.RWMutex
	known []string // longest first
}

// Resolve returns the secret with its prefix. The error names the place and what to do.
func (v *Vault) Resolve(r Ref) (string, error) {
	value, err := v.fetch(r)
	if err != nil {
		return "", err
	}
	v.remember(value)
	return r.Prefix + value, nil
}

// Learn takes a secret that did not come by a reference: it is struck from now on.
func (v *Vault) Learn(value string) { v.remember(value) }

func (v *Vault) fetch(r Ref) (string, error) {
	if r.Env != "" {
		value, ok := v.Getenv(r.Env)
		if !ok || value == "" {
			return "", fmt.Errorf("%s is not set: export it before the run", r)
		}
		return value, nil
	}
	data, err := v.ReadFile(r.File)
	if err != nil {
		return "", fmt.Errorf("read secret: %w", err)
	}
	return strings.TrimSuffix(strings.TrimSuffix(string(data), "\n"), "\r"), nil
}

func (v *Vault) remember(value string) {
	if len(value) < minLength {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if slices.Contains(v.known, value) {
		return
	}
	for _, form := range forms(value) {
		if !slices.Contains(v.known, form) {
			v.known = append(v.known, form)
		}
	}
	slices.SortFunc(v.known, func(a, b string) int { return len(b) - len(a) })
}

// forms returns the ways in which texts write a value: as it is, as JSON, in addresses,
// and in base64.
func forms(value string) []string {
	var plain strings.Builder
	enc := json.NewEncoder(&plain)
	enc.SetEscapeHTML(false)
	out := []string{
		value, url.QueryEscape(value), url.PathEscape(value),
		base64.StdEncoding.EncodeToString([]byte(value)), base64.RawStdEncoding.EncodeToString([]byte(value)),
		base64.URLEncoding.EncodeToString([]byte(value)), base64.RawURLEncoding.EncodeToString([]byte(value)),
	}
	if err := enc.Encode(value); err == nil {
		out = append(out, unquoted(strings.TrimSuffix(plain.String(), "\n")))
	}
	if html, err := json.Marshal(value); err == nil {
		out = append(out, unquoted(string(html)))
	}
	return out
}

// unquoted is the inside of a JSON string.
func unquoted(text string) string { return text[1 : len(text)-1] }

// Redact returns text with every secret that was resolved so far replaced by Mark.
func (v *Vault) Redact(text string) string {
	v.mu.RLock()
	defer v.mu.RUnlock()
	for _, s := range v.known {
		text = strings.ReplaceAll(text, s, Mark)
	}
	return text
}

// RedactValue returns plain data with Redact applied to every string in it, keys
// too. Data without secrets is returned as it is.
func (v *Vault) RedactValue(data any) any {
	v.mu.RLock()
	none := len(v.known) == 0
	v.mu.RUnlock()
	if none {
		return data
	}
	return v.redact(data)
}

func (v *Vault) redact(data any) any {
	switch d := data.(type) {
	case string:
		return v.Redact(d)
	case []any:
		out := make([]any, len(d))
		for i, item := range d {
			out[i] = v.redact(item)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(d))
		for key, item := range d {
			out[v.Redact(key)] = v.redact(item)
		}
		return out
	default:
		return data
	}
}
