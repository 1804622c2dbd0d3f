// Command googletest runs a local Google for demos: a mailbox and a calendar in memory
// that Weft can log in to and work with. It prints what to do next, and serves until it
// is interrupted.
//
//	go run ./nodes/google/googletest/cmd --dir /tmp/google --mails testdata/email/dataset.json
//
// With a command behind the flags it runs that instead, with WEFT_AUTH_DIR set to a login
// here, and shows the mailbox before and after:
//
//	go run ./nodes/google/googletest/cmd --mails testdata/email/dataset.json weft trigger specs/email_assistant new_mail --profile google
//
// Under /_local/ it lets one look in (mailbox, requests) and play the world outside
// (mail, event, fault, heal, withdraw).
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"google.golang.org/api/calendar/v3"

	"github.com/weft-engine/weft/nodes/google/googletest"
)

type settings struct {
	listen, dir, account, zone, mails string
	login                             bool
	command                           []string
}

func main() {
	var s settings
	flag.StringVar(&s.listen, "listen", "127.0.0.1:0", "address to listen at; loopback only")
	flag.StringVar(&s.dir, "dir", "", "directory to write the OAuth client (client.json), the address (url) and, with --login, a login (google/) to")
	flag.StringVar(&s.account, "account", "lance@company.com", "whose mailbox it is")
	flag.StringVar(&s.zone, "zone", "America/Los_Angeles", "time zone of the calendar")
	flag.StringVar(&s.mails, "mails", "", "JSON `FILE` with mails to begin with, as testdata/email/dataset.json")
	flag.BoolVar(&s.login, "login", false, "write a login too, so that nobody has to use a browser")
	flag.Parse()
	s.command = flag.Args()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, s); err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "googletest:", err)
		stop()
		os.Exit(1)
	}
}

func run(ctx context.Context, s settings) error {
	if host, _, err := net.SplitHostPort(s.listen); err != nil || host != "127.0.0.1" && host != "localhost" && host != "::1" {
		return fmt.Errorf("--listen %s: the local Google trusts everybody, so it listens on loopback only", s.listen)
	}
	g := googletest.New(time.Now)
	g.Account(s.account, s.zone)
	if err := seed(g, s); err != nil {
		return err
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", s.listen)
	if err != nil {
		return err
	}
	g.URL = "http://" + listener.Addr().String()
	server := &http.Server{Handler: g, ReadHeaderTimeout: 10 * time.Second}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	if len(s.command) > 0 {
		err = demo(ctx, g, s)
	} else {
		err = serve(ctx, g, s, failed)
	}
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	return errors.Join(err, server.Shutdown(end))
}

// serve waits until it is interrupted.
func serve(ctx context.Context, g *googletest.Server, s settings, failed <-chan error) error {
	if err := files(g, s); err != nil {
		return err
	}
	fmt.Printf("A local Google with the mailbox of %s is at %s\n", s.account, g.URL)
	fmt.Printf("Look into it: curl %s/_local/mailbox\n", g.URL)
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
		return nil
	}
}

// demo runs a command, and shows the mailbox before and after.
func demo(ctx context.Context, g *googletest.Server, s settings) error {
	if s.dir == "" {
		dir, err := os.MkdirTemp("", "weft-google-")
		if err != nil {
			return err
		}
		defer func() { _ = os.RemoveAll(dir) }()
		s.dir = dir
	}
	s.login = true
	if err := files(g, s); err != nil {
		return err
	}
	g.Show(os.Stdout, s.account)
	fmt.Println()
	cmd := exec.CommandContext(ctx, s.command[0], s.command[1:]...)
	cmd.Env = append(os.Environ(), "WEFT_AUTH_DIR="+s.dir)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := cmd.Run()
	fmt.Println()
	g.Show(os.Stdout, s.account)
	return err
}

// seed puts mails into the mailbox, the first the oldest, and two meetings into the
// calendar of the next working day.
func seed(g *googletest.Server, s settings) error {
	if s.mails == "" {
		return nil
	}
	data, err := os.ReadFile(s.mails)
	if err != nil {
		return err
	}
	letters, err := googletest.Letters(data)
	if err != nil {
		return err
	}
	now := time.Now()
	for i, raw := range letters {
		g.DeliverAt(s.account, now.Add(-time.Duration(len(letters)-i)*10*time.Minute), raw)
	}
	zone, err := time.LoadLocation(s.zone)
	if err != nil {
		return err
	}
	day := now.In(zone).AddDate(0, 0, 1)
	for day.Weekday() == time.Saturday || day.Weekday() == time.Sunday {
		day = day.AddDate(0, 0, 1)
	}
	at := func(hour, minute int) *calendar.EventDateTime {
		return &calendar.EventDateTime{DateTime: time.Date(day.Year(), day.Month(), day.Day(), hour, minute, 0, 0, zone).Format(time.RFC3339), TimeZone: s.zone}
	}
	g.Plan(s.account, &calendar.Event{Summary: "Team meeting", Start: at(10, 0), End: at(11, 0)})
	g.Plan(s.account, &calendar.Event{Summary: "Review", Start: at(15, 0), End: at(15, 30)})
	return nil
}

// files writes what Weft needs to find its way.
func files(g *googletest.Server, s settings) error {
	if s.dir == "" {
		return nil
	}
	logins := filepath.Join(s.dir, "google")
	if err := os.MkdirAll(logins, 0o700); err != nil {
		return err
	}
	if s.login {
		if err := os.WriteFile(filepath.Join(logins, strings.ToLower(s.account)+".json"), g.TokenFile(s.account), 0o600); err != nil {
			return err
		}
	}
	return errors.Join(
		os.WriteFile(filepath.Join(s.dir, "client.json"), g.ClientFile(), 0o600),
		os.WriteFile(filepath.Join(s.dir, "url"), []byte(g.URL+"\n"), 0o600),
	)
}
