package model

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/weft-engine/weft/engine/chat"
	"github.com/weft-engine/weft/engine/secret"
)

// Recorder saves each exchange of another client as a file that Replayer reads. It is
// safe for concurrent use. Recording the same run again replaces its files.
type Recorder struct {
	Client chat.Client
	Dir    string        // made when it is not there
	Vault  *secret.Vault // strikes secrets from what is written

	mu   sync.Mutex
	uses map[string]int
}

// Complete asks the client and saves what it answers. Failures are saved too, but not
// that of a run that was stopped. An answer that cannot be saved is an error: a
// recording with a hole would fail later, and nobody would know why.
func (r *Recorder) Complete(ctx context.Context, req chat.Request, emit func(chat.Delta)) (chat.Response, error) {
	question, err := canonical(&req, r.Vault)
	if err != nil {
		return chat.Response{}, &chat.Error{Message: err.Error()}
	}
	name, err := hash(question)
	if err != nil {
		return chat.Response{}, &chat.Error{Message: err.Error()}
	}
	use := r.use(name)
	resp, failed := r.Client.Complete(ctx, req, emit)
	if failed != nil && ctx.Err() != nil {
		return resp, failed
	}
	rec := recording{Version: recordingVersion, Node: req.Node, Use: use, Request: question}
	if failed == nil {
		rec.Response = &resp
	} else {
		rec.Error = recordError(failed)
	}
	if err := r.save(fileName(name, use), &rec); err != nil {
		return chat.Response{}, &chat.Error{Message: fmt.Sprintf("the exchange of node %q cannot be recorded: %v", req.Node, err)}
	}
	return resp, failed
}

func (r *Recorder) use(hash string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.uses == nil {
		r.uses = map[string]int{}
	}
	r.uses[hash]++
	return r.uses[hash]
}

func recordError(err error) *recordedError {
	var e *chat.Error
	if !errors.As(err, &e) {
		return &recordedError{Message: err.Error()}
	}
	return &recordedError{Message: e.Message, Status: e.Status, Transient: e.Transient, RetryAfter: e.RetryAfter}
}

// save writes a file that is either whole or not there.
func (r *Recorder) save(name string, rec *recording) error {
	data, err := rec.write(r.Vault)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(r.Dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(r.Dir, ".recording-*")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(f.Name(), filepath.Join(r.Dir, name))
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}
