package spectest

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/expr"
	"github.com/weft-engine/weft/engine/memory"
	"github.com/weft-engine/weft/engine/source"
)

// checker holds a world that has ended against what was expected of it.
type checker struct {
	matcher
	*world
	want *expectation
}

// check returns what does not hold.
func (w *world) check(ctx context.Context) ([]Mismatch, error) {
	c := &checker{world: w, want: w.test.expect}
	c.statusAndError()
	c.pathTaken()
	if c.want.state != nil {
		c.data(c.want.state, w.result.State, "state")
	}
	if c.want.output != nil {
		c.data(c.want.output, w.result.Output, "output")
	}
	c.callsMade()
	c.interruptsRaised()
	if err := c.memoriesHold(ctx); err != nil {
		return nil, err
	}
	if err := c.conditions(ctx); err != nil {
		return nil, err
	}
	c.leftOver()
	return c.found, nil
}

func (c *checker) statusAndError() {
	got, problem := c.status(), c.problem()
	if got != c.want.status && !c.endedBadly(got) {
		pos := c.test.lines.Pos
		if c.want.at != nil {
			pos = c.want.at.Pos
		}
		c.add(pos, "status", lineDiff(string(c.want.status), string(got))+because(append([]string{problem}, c.refused...)))
	}
	if c.want.err != nil && !strings.Contains(problem, c.want.err.Text) {
		c.add(c.want.err.Pos, "error", lineDiff("… "+c.want.err.Text+" …", problem))
	}
}

// because returns reasons as lines below a difference.
func because(reasons []string) string {
	var b strings.Builder
	for _, r := range reasons {
		if r != "" {
			b.WriteString("\n  " + strings.ReplaceAll(r, "\n", "\n  "))
		}
	}
	return b.String()
}

// endedBadly reports whether an expected error is enough: without a status, a limit
// will do as well as a failure.
func (c *checker) endedBadly(got engine.Status) bool {
	return c.want.err != nil && c.want.at == nil && got == engine.Limited
}

func (c *checker) pathTaken() {
	if c.want.path == nil {
		return
	}
	want := make([]string, len(c.want.path.Items))
	for i, item := range c.want.path.Items {
		want[i] = item.Text
	}
	if !slices.Equal(want, c.path) {
		c.add(c.want.path.Pos, "path", diffOf(want, c.path))
	}
}

// callsMade compares the tools that were called, in order, then each call.
func (c *checker) callsMade() {
	if c.want.calls == nil {
		return
	}
	got := c.recorder.ran()
	var wanted, made []string
	for _, item := range c.want.calls.Items {
		wanted = append(wanted, callLine(item.Get("tool").Text, item.Get("args").Go()))
	}
	for _, call := range got {
		made = append(made, callLine(call.tool, call.args))
	}
	if !slices.EqualFunc(c.want.calls.Items, got, func(v *source.Value, call *call) bool { return v.Get("tool").Text == call.tool }) {
		c.add(c.want.calls.Pos, "calls", diffOf(wanted, made))
		return
	}
	for i, item := range c.want.calls.Items {
		c.data(item, got[i].data(), fmt.Sprintf("calls[%d]", i))
	}
}

func callLine(tool string, args any) string {
	if fields, ok := args.(map[string]any); !ok || len(fields) == 0 {
		return tool
	}
	return tool + " " + strings.ReplaceAll(show(args), "\n", " ")
}

func (c *checker) interruptsRaised() {
	if c.want.interrupts == nil {
		return
	}
	items := c.want.interrupts.Items
	named := slices.EqualFunc(items, c.raised, func(v *source.Value, r *engine.InterruptRequest) bool {
		return v.Kind != source.String || Names(r, v.Text)
	})
	if !named {
		var want, got []string
		for _, item := range items {
			want = append(want, show(item.Go()))
		}
		for _, r := range c.raised {
			got = append(got, InterruptName(r))
		}
		c.add(c.want.interrupts.Pos, "interrupts", diffOf(want, got))
		return
	}
	for i, item := range items {
		if item.Kind == source.Map {
			c.data(item, interruptData(c.raised[i]), fmt.Sprintf("interrupts[%d]", i))
		}
	}
}

