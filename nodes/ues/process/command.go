package process

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/weft-engine/weft/nodes/ues"
)

// AdminKey is the variable through which a child gets its admin key.
const AdminKey = "UES_ADMIN_KEY"

// Port stands in Command.Args for the port that the child is to listen on.
const Port = "{port}"

// Command is a child process that serves the API on a port of the loopback interface.
// Args and Wait are required.
type Command struct {
	Args []string // the program and its arguments; {port} stands for the port
	Env  []string // NAME=value; the admin key is added
	Dir  string   // where it runs; "" is here

	// Wait blocks for a duration, or until the context ends, whose error it gives then.
	Wait func(ctx context.Context, d time.Duration) error

	// Stdin gives the child a pipe that closes when this process ends, for children that
	// end with their standard input.
	Stdin bool

	Ready time.Duration // how long it may take to be up; 0 is DefaultReady
	Grace time.Duration // how long it may take to end; 0 is DefaultGrace
}

// Weft is `weft ues` as a child: path is this program itself.
func Weft(path string, env []string, wait func(context.Context, time.Duration) error) Command {
	return Command{
		Args: []string{path, "ues", "--host", "127.0.0.1", "--port", Port, "--end-with-stdin"},
		Env:  env, Wait: wait, Stdin: true,
	}
}

// attempts is how often a start is tried when somebody else took the port.
const attempts = 3

// Start starts the program and waits until it is up.
func (c Command) Start(ctx context.Context) (*Server, error) {
	if len(c.Args) == 0 || c.Wait == nil {
		return nil, errors.New("a command to start an environment with needs Args and Wait")
	}
	var err error
	for range attempts {
		var port int
		if port, err = freePort(ctx); err != nil {
			return nil, err
		}
		var s *Server
		if s, err = c.start(ctx, port); err == nil {
			return s, nil
		}
		if !errors.Is(err, errTaken) {
			return nil, err
		}
	}
	return nil, err
}

// errTaken is a port that somebody else listens on.
var errTaken = errors.New("another process took the port")

// freePort finds a port that nobody listens on. Another process may take it before the
// child does; Start notices and tries again.
func freePort(ctx context.Context) (int, error) {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return 0, fmt.Errorf("find a free port: %w", err)
	}
	defer func() { _ = l.Close() }() // nothing came
	address, _ := l.Addr().(*net.TCPAddr)
	return address.Port, nil
}

// start starts one child on a port.
func (c Command) start(ctx context.Context, port int) (*Server, error) {
	s := &Server{url: "http://127.0.0.1:" + strconv.Itoa(port), secret: newSecret(), done: make(chan struct{})}
	s.output = &ring{secret: s.secret}
	child := &child{cmd: c.cmd(port, s), grace: c.Grace, server: s}
	if child.grace <= 0 {
		child.grace = DefaultGrace
	}
	s.end = child.end
	if c.Stdin {
		pipe, err := child.cmd.StdinPipe()
		if err != nil {
			return nil, fmt.Errorf("start %s: %w", c.Args[0], err)
		}
		child.stdin = pipe
	}
	if err := child.begin(); err != nil {
		return nil, fmt.Errorf("start %s: %w", c.Args[0], err)
	}
	if err := c.await(ctx, s); err != nil {
		return nil, errors.Join(err, s.Stop())
	}
	return s, nil
}

// cmd makes the child's command. It is not bound to a context: it lives until Stop.
func (c Command) cmd(port int, s *Server) *exec.Cmd {
	args := slices.Clone(c.Args)
	for i := range args {
		args[i] = strings.ReplaceAll(args[i], Port, strconv.Itoa(port))
	}
	cmd := exec.Command(args[0], args[1:]...) //nolint:noctx // ends with Stop, not with the context of Start
	cmd.Dir, cmd.Stdout, cmd.Stderr = c.Dir, s.output, s.output
	cmd.Env = append(slices.Clone(c.Env), AdminKey+"="+s.secret)
	return cmd
}

// await asks the child until it is up, it ends, or the time is over.
func (c Command) await(ctx context.Context, s *Server) error {
	ready := c.Ready
	if ready <= 0 {
		ready = DefaultReady
	}
	ctx, cancel := context.WithTimeout(ctx, ready)
	defer cancel()
	go func() { // ends with cancel
		select {
		case <-s.done:
			cancel()
		case <-ctx.Done():
		}
	}()
	const first, longest = 5 * time.Millisecond, 200 * time.Millisecond
	for pause := first; ; pause = min(2*pause, longest) {
		err := s.probe(ctx)
		if err == nil || errors.Is(err, errTaken) {
			return err
		}
		if waited := c.Wait(ctx, pause); waited != nil {
			return c.late(ctx, s, err)
		}
	}
}

// late says why a server is not up.
func (c Command) late(ctx context.Context, s *Server, last error) error {
	select {
	case <-s.done:
		if used(ctx, s.url) {
			return fmt.Errorf("%w; %w", errTaken, s.why)
		}
		return s.why
	default:
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return fmt.Errorf("the environment was not up in time: %w", last)
	}
	return ctx.Err()
}

// used reports whether somebody listens at an address.
func used(ctx context.Context, url string) bool {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), probeTime)
	defer cancel()
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		return false
	}
	_ = conn.Close() // only to see
	return true
}

// probe asks once whether the server is up, and whether it is ours: it knows the key.
func (s *Server) probe(ctx context.Context) error {
	c, err := ues.New(ues.Options{URL: s.url, Key: s.secret, Timeout: probeTime})
	if err != nil {
		return err
	}
	if err := c.Health(ctx); err != nil {
		return err
	}
	_, err = c.Time().Get(ctx)
	if status := ues.StatusOf(err); status == http.StatusUnauthorized || status == http.StatusNotFound {
		return fmt.Errorf("%w: %s", errTaken, s.url)
	}
	return err
}
