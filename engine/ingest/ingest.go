// Package ingest makes runs out of what triggers listen to. A pass polls the source,
// accepts what is new in the trigger's ledger, and makes a run of each item, each once,
// however often a pass is killed or started beside another. Pass is its main function.
//
//	source ─poll─▶ ledger ─item─▶ run in its thread ─▶ settled in the ledger
//
// What was accepted and not settled is picked up by the next pass: the id of the run
// that an item makes is a function of its key, so a run that has begun is known again.
package ingest

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/local"
	"github.com/weft-engine/weft/engine/trigger"
)

// Ingester makes passes of triggers. Its fields are set before the first pass.
type Ingester struct {
	Store   engine.Store
	Runner  *local.Runner
	Program *engine.Program
	// Pinned returns the program that a thread's run is pinned to, to carry on a run that
	// was stopped halfway or to cancel one.
	Pinned   func(ctx context.Context, h engine.Head) (*engine.Program, error)
	Owner    string // unique among those who use the store
	User     string // whose memories are meant
	Now      func() time.Time
	Parallel int        // runs at a time, of different threads; default 4
	Tell     func(Item) // told of each item as it is dealt with, one after the other; may be nil
}

// Item is what a pass did about one event.
type Item struct {
	Key     string          `json:"key"`
	Thread  engine.ThreadID `json:"thread"`
	Outcome string          `json:"outcome"` // ran, skipped, failed, waits
	Status  engine.Status   `json:"status,omitempty"`
	Reason  string          `json:"reason,omitempty"`
	Asks    []string        `json:"asks,omitempty"`   // titles of the open interrupts
	Output  any             `json:"output,omitempty"` // of a run that is done, when this pass ended it
}

// waits is the outcome of an item that stays in the ledger.
const waits = "waits"

// Report is what a pass did.
type Report struct {
	Polled  int  `json:"polled"` // events that the source gave
	New     int  `json:"new"`
	Ran     int  `json:"ran"`
	Skipped int  `json:"skipped"`
	Failed  int  `json:"failed"`
	Waiting int  `json:"waiting"` // left for a later pass
	Busy    bool `json:"busy,omitempty"`
	// Paused is why the source was not asked: a person has to mend something first.
	Paused   *engine.TriggerPaused `json:"paused,omitempty"`
	Problems []trigger.Problem     `json:"problems,omitempty"`
}

// Options are what a pass does beside the usual.
type Options struct {
	Force bool // poll although the trigger is paused
	Retry bool // run what failed in earlier passes once more
}

// pollTimeout bounds one poll.
const pollTimeout = 5 * time.Minute

// maxPolls bounds how often one pass polls a source that always has more.
const maxPolls = 1000

// pass is one pass of one trigger.
type pass struct {
	*Ingester
	t      *engine.Trigger
	ledger *ledger
	mu     sync.Mutex
	report Report
	told   map[string]bool // keys of items that wait
	fresh  map[string]bool // keys of items whose run certainly has not begun
	inRow  int             // runs that failed one after the other
	why    string          // the last of them failed
}

// Pass makes one pass of a trigger: what was left over by earlier passes, then what is
// new. When another pass of the trigger is under way it does nothing and says Busy. A
// source that a person must mend first pauses the trigger. When several runs in a row
// fail, the rest is left for a later pass: a model that cannot be reached must not use
// up a mailbox. The report is right also when an error comes with it.
func (i *Ingester) Pass(ctx context.Context, name string, o Options) (Report, error) {
	t := i.Program.Trigger(name)
	if t == nil {
		return Report{}, fmt.Errorf("no trigger %q in spec %s", name, i.Program.Name)
	}
	l, err := openLedger(ctx, i.Store, LedgerID(i.Program.Name, name), i.Owner, i.Now)
	if errors.Is(err, engine.ErrLeased) {
		return Report{Busy: true}, nil
	}
	if err != nil {
		return Report{}, fmt.Errorf("trigger %s: %w", name, err)
	}
	p := &pass{Ingester: i, t: t, ledger: l, told: map[string]bool{}, fresh: map[string]bool{}}
	err = p.run(ctx, o)
	p.report.Waiting = len(l.pending())
	return p.report, errors.Join(err, l.release(ctx))
}

