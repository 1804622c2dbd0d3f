package local

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/chat"
	"github.com/weft-engine/weft/engine/secret"
	"github.com/weft-engine/weft/engine/source"
)

// intend journals the intents of the calls that are about to be made and must not
// be made twice.
func (d *driver) intend() error {
	for _, e := range d.queue[:min(len(d.queue), d.room())] {
		if e.Perform.Effect != engine.EffectOnce || e.Intended {
			continue
		}
		args := e.Perform.Args
		if d.r.Vault != nil {
			args = d.r.Vault.RedactValue(args)
		}
		ev := &engine.CallStarted{At: d.now(), Target: e.Target, Attempt: e.Call.Attempt, Label: e.Perform.Label, Args: args}
		if err := d.apply(ev); err != nil {
			return err
		}
	}
	return nil
}

// room is how many more calls may be under way.
func (d *driver) room() int {
	limit := d.r.Parallel
	if limit <= 0 {
		limit = 64
	}
	return max(0, limit-len(d.running))
}

// call starts the calls for which there is room, each in a goroutine that await or
// stop waits for.
func (d *driver) call(ctx context.Context) {
	n := min(len(d.queue), d.room())
	for _, e := range d.queue[:n] {
		if d.r.Watch.Call != nil {
			d.r.Watch.Call(d.thread, e)
		}
		timeout, refused := d.r.timeout(e, d.clock)
		callCtx, cancel := context.WithTimeout(ctx, timeout)
		d.running[e.Target] = &running{cancel: cancel, once: e.Perform.Effect == engine.EffectOnce}
		p := &performer{r: d.r, clock: d.clock, thread: d.thread, invoke: e, timeout: timeout, refused: refused}
		if refused == nil && e.Perform.Refuse != nil { // here, because it looks at what the scheduler owns
			p.refused = e.Perform.Refuse()
		}
		go func() { d.results <- outcome{target: e.Target, event: p.event(callCtx)} }()
	}
	d.queue = append(d.queue[:0], d.queue[n:]...)
}

// timeout is how long a call may take, and why it is not made any more: an earlier
// process may have begun it, and then it is only looked up. Node and run cut off calls
// that may be made twice themselves.
func (r *Runner) timeout(e *engine.Invoke, clock Clock) (d time.Duration, refused *engine.Failure) {
	d = e.Perform.Timeout
	switch {
	case d > 0:
	case r.CallTimeout > 0:
		d = r.CallTimeout
	default:
		d = 10 * time.Minute
	}
	if e.Until.IsZero() {
		return d, nil
	}
	left := e.Until.Sub(clock.Now())
	if left <= 0 {
		return d, &engine.Failure{Class: engine.Timeout, Message: fmt.Sprintf("%s was not made: the time of its node or run has run out", e.Perform.Label)}
	}
	return min(d, left), nil
}

// performer makes one call and tells what became of it.
type performer struct {
	r       *Runner
	clock   Clock
	thread  engine.ThreadID
	invoke  *engine.Invoke
	timeout time.Duration
	refused *engine.Failure // why the call is not made; nil when it is
}

// event makes the call. It returns nil when the call was given up and nothing can
// be said of it.
func (p *performer) event(ctx context.Context) engine.Event {
	e := p.invoke
	if e.Intended {
		if ev, again := p.settle(ctx, "the process that made it stopped"); !again {
			return ev
		}
	}
	if ev := p.cached(ctx); ev != nil {
		return ev
	}
	if p.refused != nil {
		return p.failure(*p.refused)
	}
	result, err := p.handle(ctx)
	if err == nil {
		return p.done(ctx, result)
	}
	return p.failed(ctx, err)
}

func (p *performer) now() time.Time { return p.clock.Now().UTC().Truncate(time.Millisecond) }

// call returns the handler's call, with the stream wired. end hands on what the
// stream holds back of the text.
func (p *performer) call() (call engine.Call, end func()) {
	call = p.invoke.Call
	stream, node := &secret.Stream{Vault: p.r.Vault}, call.Node
	show := func(text string) {
		if p.r.Watch.Text != nil && text != "" {
			p.r.Watch.Text(p.thread, node, text)
		}
	}
	call.Emit = func(text string) { show(stream.Next(text)) }
	return call, func() { show(stream.Rest()) }
}

// handle calls the handler; its panic is an error.
func (p *performer) handle(ctx context.Context) (result engine.Result, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &engine.Failure{Class: engine.Uncertain, Message: fmt.Sprintf("%s broke: %v", p.invoke.Perform.Label, v)}
		}
	}()
	call, end := p.call()
	defer end()
	return p.invoke.Perform.Handler.Handle(ctx, call)
}