// InterruptName is the shortest name of an interrupt: its action, its policy or its node.
func InterruptName(r *engine.InterruptRequest) string {
	for _, name := range []string{r.Action, r.Policy} {
		if name != "" {
			return name
		}
	}
	return r.Node
}

func interruptData(r *engine.InterruptRequest) map[string]any {
	allow := make([]any, len(r.Allow))
	for i, a := range r.Allow {
		allow[i] = string(a)
	}
	return map[string]any{
		"action": r.Action, "policy": r.Policy, "node": r.Node, "title": r.Title, "description": r.Description,
		"kind": r.Kind, "allow": allow, "args": r.Args, "default": string(r.Default),
	}
}

func (c *checker) memoriesHold(ctx context.Context) error {
	if c.want.memory == nil {
		return nil
	}
	for _, f := range c.want.memory.Fields {
		p := c.place(f.Key)
		past, err := c.memories.History(ctx, p)
		if err != nil {
			return err
		}
		v, err := c.memories.ReadMemory(ctx, p.Memory, c.test.user, thread)
		if err != nil {
			return err
		}
		before := c.before[f.Key]
		proposed := slices.ContainsFunc(past, func(v memory.Version) bool {
			return v.Status == memory.Proposed && v.Version > before.Version
		})
		c.memoryHolds(f.Value, v.Text, before.Text, "memory."+f.Key, proposed)
	}
	return nil
}

func (c *checker) memoryHolds(want *source.Value, text, before, what string, proposed bool) {
	if v := want.Get("text"); v != nil && v.Text != text {
		c.add(v.Pos, what, lineDiff(v.Text, text))
	}
	for _, part := range oneOrMore(want.Get("contains")) {
		if !strings.Contains(text, part.Text) {
			c.add(part.Pos, what, lineDiff("… "+part.Text+" …", text))
		}
	}
	if v := want.Get("changed"); v != nil && v.Bool != (text != before) {
		if v.Bool {
			c.add(v.Pos, what, "it should have changed, and still is:\n"+prefixed("  ", strings.Split(text, "\n")))
		} else {
			c.add(v.Pos, what, "it should not have changed:\n"+lineDiff(before, text))
		}
	}
	if v := want.Get("proposed"); v != nil && v.Bool != proposed {
		c.differ(v.Pos, what+".proposed", v.Bool, proposed)
	}
}

// leftOver reports answers of the script and of the human that nothing asked for: the
// run took another way than the test believes.
func (c *checker) leftOver() {
	for _, left := range [][2]string{
		{"script", strings.Join(c.script.Unused(), ", ")},
		{"answers", strings.Join(c.answers.Left(), ", ")},
	} {
		if left[1] != "" {
			c.add(c.test.Pos, left[0], "nothing asked for "+left[1])
		}
	}
}

// conditions evaluates `when`.
func (c *checker) conditions(ctx context.Context) error {
	if len(c.want.when) == 0 {
		return nil
	}
	scope, err := c.scope(ctx)
	if err != nil {
		return err
	}
	for i, text := range c.want.when {
		x := expr.CompileCondition(text, c.env(), &diag.List{}) // it was compiled before: there are no findings
		ok, err := x.Bool(scope)
		switch {
		case err != nil:
			c.add(text.Pos, c.whenName(i), "it cannot be evaluated: "+err.Error())
		case !ok:
			c.add(text.Pos, c.whenName(i), "it does not hold: "+strings.TrimSpace(text.Text)+values(x, scope))
		}
	}
	return nil
}

func (c *checker) whenName(i int) string {
	if len(c.want.when) == 1 {
		return "when"
	}
	return fmt.Sprintf("when[%d]", i)
}

// values shows what the names of an expression stand for.
func values(x *expr.Expr, scope map[string]any) string {
	seen := map[string]any{}
	for _, r := range x.Refs() {
		seen[r.Path[0]] = scope[r.Path[0]]
	}
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(seen)) {
		b.WriteString("\n  " + name + " = " + strings.ReplaceAll(show(seen[name]), "\n", "\n  "))
	}
	return b.String()
}
