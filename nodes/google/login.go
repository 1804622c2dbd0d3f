package google

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"golang.org/x/oauth2"
	"google.golang.org/api/gmail/v1"
	"google.golang.org/api/option"
)

// Login is what logging in needs.
type Login struct {
	// Client is the OAuth client, the file that Google's console lets one download for
	// an application of type Desktop.
	Client []byte
	// Show is given the address that the person opens in a browser, and returns at once.
	Show func(address string)
	// Hint is the account that is meant, "" to let the person choose.
	Hint string
}

// clientFile is the OAuth client as it is downloaded. The last two are of a local Google.
type clientFile struct {
	ClientID     string `json:"client_id"`
	ClientSecret string `json:"client_secret"`
	AuthURI      string `json:"auth_uri"`
	TokenURI     string `json:"token_uri"`
	RevokeURI    string `json:"revoke_uri"`
	Endpoint     string `json:"api_endpoint"`
}

const googleRevoke = "https://oauth2.googleapis.com/revoke"

// readClient reads an OAuth client.
func readClient(data []byte) (*clientFile, error) {
	var file struct {
		Installed *clientFile `json:"installed"`
		Web       *clientFile `json:"web"`
	}
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, errors.New("the OAuth client is not JSON: download it from the Google console, under Clients")
	}
	c := file.Installed
	if c == nil {
		if file.Web != nil {
			return nil, errors.New("the OAuth client is one for web sites: make one of type Desktop app in the Google console")
		}
		return nil, errors.New("the file is no OAuth client: download it from the Google console, under Clients")
	}
	if c.ClientID == "" || c.AuthURI == "" || c.TokenURI == "" {
		return nil, errors.New("the OAuth client has no client_id, auth_uri or token_uri: download it again")
	}
	for _, address := range []string{c.AuthURI, c.TokenURI, c.RevokeURI} {
		if u, err := url.Parse(address); address != "" && (err != nil || u.Scheme != "https" && !Loopback(address)) {
			return nil, fmt.Errorf("the OAuth client sends secrets to %q, which is not reached by https", address)
		}
	}
	if c.Endpoint != "" && (!Loopback(c.Endpoint) || !Loopback(c.TokenURI)) {
		return nil, errors.New("the OAuth client has an api_endpoint, which only a local Google may have")
	}
	return c, nil
}

// Login has a person log in with their browser and keeps the login. It returns the
// account's address. It waits for the person until ctx ends.
func (a *Accounts) Login(ctx context.Context, l Login) (string, error) {
	client, err := readClient(l.Client)
	if err != nil {
		return "", err
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("listen for the browser: %w", err)
	}
	flow := &flow{
		config: &oauth2.Config{
			ClientID: client.ClientID, ClientSecret: client.ClientSecret, Scopes: scopeNames(),
			RedirectURL: "http://" + listener.Addr().String() + "/weft",
			Endpoint:    oauth2.Endpoint{AuthURL: client.AuthURI, TokenURL: client.TokenURI, AuthStyle: oauth2.AuthStyleInParams},
		},
		state: rand.Text(), verifier: oauth2.GenerateVerifier(), answer: make(chan answer, 1),
	}
	code, err := flow.wait(ctx, listener, l)
	if err != nil {
		return "", err
	}
	return a.finish(ctx, client, flow, code)
}

// flow is one attempt to log in.
type flow struct {
	config          *oauth2.Config
	state, verifier string
	answer          chan answer
}

// answer is what the browser brings back.
type answer struct {
	code string
	err  error
}

// wait shows the address and waits for the browser to come back.
func (f *flow) wait(ctx context.Context, listener net.Listener, l Login) (string, error) {
	server := &http.Server{Handler: f, ReadHeaderTimeout: 10 * time.Second, MaxHeaderBytes: 64 << 10}
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = server.Serve(listener)
	}()
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer cancel()
		if server.Shutdown(ctx) != nil {
			_ = server.Close()
		}
		<-served
	}()
	options := []oauth2.AuthCodeOption{oauth2.AccessTypeOffline, oauth2.ApprovalForce, oauth2.S256ChallengeOption(f.verifier)}
	if l.Hint != "" {
		options = append(options, oauth2.SetAuthURLParam("login_hint", l.Hint))
	}
	l.Show(f.config.AuthCodeURL(f.state, options...))
	select {
	case got := <-f.answer:
		return got.code, got.err
	case <-ctx.Done():
		return "", fmt.Errorf("nobody agreed in the browser: %w", ctx.Err())
	}
}

