package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/weft-engine/weft/nodes/ues/process"
	"github.com/weft-engine/weft/nodes/ues/simulator"
)

// uesFlags is what ues takes.
type uesFlags struct {
	host, key, keyFile, scenario string
	port                         int
	endWithStdin                 bool
}

// adminKeyFile names a file to which a made admin key is written.
const adminKeyFile = "UES_ADMIN_KEY_FILE"

func (a *app) uesCommand() *cobra.Command {
	f := &uesFlags{}
	c := &cobra.Command{
		Use: "ues", Short: "Serve a simulated user environment (UES 0.3.0)", Args: cobra.NoArgs,
		Long: "Serves mail, messages, chat, calendar and a clock that somebody moves, behind the HTTP API of UES 0.3.0, until it is\n" +
			"stopped by SIGINT or SIGTERM. Everything is in memory. GET /docs lists the API.\n\n" +
			"The admin key comes from the environment variable " + process.AdminKey + "; without one a random key is made and printed, or\n" +
			"written to the file that --admin-key-file or " + adminKeyFile + " names. Other users of this machine can see a key on the\n" +
			"command line: prefer the variable.",
		RunE: a.verb(func(cmd *cobra.Command, _ []string) error { return a.ues(cmd.Context(), f) }),
	}
	c.Flags().StringVar(&f.host, "host", "127.0.0.1", "the address to listen on")
	c.Flags().IntVar(&f.port, "port", 8000, "the port to listen on; 0 takes a free one")
	c.Flags().StringVar(&f.key, "admin-key", "", "the admin key, at least 32 characters; prefer "+process.AdminKey)
	c.Flags().StringVar(&f.keyFile, "admin-key-file", "", "write a made admin key to a `FILE` instead of printing it")
	c.Flags().StringVar(&f.scenario, "scenario", "", "begin with the scenario in a `FILE` of JSON or YAML; start it with POST /simulation/start")
	c.Flags().BoolVar(&f.endWithStdin, "end-with-stdin", false, "stop when standard input ends")
	_ = c.Flags().MarkHidden("end-with-stdin") // it exists
	return c
}

// ues serves an environment until ctx ends.
func (a *app) ues(ctx context.Context, f *uesFlags) error {
	if f.port < 0 || f.port > 65535 {
		return usage("--port %d: a port is a number from 1 to 65535, or 0 for a free one", f.port)
	}
	secret, err := a.adminKey(f.key)
	if err != nil {
		return err
	}
	sim, err := simulator.New(simulator.Options{Now: a.now, Wait: sleep, AdminSecret: secret, Origins: a.origins(), Log: a.log})
	if err != nil {
		return usage("%w", err)
	}
	defer sim.Close()
	if err := a.furnish(sim, f.scenario); err != nil {
		return err
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", net.JoinHostPort(f.host, strconv.Itoa(f.port)))
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("%w: choose another with --port, or a free one with --port 0", err)
	}
	if err != nil {
		return err
	}
	a.welcome(sim, l, secret == "", f)
	return a.serveUES(ctx, sim, l, f.endWithStdin)
}

// adminKey is the key that was given, "" when one is to be made.
func (a *app) adminKey(flag string) (string, error) {
	secret, given := flag, flag != ""
	if !given {
		secret, given = a.getenv(process.AdminKey)
	}
	if given && len([]rune(secret)) < 32 {
		return "", usage("the admin key has %d characters: use at least 32 (%s)", len([]rune(secret)), process.AdminKey)
	}
	a.vault.Learn(secret)
	return secret, nil
}

// origins are the web origins that browsers may call from.
func (a *app) origins() []string {
	list, given := a.getenv("CORS_ORIGINS")
	if !given {
		return simulator.DefaultOrigins()
	}
	var out []string
	for o := range strings.SplitSeq(list, ",") {
		if o = strings.TrimSpace(o); o != "" {
			out = append(out, o)
		}
	}
	return out
}

// furnish loads a scenario. What is listed first comes first.
func (a *app) furnish(sim *simulator.Simulator, name string) error {
	if name == "" {
		return nil
	}
	data, err := readFile(name)
	if err != nil {
		return err
	}
	if strings.ToLower(filepath.Ext(name)) != ".json" {
		v, err := a.decode(data, name)
		if err != nil {
			return err
		}
		data = v.AppendJSON(nil)
	}
	loaded, err := sim.Import(data, false)
	if err != nil {
		return invalid("--scenario %s: %w", name, err)
	}
	for _, warning := range loaded.Warnings {
		a.notef("weft: %s: %s\n", name, printable(warning))
	}
	return nil
}

// welcome tells where the environment is and how to get in.
func (a *app) welcome(sim *simulator.Simulator, l net.Listener, made bool, f *uesFlags) {
	id, secret := sim.Admin()
	switch {
	case !made:
		a.printf("Admin key ID: %s\n", id)
	case a.writeKey(f.keyFile, id, secret):
	default:
		line := strings.Repeat("=", 60)
		a.printf("%s\nUES admin key (made for this run, shown only here)\n   Secret: %s\n   Key ID: %s\n%s\n", line, secret, id, line)
	}
	if address, ok := l.Addr().(*net.TCPAddr); ok && !address.IP.IsLoopback() {
		a.notef("weft: warning: %s can be reached from other machines, in the clear: whoever sees the key can do everything\n", address)
	}
	a.printf("UES %s, listening on http://%s\n", simulator.Version, l.Addr())
}

// writeKey writes a made key to the file that was asked for, and reports whether it did.
func (a *app) writeKey(name, id, secret string) bool {
	if name == "" {
		name, _ = a.getenv(adminKeyFile)
	}
	if name == "" {
		return false
	}
	data, err := json.MarshalIndent(struct {
		Secret string `json:"secret"`
		KeyID  string `json:"key_id"`
	}{secret, id}, "", "  ")
	if err == nil {
		err = os.MkdirAll(filepath.Dir(name), 0o700)
	}
	if err == nil {
		err = replaceFile(name, append(data, '\n'))
	}
	if err != nil {
		a.notef("weft: warning: the admin key is not in a file: %s\n", printable(err.Error()))
		return false
	}
	a.printf("Admin key in %s, key ID: %s\n", printable(name), id)
	return true
}

// replaceFile writes a file that only its owner can read, whatever was there before.
func replaceFile(name string, data []byte) error {
	tmp, err := os.CreateTemp(filepath.Dir(name), ".weft-*") // mode 0600
	if err != nil {
		return err
	}
	_, err = tmp.Write(data)
	if err = errors.Join(err, tmp.Close()); err == nil {
		err = os.Rename(tmp.Name(), name)
	}
	if err != nil {
		return errors.Join(err, os.Remove(tmp.Name()))
	}
	return nil
}

// serveUES answers requests until ctx ends, or standard input when that is asked for.
func (a *app) serveUES(ctx context.Context, sim *simulator.Simulator, l net.Listener, endWithStdin bool) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if endWithStdin {
		go func() { // ends with standard input, and with the program
			_, _ = io.Copy(io.Discard, a.stdin) // its end is all that counts
			cancel()
		}()
	}
	return sim.Serve(ctx, l)
}
