package ingest

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/local"
	"github.com/weft-engine/weft/engine/trigger"
)

// handle makes runs of the items that are not settled: those of one thread one after
// the other, in the order they came, those of different threads side by side.
func (p *pass) handle(ctx context.Context) error {
	var order []engine.ThreadID
	threads := map[engine.ThreadID][]engine.TriggerItem{}
	for _, item := range p.ledger.pending() {
		if threads[item.Thread] == nil {
			order = append(order, item.Thread)
		}
		threads[item.Thread] = append(threads[item.Thread], item)
	}
	jobs := make(chan []engine.TriggerItem)
	var wg sync.WaitGroup
	var failures []error
	for range min(p.parallel(), len(order)) {
		wg.Go(func() {
			for items := range jobs {
				if err := p.thread(ctx, items); err != nil {
					p.mu.Lock()
					failures = append(failures, err)
					p.mu.Unlock()
				}
			}
		})
	}
	for _, id := range order {
		if ctx.Err() != nil {
			break
		}
		jobs <- threads[id]
	}
	close(jobs)
	wg.Wait()
	if p.hopeless() {
		failures = append(failures, fmt.Errorf("%d runs in a row failed, so the rest waits for a later pass: %s", p.inRow, p.why))
	}
	return errors.Join(append(failures, ctx.Err())...)
}

// maxInRow is how many runs may fail one after the other before the rest is left.
const maxInRow = 5

// hopeless reports whether no more runs are begun.
func (p *pass) hopeless() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.inRow >= maxInRow
}

func (p *pass) parallel() int {
	if p.Parallel > 0 {
		return p.Parallel
	}
	return 4
}

// thread deals with the items of one thread. It ends at the first that has to wait:
// the later ones wait behind it.
func (p *pass) thread(ctx context.Context, items []engine.TriggerItem) error {
	for _, item := range items {
		if p.hopeless() {
			return nil
		}
		out, err := p.one(ctx, item)
		if err != nil {
			return p.problem(ctx, item, err)
		}
		p.tell(out)
		if out.Outcome == waits {
			return nil
		}
		if err := p.ledger.settle(ctx, item.Key, out.Outcome, out.Reason); err != nil {
			return err
		}
	}
	return nil
}

// problem keeps what could not be done; the next pass tries again. That the pass is
// stopped is no problem of the item.
func (p *pass) problem(ctx context.Context, item engine.TriggerItem, err error) error {
	if ctx.Err() != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.report.Problems = append(p.report.Problems, trigger.Problem{Key: item.Key, Message: fmt.Sprintf("thread %s: %s", item.Thread, err), Again: true})
	return nil
}

func (p *pass) tell(out Item) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch out.Outcome {
	case ran:
		p.report.Ran++
		p.inRow = 0
	case skipped:
		p.report.Skipped++
	case failed:
		p.report.Failed++
		if out.Status != "" {
			p.inRow, p.why = p.inRow+1, out.Reason
		}
	case waits:
		if p.told[out.Key] { // after each poll those are tried again that had to wait
			return
		}
		p.told[out.Key] = true
	}
	if p.Tell != nil {
		p.Tell(out)
	}
}

// one makes a run of one item, unless its thread does not allow it now.
func (p *pass) one(ctx context.Context, item engine.TriggerItem) (Item, error) {
	out := Item{Key: item.Key, Thread: item.Thread}
	head, found, err := p.head(ctx, item.Thread)
	if err != nil {
		return out, err
	}
	if found {
		began, err := p.began(ctx, head, item)
		if err != nil {
			return out, err
		}
		if began {
			return p.carryOn(ctx, head, out)
		}
	}
	if found && !head.Summary.Status.Ended() {
		if done, err := p.makeWay(ctx, head, item, &out); done || err != nil {
			return out, err
		}
	}
	p.setFresh(item.Key, false)
	res, err := p.Runner.Run(ctx, p.Program, local.Start{
		Thread: item.Thread, Graph: p.t.Graph, User: p.User, Input: item.Input, Run: item.Run,
	})
	return p.became(out, res, err)
}

func (p *pass) head(ctx context.Context, thread engine.ThreadID) (engine.Head, bool, error) {
	for h, err := range p.Store.Threads(ctx, engine.Filter{Thread: thread}) {
		return h, err == nil, err
	}
	return engine.Head{}, false, nil
}

func (p *pass) isFresh(key string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.fresh[key]
}

func (p *pass) setFresh(key string, fresh bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if fresh {
		p.fresh[key] = true
	} else {
		delete(p.fresh, key)
	}
}

