package process

import (
	"context"
	"io"
	"os/exec"
	"runtime"
	"time"
)

// child is a process that was started, and all that it started.
type child struct {
	cmd    *exec.Cmd
	stdin  io.Closer // nil: it has none
	grace  time.Duration
	server *Server
	ask    chan struct{}
}

// begin starts the process. The goroutine that starts it keeps its thread until the
// process has ended: on Linux the kernel ends the child with the thread that started it.
func (c *child) begin() error {
	c.ask = make(chan struct{})
	started := make(chan error)
	isolate(c.cmd)
	c.cmd.WaitDelay = c.grace
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := c.cmd.Start()
		started <- err
		if err == nil {
			c.wait()
		}
	}()
	return <-started
}

// wait waits for the end and tells why it came.
func (c *child) wait() {
	err := c.cmd.Wait()
	killGroup(c.cmd)
	select {
	case <-c.ask:
	default:
		c.server.why = ended(err, c.server.output.lines())
	}
	close(c.server.done)
}

// end asks the child to end, kills it when it does not, and waits for it.
func (c *child) end() error {
	close(c.ask)
	if c.stdin != nil {
		_ = c.stdin.Close() // the child may be gone
	}
	interrupt(c.cmd)
	ctx, cancel := context.WithTimeout(context.Background(), c.grace)
	defer cancel()
	select {
	case <-c.server.done:
	case <-ctx.Done():
		killGroup(c.cmd)
		<-c.server.done
	}
	return nil
}
