package model

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/weft-engine/weft/engine/chat"
	"github.com/weft-engine/weft/engine/secret"
)

// Replayer answers from what a Recorder saved, and fails on anything it has not seen.
// The same request made n times gets the n answers in the order recorded. It is safe
// for concurrent use.
type Replayer struct {
	vault *secret.Vault

	mu   sync.Mutex
	all  []*recording            // by file name
	left map[string][]*recording // by hash, in the order recorded
	seen map[string]int          // how many there were
}

// NewReplayer reads the recordings in a directory. vault may be nil.
func NewReplayer(dir string, vault *secret.Vault) (*Replayer, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("read recordings: %w", err)
	}
	r := &Replayer{vault: vault, left: map[string][]*recording{}, seen: map[string]int{}}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".json") || strings.HasPrefix(e.Name(), ".") || e.IsDir() {
			continue
		}
		rec, err := loadRecording(dir, e.Name())
		if err != nil {
			return nil, err
		}
		if err := r.add(rec); err != nil {
			return nil, err
		}
	}
	if len(r.all) == 0 {
		return nil, fmt.Errorf("there are no recordings in %s: make some with --record", dir)
	}
	for _, list := range r.left {
		slices.SortFunc(list, func(a, b *recording) int { return cmp.Compare(a.Use, b.Use) })
	}
	return r, nil
}

func loadRecording(dir, name string) (*recording, error) {
	f, err := os.Open(filepath.Join(dir, name))
	if err != nil {
		return nil, fmt.Errorf("read recording: %w", err)
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, maxRecording+1))
	if err != nil {
		return nil, fmt.Errorf("read recording: %w", err)
	}
	if len(data) > maxRecording {
		return nil, fmt.Errorf("recording %s is larger than %d MiB", name, maxRecording>>20)
	}
	return readRecording(name, data)
}

func (r *Replayer) add(rec *recording) error {
	name, err := hash(rec.Request)
	if err != nil {
		return err
	}
	r.all = append(r.all, rec)
	r.left[name] = append(r.left[name], rec)
	r.seen[name]++
	return nil
}

// Complete answers as it was recorded.
func (r *Replayer) Complete(ctx context.Context, req chat.Request, emit func(chat.Delta)) (chat.Response, error) {
	if err := ctx.Err(); err != nil {
		return chat.Response{}, &chat.Error{Message: "stopped: " + err.Error(), Transient: true}
	}
	question, err := canonical(&req, r.vault)
	if err != nil {
		return chat.Response{}, &chat.Error{Message: err.Error()}
	}
	name, err := hash(question)
	if err != nil {
		return chat.Response{}, &chat.Error{Message: err.Error()}
	}
	rec, times := r.take(name)
	switch {
	case rec == nil && times > 0:
		return chat.Response{}, &chat.Error{Message: fmt.Sprintf(
			"the request of node %q is in the recordings %d times (%s), and this is once more", req.Node, times, fileName(name, 1))}
	case rec == nil:
		return chat.Response{}, r.miss(&req, question)
	case rec.Error != nil:
		e := rec.Error
		return chat.Response{}, &chat.Error{Message: e.Message, Status: e.Status, Transient: e.Transient, RetryAfter: e.RetryAfter}
	}
	resp := *rec.Response
	if emit != nil && resp.Message.Content != "" {
		emit(chat.Delta{Text: resp.Message.Content})
	}
	return resp, nil
}

func (r *Replayer) take(hash string) (rec *recording, times int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	list := r.left[hash]
	if len(list) == 0 {
		return nil, r.seen[hash]
	}
	r.left[hash] = list[1:]
	return list[0], r.seen[hash]
}

// miss says which recording comes nearest, and where it differs first.
func (r *Replayer) miss(req *chat.Request, question any) *chat.Error {
	var best *recording
	var where difference
	for _, rec := range r.all {
		d := compare(rec.Request, question)
		if rec.Node == req.Node {
			d.same++
		}
		if best == nil || d.same > where.same {
			best, where = rec, d
		}
	}
	return &chat.Error{Message: fmt.Sprintf("no recording answers this request of node %q; the nearest is %s (node %q), where %s",
		req.Node, best.file, best.Node, where)}
}