func (p *pass) run(ctx context.Context, o Options) error {
	if o.Retry {
		err := p.ledger.retry(ctx, func(i engine.TriggerItem) string { return RunID(p.Program.Name, p.t.Name, i.Key+"\x00"+i.Run) })
		if err != nil {
			return err
		}
	}
	if err := p.handle(ctx); err != nil {
		return err
	}
	if p.ledger.paused != nil && !o.Force && !p.renewed() {
		p.report.Paused = p.ledger.paused
		return nil
	}
	for range maxPolls {
		more, err := p.poll(ctx)
		if err != nil {
			return err
		}
		if err := p.handle(ctx); err != nil || !more {
			return err
		}
	}
	return nil
}

// renewed reports whether the login that did not work is another one now.
func (p *pass) renewed() bool {
	signed, ok := p.t.Source.(trigger.Signed)
	return ok && signed.Sign() != p.ledger.paused.Sign
}

// poll asks the source and accepts what it gives.
func (p *pass) poll(ctx context.Context) (more bool, err error) {
	pollCtx, cancel := context.WithTimeout(ctx, pollTimeout)
	defer cancel()
	batch, err := p.t.Source.Poll(pollCtx, p.ledger.cursor)
	if pause, ok := errors.AsType[*trigger.Pause](err); ok {
		return false, p.pause(ctx, pause)
	}
	if err != nil {
		return false, fmt.Errorf("poll trigger %s: %w", p.t.Name, err)
	}
	p.report.Polled += len(batch.Events)
	p.report.Problems = append(p.report.Problems, batch.Problems...)
	items := make([]engine.TriggerItem, 0, len(batch.Events))
	for _, ev := range batch.Events {
		item, err := p.item(ev)
		if err != nil {
			p.report.Problems = append(p.report.Problems, trigger.Problem{Key: ev.Key, Message: err.Error()})
			continue
		}
		items = append(items, item)
	}
	fresh, err := p.ledger.accept(ctx, batch.Cursor, items)
	p.report.New += len(fresh)
	for _, item := range fresh {
		p.setFresh(item.Key, true)
	}
	return batch.More, err
}

func (p *pass) pause(ctx context.Context, cause *trigger.Pause) error {
	ev := &engine.TriggerPaused{Reason: cause.Reason, Mend: cause.Mend}
	if signed, ok := p.t.Source.(trigger.Signed); ok {
		ev.Sign = signed.Sign()
	}
	p.report.Paused = ev
	return p.ledger.pause(ctx, ev)
}

// item makes of an event what is to be run.
func (p *pass) item(ev trigger.Event) (engine.TriggerItem, error) {
	data, err := engine.Plain(ev.Data)
	if err != nil {
		return engine.TriggerItem{}, err
	}
	scope := map[string]any{"event": data}
	key, err := p.t.Dedupe.Render(scope)
	if err != nil {
		return engine.TriggerItem{}, fmt.Errorf("dedupe: %w", err)
	}
	key = cmp.Or(strings.TrimSpace(key), ev.Key)
	name, err := p.t.Thread.Render(scope)
	if err != nil {
		return engine.TriggerItem{}, fmt.Errorf("thread: %w", err)
	}
	thread := threadName(cmp.Or(strings.TrimSpace(name), p.t.Name+"-"+key))
	if thread.Internal() {
		return engine.TriggerItem{}, fmt.Errorf("thread: names that begin with memory: or trigger: belong to the engine")
	}
	input, err := p.input(scope)
	if err != nil {
		return engine.TriggerItem{}, err
	}
	return engine.TriggerItem{Key: key, Thread: thread, Run: RunID(p.Program.Name, p.t.Name, key), Input: input}, nil
}

func (p *pass) input(scope map[string]any) (map[string]any, error) {
	if p.t.Input == nil {
		return nil, nil
	}
	v, err := p.t.Input.Eval(scope)
	if err == nil {
		v, err = engine.Plain(v)
	}
	if err != nil {
		return nil, fmt.Errorf("input: %w", err)
	}
	input, ok := v.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("input is %T, not an object", v)
	}
	return input, nil
}

// threadName makes the name of a thread out of a text that may come from anywhere: one
// that cannot be a name gets one made of its hash.
func threadName(text string) engine.ThreadID {
	id := engine.ThreadID(text)
	if id.Check() == nil {
		return id
	}
	return engine.ThreadID(digest(text))
}

// RunID returns the id of the run that a trigger makes of an event.
func RunID(spec, trigger, key string) string {
	return "t" + digest(spec + "\x00" + trigger + "\x00" + key)[:15]
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(sum[:20]))
}
