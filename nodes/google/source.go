package google

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"golang.org/x/oauth2"
)

// early is how long before its end an access token is replaced.
const early = time.Minute

// source gives out access tokens of one account. Several processes may use the same
// file: before a refresh it is read again, as another may have done it.
type source struct {
	accounts *Accounts
	account  string
	http     *http.Client

	mu    sync.Mutex
	token *tokenFile
}

// access returns a valid access token. stale is one that was refused: another is wanted.
func (s *source) access(ctx context.Context, stale string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.good(stale) {
		return s.token.Token, nil
	}
	t, err := s.accounts.load(s.account)
	if err != nil {
		return "", err
	}
	s.token = t
	if s.good(stale) {
		return s.token.Token, nil
	}
	return s.refresh(ctx)
}

func (s *source) good(stale string) bool {
	return s.token != nil && s.token.Token != "" && s.token.Token != stale && s.accounts.Now().Add(early).Before(s.token.Expiry)
}

func (s *source) refresh(ctx context.Context) (string, error) {
	fresh, err := s.token.refresh(ctx, s.http, s.accounts.Now())
	if err != nil {
		return "", loginError(s.account, err)
	}
	s.token = fresh
	if err := s.accounts.save(fresh); err != nil {
		return "", err
	}
	return fresh.Token, nil
}

// expiry is when an access token that came just now ends.
func expiry(got *oauth2.Token, now time.Time) time.Time {
	if got.ExpiresIn > 0 {
		return now.Add(time.Duration(got.ExpiresIn) * time.Second).UTC()
	}
	return got.Expiry.UTC()
}

// refresh asks for another access token.
func (t *tokenFile) refresh(ctx context.Context, client *http.Client, now time.Time) (*tokenFile, error) {
	config := t.config()
	ctx = context.WithValue(ctx, oauth2.HTTPClient, client)
	got, err := config.TokenSource(ctx, &oauth2.Token{RefreshToken: t.RefreshToken}).Token()
	if err != nil {
		return nil, err
	}
	fresh := *t
	fresh.Token, fresh.Expiry = got.AccessToken, expiry(got, now)
	if got.RefreshToken != "" {
		fresh.RefreshToken = got.RefreshToken
	}
	if got.AccessToken == "" {
		return nil, errors.New("google answered without a token")
	}
	return &fresh, nil
}

func (t *tokenFile) config() *oauth2.Config {
	return &oauth2.Config{
		ClientID: t.ClientID, ClientSecret: t.ClientSecret, Scopes: t.Scopes,
		Endpoint: oauth2.Endpoint{TokenURL: t.TokenURI, AuthStyle: oauth2.AuthStyleInParams},
	}
}

// bearer puts an access token on requests. One that is refused is replaced once.
type bearer struct {
	source *source
	base   http.RoundTripper
}

// RoundTrip sends a request with a token.
func (b *bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r, err := repeatable(r)
	if err != nil {
		return nil, err
	}
	token, err := b.source.access(r.Context(), "")
	if err != nil {
		return nil, err
	}
	res, err := b.send(r, token)
	if err != nil || res.StatusCode != http.StatusUnauthorized {
		return res, err
	}
	_ = res.Body.Close()
	if token, err = b.source.access(r.Context(), token); err != nil {
		return nil, err
	}
	if r.GetBody != nil {
		body, err := r.GetBody()
		if err != nil {
			return nil, err
		}
		r = r.Clone(r.Context())
		r.Body = body
	}
	return b.send(r, token)
}

// repeatable returns a request whose body can be sent twice. The client library makes
// some that cannot: those of mails.
func repeatable(r *http.Request) (*http.Request, error) {
	if r.Body == nil || r.Body == http.NoBody || r.GetBody != nil {
		return r, nil
	}
	data, err := io.ReadAll(r.Body)
	if err = errors.Join(err, r.Body.Close()); err != nil {
		return nil, fmt.Errorf("read the request: %w", err)
	}
	r = r.Clone(r.Context())
	r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil }
	r.Body, err = r.GetBody()
	return r, err
}

func (b *bearer) send(r *http.Request, token string) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+token)
	res, err := b.base.RoundTrip(r)
	if err == nil {
		res.Body = bounded(res.Body, maxResponse)
	}
	return res, err
}