// ServeHTTP takes the browser's way back. Anything else that knocks is turned away and
// does not end the wait: a page that the person has open could knock, too.
func (f *flow) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	if r.Method != http.MethodGet || r.URL.Path != "/weft" || subtle.ConstantTimeCompare([]byte(q.Get("state")), []byte(f.state)) != 1 {
		http.Error(w, "This address is only for the way back from Google.", http.StatusNotFound)
		return
	}
	got := answer{code: q.Get("code")}
	text := "Google has answered. You may close this page; the terminal says how it went."
	switch {
	case q.Get("error") == "access_denied":
		got.err, text = errors.New("access was not granted in the browser"), "Nothing was granted. You may close this page."
	case q.Get("error") != "" || got.code == "":
		got.err, text = fmt.Errorf("google answers %q", clip(q.Get("error"))), "Google reported a problem. See the terminal."
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	_, _ = w.Write([]byte(text + "\n"))
	select {
	case f.answer <- got:
	default: // the first one counts
	}
}

// finish exchanges the code, finds out whose login it is, and keeps it.
func (a *Accounts) finish(ctx context.Context, c *clientFile, f *flow, code string) (string, error) {
	web := &http.Client{Transport: a.sharedTransport(), CheckRedirect: noRedirect}
	got, err := f.config.Exchange(context.WithValue(ctx, oauth2.HTTPClient, web), code, oauth2.VerifierOption(f.verifier))
	if err != nil {
		return "", fmt.Errorf("exchange the code for a login: %s", words(err))
	}
	t := &tokenFile{
		Token: got.AccessToken, RefreshToken: got.RefreshToken, TokenURI: c.TokenURI, ClientID: c.ClientID, ClientSecret: c.ClientSecret,
		Scopes: granted(got.Extra("scope")), Expiry: expiry(got, a.Now()), RevokeURI: c.RevokeURI, Endpoint: c.Endpoint, Created: a.Now().UTC(),
	}
	if lacks := missing(t.Scopes); len(lacks) > 0 {
		return "", fmt.Errorf("not everything was granted: log in again and tick all boxes. Missing: %s", reasons(lacks))
	}
	if t.RefreshToken == "" {
		return "", errors.New("google gave no lasting login: remove Weft at https://myaccount.google.com/connections and log in again")
	}
	if t.Account, err = whose(ctx, t, web.Transport); err != nil {
		return "", err
	}
	a.drop(t.Account)
	return t.Account, a.save(t)
}

func reasons(list []Scope) string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = strings.TrimPrefix(s.Name, scopeBase) + " (to " + s.Reason + ")"
	}
	return strings.Join(out, "; ")
}

// whose asks Gmail for the address of the account.
func whose(ctx context.Context, t *tokenFile, base http.RoundTripper) (string, error) {
	client := &http.Client{Transport: once{token: t.Token, base: base}, CheckRedirect: noRedirect}
	options := []option.ClientOption{option.WithHTTPClient(client)}
	if t.Endpoint != "" {
		options = append(options, option.WithEndpoint(strings.TrimSuffix(t.Endpoint, "/")+"/"))
	}
	service, err := gmail.NewService(ctx, options...)
	if err != nil {
		return "", fmt.Errorf("make a client of Gmail: %w", err)
	}
	profile, err := service.Users.GetProfile("me").Context(ctx).Do()
	if err != nil {
		return "", fmt.Errorf("ask Gmail for the address of the account: %s", words(err))
	}
	if !strings.Contains(profile.EmailAddress, "@") {
		return "", fmt.Errorf("gmail names the account %q, which is no address", clip(profile.EmailAddress))
	}
	return strings.ToLower(profile.EmailAddress), nil
}

// once puts one access token on requests.
type once struct {
	token string
	base  http.RoundTripper
}

// RoundTrip sends a request with the token.
func (o once) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+o.token)
	return o.base.RoundTrip(r)
}

func (a *Accounts) sharedTransport() http.RoundTripper {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.transport()
}

// drop forgets the clients of an account, whose login is another now.
func (a *Accounts) drop(account string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for key := range a.clients {
		if key.account == account {
			delete(a.clients, key)
		}
	}
}