// began reports whether the item's run has begun, in an earlier pass or in this one. It
// looks only once: nobody else begins the runs of a trigger while this pass has its lease.
func (p *pass) began(ctx context.Context, head engine.Head, item engine.TriggerItem) (bool, error) {
	if p.isFresh(item.Key) {
		return false, nil
	}
	began, err := p.holds(ctx, head, item.Run)
	if err == nil && !began {
		p.setFresh(item.Key, true)
	}
	return began, err
}

// holds reports whether a run has begun in a thread.
func (p *pass) holds(ctx context.Context, head engine.Head, run string) (bool, error) {
	if head.Summary.Run == run {
		return true, nil
	}
	blob := func(h engine.Hash) ([]byte, error) { return p.Store.Blob(ctx, h) }
	for rec, err := range p.Store.Read(ctx, head.Thread, 0) {
		if err != nil {
			return false, err
		}
		if rec.Kind != engine.KindRunStarted {
			continue
		}
		ev, err := engine.DecodeEvent(rec, blob)
		if err != nil {
			return false, err
		}
		if started, ok := ev.(*engine.RunStarted); ok && started.Run == run {
			return true, nil
		}
	}
	return false, nil
}

// carryOn takes a run that has begun to where it ends or waits.
func (p *pass) carryOn(ctx context.Context, head engine.Head, out Item) (Item, error) {
	if head.Summary.Status != engine.Running {
		out.Reason = head.Summary.Error
		return p.ended(out, head.Summary.Status, head.Summary.Interrupts), nil
	}
	res, err := p.resume(ctx, head)
	return p.became(out, res, err)
}

// resume goes on with a run that was stopped halfway, on the spec that it began with.
func (p *pass) resume(ctx context.Context, head engine.Head) (local.Result, error) {
	program, err := p.Pinned(ctx, head)
	if err != nil {
		return local.Result{}, err
	}
	return p.Runner.Resume(ctx, program, head.Thread)
}

// makeWay deals with a run that is not over when the next one is due in its thread.
// done says that out is what becomes of the item.
func (p *pass) makeWay(ctx context.Context, head engine.Head, item engine.TriggerItem, out *Item) (done bool, err error) {
	status := head.Summary.Status
	if status == engine.Running {
		res, err := p.resume(ctx, head)
		if errors.Is(err, engine.ErrLeased) {
			out.Outcome, out.Reason = waits, "another process drives the thread"
			return true, nil
		}
		if err != nil {
			return true, err
		}
		status = res.Status
	}
	if status.Ended() {
		return false, nil
	}
	switch p.t.WhenOpen {
	case engine.SkipEvent:
		out.Outcome, out.Reason = skipped, "the thread waits for an answer"
		return true, nil
	case engine.SupersedeEvent:
		return false, p.supersede(ctx, head, item)
	default:
		out.Outcome, out.Reason = waits, "the thread waits for an answer"
		return true, nil
	}
}

func (p *pass) supersede(ctx context.Context, head engine.Head, item engine.TriggerItem) error {
	program, err := p.Pinned(ctx, head)
	if err != nil {
		return err
	}
	_, err = p.Runner.Cancel(ctx, program, head.Thread, "trigger "+p.t.Name, "superseded by "+item.Key)
	if errors.Is(err, engine.ErrFinished) {
		return nil
	}
	return err
}

// became says what a run came to. An input that does not fit settles the item: trying
// again would not mend it.
func (p *pass) became(out Item, res local.Result, err error) (Item, error) {
	var misfit *local.InputError
	switch {
	case errors.As(err, &misfit):
		out.Outcome, out.Reason = failed, err.Error()
		return out, nil
	case errors.Is(err, engine.ErrLeased) || errors.Is(err, engine.ErrConflict):
		out.Outcome, out.Reason = waits, "another process drives the thread"
		return out, nil
	case err != nil:
		return out, err
	}
	if res.Failure != nil {
		out.Reason = res.Failure.Message
	}
	if res.Status == engine.Done {
		out.Output = res.Output
	}
	return p.ended(out, res.Status, res.Interrupts), nil
}

// ended says what a run that was made came to.
func (p *pass) ended(out Item, status engine.Status, open []*engine.InterruptRequest) Item {
	out.Outcome, out.Status, out.Asks = ran, status, titles(open)
	if status == engine.Failed || status == engine.Limited {
		out.Outcome = failed
	}
	return out
}

func titles(open []*engine.InterruptRequest) []string {
	var out []string
	for _, r := range open {
		out = append(out, r.Title)
	}
	return out
}
