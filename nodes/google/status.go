package google

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"
)

// Status is how a login stands. Nothing in it is secret.
type Status struct {
	Account string
	File    string    // where it is kept
	Created time.Time // zero when it is not known
	Scopes  []string
	Missing []Scope // permissions that are needed and were not granted
	Local   string  // address of a local Google, "" for the real one
	Open    bool    // others on this machine can read the file
	Problem string  // why it does not work, "" when it does
}

// Status tells how the logins stand, by renewing each.
func (a *Accounts) Status(ctx context.Context) ([]Status, error) {
	names, err := a.Names()
	if err != nil {
		return nil, err
	}
	out := make([]Status, len(names))
	for i, name := range names {
		out[i] = a.status(ctx, name)
	}
	return out, nil
}

func (a *Accounts) status(ctx context.Context, account string) Status {
	s := Status{Account: account, File: a.path(account)}
	if info, err := os.Stat(s.File); err == nil {
		s.Open = info.Mode().Perm()&0o077 != 0
	}
	t, err := a.load(account)
	if err != nil {
		s.Problem = words(err)
		return s
	}
	s.Created, s.Scopes, s.Missing, s.Local = t.Created, t.Scopes, missing(t.Scopes), t.Endpoint
	client := &http.Client{Transport: a.sharedTransport(), CheckRedirect: noRedirect}
	fresh, err := t.refresh(ctx, client, a.Now())
	if err == nil {
		err = a.save(fresh)
	}
	if err != nil {
		s.Problem = words(loginError(account, err))
	}
	return s
}

// Revoke has Google forget the login of an account, and removes it here. When Google
// cannot be reached the login stays, and the error says so; one that Google does not
// know any more is removed.
func (a *Accounts) Revoke(ctx context.Context, account string) error {
	t, err := a.load(account)
	if errors.Is(err, ErrNoLogin) {
		if _, exists := os.Stat(a.path(account)); exists == nil {
			return a.remove(account) // a file that is no login
		}
	}
	if err != nil {
		return err
	}
	address := t.RevokeURI
	if address == "" {
		address = googleRevoke
	}
	body := url.Values{"token": {t.RefreshToken}}.Encode()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader(body))
	if err != nil {
		return fmt.Errorf("revoke the login of %s: %w", account, err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	client := &http.Client{Transport: a.sharedTransport(), CheckRedirect: noRedirect}
	res, err := client.Do(req)
	if err != nil {
		return fmt.Errorf("revoke the login of %s: %s; it is still there", account, words(err))
	}
	_ = res.Body.Close()
	if res.StatusCode != http.StatusOK && res.StatusCode != http.StatusBadRequest {
		return fmt.Errorf("revoke the login of %s: Google answers %d; it is still there", account, res.StatusCode)
	}
	return a.remove(account)
}

func (a *Accounts) remove(account string) error {
	a.drop(account)
	if err := os.Remove(a.path(account)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove the login of %s: %w", account, err)
	}
	return nil
}