// settle finds out about a call in doubt. again says that it did not happen.
func (p *performer) settle(ctx context.Context, reason string) (ev engine.Event, again bool) {
	looker, ok := p.invoke.Perform.Handler.(engine.Looker)
	if !ok {
		return &engine.CallInDoubt{At: p.now(), Target: p.invoke.Target, Reason: reason}, false
	}
	call, end := p.call()
	result, found, err := looker.Lookup(ctx, call)
	end()
	switch {
	case ctx.Err() != nil && errors.Is(ctx.Err(), context.Canceled):
		return nil, false
	case err != nil:
		return &engine.CallInDoubt{At: p.now(), Target: p.invoke.Target, Reason: reason + ", and looking it up failed: " + p.strike(err.Error())}, false
	case found:
		return p.done(ctx, result), false
	default:
		return nil, true
	}
}

// failed classes an error. A call that was given up because the process stops or
// nobody wants it any more has no event, unless it may have had its effect.
func (p *performer) failed(ctx context.Context, err error) engine.Event {
	once := p.invoke.Perform.Effect == engine.EffectOnce
	f := classify(err)
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return nil
	case errors.Is(ctx.Err(), context.DeadlineExceeded) && f.Class != engine.Limit:
		f = engine.Failure{Class: engine.Timeout, Message: fmt.Sprintf("%s took longer than %s", p.invoke.Perform.Label, p.timeout)}
	}
	if once && (f.Class == engine.Uncertain || f.Class == engine.Timeout) {
		return p.unsure(ctx, f)
	}
	if f.Class == engine.Uncertain {
		f.Class = engine.Transient
	}
	return p.failure(f)
}

func (p *performer) failure(f engine.Failure) engine.Event {
	f.Message = p.strike(f.Message)
	return &engine.CallFailed{At: p.now(), Target: p.invoke.Target, Failure: f, Jitter: p.r.Rand()}
}

// unsure settles a once call whose outcome is not known.
func (p *performer) unsure(ctx context.Context, f engine.Failure) engine.Event {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), p.timeout)
	defer cancel()
	ev, again := p.settle(ctx, p.strike(f.Message))
	if !again {
		return ev
	}
	return p.failure(engine.Failure{Class: engine.Transient, Message: f.Message})
}

func classify(err error) engine.Failure {
	if f, ok := errors.AsType[*engine.Failure](err); ok {
		out := *f
		if out.Class == "" {
			out.Class = engine.Permanent
		}
		return out
	}
	var model *chat.Error
	if errors.As(err, &model) && model.Transient {
		return engine.Failure{Class: engine.Transient, Message: err.Error(), RetryAfter: model.RetryAfter}
	}
	return engine.Failure{Class: engine.Permanent, Message: err.Error()}
}

// maxResult bounds what one call may bring into a thread.
const maxResult = 16 << 20

func (p *performer) done(ctx context.Context, result engine.Result) engine.Event {
	value, err := engine.Plain(result.Value)
	if err != nil {
		return p.failure(engine.Failure{Class: engine.Permanent, Message: fmt.Sprintf("result of %s: %v", p.invoke.Perform.Label, err)})
	}
	if n := size(value); n > maxResult {
		return p.failure(engine.Failure{Class: engine.Permanent, Message: fmt.Sprintf("result of %s is %d MiB; %d MiB is the limit", p.invoke.Perform.Label, n>>20, maxResult>>20)})
	}
	if p.r.Vault != nil {
		value = p.r.Vault.RedactValue(value)
	}
	p.keep(ctx, value)
	return &engine.CallDone{At: p.now(), Target: p.invoke.Target, Value: value, Usage: result.Usage}
}

// size is about how many bytes a value takes.
func size(v any) int {
	n := 8
	switch v := v.(type) {
	case string:
		n += len(v)
	case []any:
		for _, item := range v {
			n += size(item)
		}
	case map[string]any:
		for key, item := range v {
			n += len(key) + size(item)
		}
	}
	return n
}

func (p *performer) strike(text string) string {
	if p.r.Vault == nil {
		return text
	}
	return p.r.Vault.Redact(text)
}

// cached returns the kept result of an equal call, nil when there is none.
func (p *performer) cached(ctx context.Context) engine.Event {
	if p.invoke.Cache == "" {
		return nil
	}
	data, err := p.r.Store.Cached(ctx, p.invoke.Cache, p.now())
	if err != nil {
		if !errors.Is(err, engine.ErrNotFound) {
			p.r.Log.Warn().Err(err).Str("node", p.invoke.Call.Node).Msg("node cache not read")
		}
		return nil
	}
	value, err := source.DecodeJSON(data)
	if err != nil {
		p.r.Log.Warn().Err(err).Str("node", p.invoke.Call.Node).Msg("node cache not understood")
		return nil
	}
	return &engine.CallDone{At: p.now(), Target: p.invoke.Target, Value: value, Cached: true}
}

// keep caches a result. A result that cannot be kept is only not cached.
func (p *performer) keep(ctx context.Context, value any) {
	if p.invoke.Cache == "" {
		return
	}
	data, err := json.Marshal(value)
	if err != nil || len(data) > maxCached {
		return
	}
	err = p.r.Store.Cache(ctx, p.invoke.Cache, data, p.now().Add(p.invoke.TTL))
	if err != nil {
		p.r.Log.Warn().Err(err).Str("node", p.invoke.Call.Node).Msg("node cache not written")
	}
}

// maxCached bounds one cached result.
const maxCached = 1 << 20
