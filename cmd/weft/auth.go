package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/weft-engine/weft/nodes/google"
)

// loginTimeout is how long a person has to agree in the browser.
const loginTimeout = 10 * time.Minute

func (a *app) authCommand() *cobra.Command {
	return group("auth", "Log in where tools act on a person's behalf", a.authGoogle(), a.authStatus(), a.authRevoke())
}

// accounts returns the Google logins of this user. WEFT_GMAIL_UNITS is what the Google
// project gives each user of Gmail's quota in a minute, where that is not the usual.
func (a *app) accounts() (*google.Accounts, error) {
	out := &google.Accounts{Dir: authDir(), Now: a.now, Sleep: sleep, Rand: rand.Float64}
	if text := os.Getenv("WEFT_GMAIL_UNITS"); text != "" {
		units, err := strconv.Atoi(text)
		if err != nil || units < 100 {
			return nil, usage("WEFT_GMAIL_UNITS is %q; it is how many units of Gmail's quota a minute has, 100 or more", text)
		}
		out.UnitsPerMinute = units
	}
	return out, nil
}

// authDir is where logins are kept: WEFT_AUTH_DIR, or the user's own configuration.
func authDir() string {
	if dir := os.Getenv("WEFT_AUTH_DIR"); dir != "" {
		return filepath.Join(dir, "google")
	}
	dir, err := os.UserConfigDir()
	if err != nil {
		dir = ".weft"
	}
	return filepath.Join(dir, "weft", "google")
}

// authFlags is what auth google takes.
type authFlags struct {
	client, account string
	noBrowser       bool
}

func (a *app) authGoogle() *cobra.Command {
	f := &authFlags{}
	c := &cobra.Command{
		Use: "google", Short: "Log in to a Google account in the browser", Args: cobra.NoArgs,
		Long: "Opens Google in the browser, where you agree to what Weft may do, and keeps the login in a file that only you can\n" +
			"read. It needs an OAuth client of your own, which docs/google.md tells how to get. Log in again to add an account\n" +
			"or to renew one whose login has expired.",
		RunE: a.verb(func(cmd *cobra.Command, _ []string) error { return a.login(cmd.Context(), f) }),
	}
	c.Flags().StringVar(&f.client, "client", "", "the OAuth client: the `FILE` that the Google console gives (default: $WEFT_GOOGLE_CLIENT)")
	c.Flags().StringVar(&f.account, "account", "", "the `ADDRESS` of the account that is meant")
	c.Flags().BoolVar(&f.noBrowser, "no-browser", false, "only print the address that is to be opened")
	return c
}

func (a *app) login(ctx context.Context, f *authFlags) error {
	file := f.client
	if file == "" {
		file = os.Getenv("WEFT_GOOGLE_CLIENT")
	}
	if file == "" {
		return usage("auth google needs your OAuth client: --client FILE or WEFT_GOOGLE_CLIENT; docs/google.md tells how to get one")
	}
	client, err := os.ReadFile(file)
	if err != nil {
		return usage("the OAuth client cannot be read: %w", reason(err))
	}
	accounts, err := a.accounts()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, loginTimeout)
	defer cancel()
	_, _ = fmt.Fprintln(a.stdout, "Weft asks Google for leave to")
	for _, s := range google.Scopes() {
		_, _ = fmt.Fprintf(a.stdout, "  - %s\n", s.Reason)
	}
	account, err := accounts.Login(ctx, google.Login{Client: client, Hint: f.account, Show: func(address string) { a.show(ctx, address, f.noBrowser) }})
	if err != nil {
		return fmt.Errorf("log in: %w", err)
	}
	_, _ = fmt.Fprintf(a.stdout, "%s is logged in.\n", printable(account))
	return nil
}

// show gets the address in front of the person.
func (a *app) show(ctx context.Context, address string, noBrowser bool) {
	if !noBrowser && openBrowser(ctx, address) == nil {
		_, _ = fmt.Fprintf(a.stdout, "The browser should open. If it does not, open this address:\n  %s\n", address)
		return
	}
	_, _ = fmt.Fprintf(a.stdout, "Open this address in a browser on this machine:\n  %s\n", address)
}

// openBrowser asks the system to open an address, and does not wait for it.
func openBrowser(ctx context.Context, address string) error {
	name, args := "xdg-open", []string{address}
	switch runtime.GOOS {
	case "darwin":
		name = "open"
	case "windows":
		name, args = "rundll32", []string{"url.dll,FileProtocolHandler", address}
	}
	cmd := exec.CommandContext(ctx, name, args...)
	if err := cmd.Start(); err != nil {
		return err
	}
	go func() { _ = cmd.Wait() }() // it ends with ctx at the latest
	return nil
}

func (a *app) authStatus() *cobra.Command {
	return &cobra.Command{
		Use: "status", Short: "Tell which accounts are logged in, and whether the logins work", Args: cobra.NoArgs,
		RunE: a.verb(func(cmd *cobra.Command, _ []string) error {
			accounts, err := a.accounts()
			if err != nil {
				return err
			}
			list, err := accounts.Status(cmd.Context())
			if err != nil {
				return err
			}
			return a.printLogins(list)
		}),
	}
}

// printLogins tells of each login; one that does not work is an error.
func (a *app) printLogins(list []google.Status) error {
	if len(list) == 0 {
		a.notef("Nobody is logged in. Run `weft auth google`.\n")
	}
	broken := false
	for _, s := range list {
		state := "works"
		if s.Problem != "" {
			state, broken = s.Problem, true
		}
		_, _ = fmt.Fprintf(a.stdout, "%s  %s\n  kept in %s\n", printable(s.Account), printable(state), s.File)
		for _, m := range s.Missing {
			_, _ = fmt.Fprintf(a.stdout, "  lacks the permission to %s\n", m.Reason)
		}
		if s.Open {
			_, _ = fmt.Fprintf(a.stdout, "  others on this machine can read it: chmod 600 %s\n", shellWord(s.File))
		}
		if s.Local != "" {
			_, _ = fmt.Fprintf(a.stdout, "  of a local Google at %s\n", s.Local)
		}
	}
	if broken {
		return silent(exitFailed)
	}
	return nil
}

func (a *app) authRevoke() *cobra.Command {
	return &cobra.Command{
		Use: "revoke ACCOUNT", Short: "Have Google forget a login, and remove it here", Args: exactly("an account"),
		RunE: a.verb(func(cmd *cobra.Command, args []string) error {
			accounts, err := a.accounts()
			if err != nil {
				return err
			}
			account := strings.ToLower(args[0])
			err = accounts.Revoke(cmd.Context(), account)
			if errors.Is(err, google.ErrNoLogin) || errors.Is(err, fs.ErrNotExist) {
				return usage("%s is not logged in", account)
			}
			if err != nil {
				return err
			}
			_, _ = fmt.Fprintf(a.stdout, "The login of %s is gone.\n", printable(account))
			return nil
		}),
	}
}
