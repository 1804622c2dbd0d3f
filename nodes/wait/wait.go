// Package wait is the node type wait: a durable timer. Nothing is held in memory while
// it runs, and an instant that has passed does not wait at all.
package wait

import (
	"fmt"
	"strings"
	"time"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/build"
	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/expr"
	"github.com/weft-engine/weft/engine/shape"
	"github.com/weft-engine/weft/engine/source"
)

// Type returns the node type wait.
func Type() build.NodeType {
	output := &shape.Type{Kind: shape.Object, Fields: map[string]*shape.Type{"at": {Kind: shape.String}}}
	return build.NodeType{
		Name: "wait", Rules: Rules(),
		Build: func(s *build.Scope, config *source.Value) build.Node {
			if until := config.Get("until"); until != nil {
				x := s.Expr(until)
				checkType(s, until, x.Type(), shape.Time)
				return build.Node{Plan: &plan{until: x}, Output: output}
			}
			length := config.Get("for")
			if !strings.Contains(length.Text, "{{") {
				return build.Node{Plan: &plan{fixed: s.Duration(length)}, Output: output}
			}
			x := s.Value(length)
			checkType(s, length, x.Type(), shape.Duration)
			return build.Node{Plan: &plan{length: x}, Output: output}
		},
	}
}

// checkType accepts the kind and text, which is read when the node runs.
func checkType(s *build.Scope, v *source.Value, got *shape.Type, kind shape.Kind) {
	what, example := "a duration", "30s, or an expression that gives one"
	if kind == shape.Time {
		what, example = "an instant", "run.now + duration(\"1h\")"
	}
	if got == nil || got.Kind == kind || got.Kind == shape.String || got.Kind == shape.Any {
		return
	}
	s.Report(badTime.At(v.Pos, "%s is wanted here, and this is %s", what, build.Describe(got)).
		WithHint("Write %s.", example))
}

// plan is a configured wait: exactly one of its kinds is meant.
type plan struct {
	until  *expr.Expr
	length *expr.Value
	fixed  time.Duration
}

// Next waits, and then gives {at}: when the wait was over.
func (p *plan) Next(in *engine.Invocation) (engine.Move, error) {
	out, wait, err := in.Do(func() (engine.Op, error) { return p.sleep(in.Scope) })
	if wait != nil || err != nil {
		return in.Stop(wait, err)
	}
	return engine.Finish(map[string]any{"at": out.At.UTC().Format(time.RFC3339Nano)}), nil
}

func (p *plan) sleep(scope map[string]any) (engine.Op, error) {
	switch {
	case p.until != nil:
		v, err := p.until.Eval(scope)
		if err != nil {
			return nil, fmt.Errorf("until: %w", err)
		}
		at, err := instant(v)
		return &engine.Sleep{Until: at}, err
	case p.length != nil:
		v, err := p.length.Eval(scope)
		if err != nil {
			return nil, fmt.Errorf("for: %w", err)
		}
		d, err := duration(v)
		return &engine.Sleep{For: d}, err
	}
	return &engine.Sleep{For: p.fixed}, nil
}

func instant(v any) (time.Time, error) {
	switch v := v.(type) {
	case time.Time:
		return v, nil
	case string:
		at, err := time.Parse(time.RFC3339, v)
		if err != nil {
			return at, fmt.Errorf("until: %q is no instant such as 2026-01-28T06:00:00Z", v)
		}
		return at, nil
	}
	return time.Time{}, fmt.Errorf("until: an instant is wanted, and this is %s", engine.KindOf(v))
}

// duration takes a negative length, the time until something that has passed, as none.
func duration(v any) (time.Duration, error) {
	switch v := v.(type) {
	case time.Duration:
		return max(v, 0), nil
	case string:
		if d, err := time.ParseDuration(v); err == nil && d < 0 {
			return 0, nil
		}
		d, err := build.ParseDuration(v)
		if err != nil {
			return 0, fmt.Errorf("for: %w", err)
		}
		return d, nil
	}
	return 0, fmt.Errorf("for: a duration such as 30s is wanted, and this is %s", engine.KindOf(v))
}

var badTime = diag.Rule{
	Code: "wait/type", Severity: diag.Error, Summary: "Something else stands where an instant or a duration belongs.",
	Explain: "`for` is a duration, `until` an expression that gives an instant.\n\n" +
		"    wait: {until: \"email.subject\"}       # wrong, unless the subject is an instant\n" +
		"    wait: {until: \"run.now + duration('1h')\"}\n" +
		"    wait: {for: 1h}\n",
}

// Rules returns the findings of this package.
func Rules() []diag.Rule { return []diag.Rule{badTime} }
