// Package googlecall is what the backends of Google's services have in common: how a
// tool names its action, its account and its options, and how a call gets from the
// arguments of a model to a request with sound arguments.
package googlecall

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/build"
	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/expr"
	"github.com/weft-engine/weft/engine/shape"
	"github.com/weft-engine/weft/engine/source"
	"github.com/weft-engine/weft/nodes/google"
	"github.com/weft-engine/weft/nodes/internal/mail"
)

// Action is one thing that a tool can do, as far as its arguments and options go.
type Action struct {
	Name    string
	What    string // for messages: "send the mail"
	Effect  engine.Effect
	Needs   []string // arguments that must be there
	Texts   []string // arguments that are a text
	Lists   []string // arguments that are a text or a list of texts
	Options []string // options of the spec that it goes by
	Result  *shape.Type
}

// Tool is one tool, compiled.
type Tool struct {
	Google *google.Accounts
	Action Action

	account  *expr.Value
	input    *expr.Value // nil: the arguments
	endpoint string
	allowed  []string // nil: everybody
}

// Request is a call made ready when its operation is planned.
type Request struct {
	Account string // "" for the only one
	Args    Arguments
	Since   time.Time // when the run began: what the call did is not older
}

// Prepare evaluates what a call works with, and checks it.
func (t *Tool) Prepare(scope map[string]any) (*Request, error) {
	r := &Request{}
	data := scope["args"]
	var err error
	if t.input != nil {
		if data, err = t.input.Eval(scope); err != nil {
			return nil, t.Refuse("input: %s", err)
		}
	}
	r.Args.data, _ = data.(map[string]any)
	if t.account != nil {
		if r.Account, err = t.account.String(scope); err != nil {
			return nil, t.Refuse("account: %s", err)
		}
		r.Account = strings.ToLower(strings.TrimSpace(r.Account))
	}
	if run, ok := scope["run"].(map[string]any); ok {
		r.Since, _ = run["started_at"].(time.Time)
	}
	if err := r.Args.check(t.Action); err != nil {
		return nil, t.Refuse("%s", err)
	}
	return r, nil
}

// Client returns the client of the call's account.
func (t *Tool) Client(r *Request) (*google.Client, error) {
	c, err := t.Google.Client(r.Account, t.endpoint)
	if err != nil {
		return nil, t.Refuse("%s", err)
	}
	return c, nil
}

// MayReach reports whether something may be sent to an address.
func (t *Tool) MayReach(address string) bool {
	if t.allowed == nil {
		return true
	}
	address = strings.ToLower(address)
	at := strings.LastIndexByte(address, '@')
	return at > 0 && (slices.Contains(t.allowed, address) || slices.Contains(t.allowed, address[at:]))
}

// Refuse makes a failure that will not go away.
func (t *Tool) Refuse(format string, args ...any) error {
	return &engine.Failure{Class: engine.Permanent, Message: t.Action.What + ": " + fmt.Sprintf(format, args...)}
}

// Failure classes an error. A Refusal has its class already.
func (t *Tool) Failure(err error) error {
	if no, ok := errors.AsType[*Refusal](err); ok {
		return t.Refuse("%s", no.text)
	}
	return google.Failure(t.Action.What, err, t.Action.Effect != engine.EffectOnce)
}

// Uncertain reports an error after which what was asked for may have been done.
func (t *Tool) Uncertain(err error) bool {
	f, ok := errors.AsType[*engine.Failure](t.Failure(err))
	return ok && f.Class == engine.Uncertain
}

// Refusal is an error of ours: trying again changes nothing.
type Refusal struct{ text string }

// Error returns what is wrong.
func (r *Refusal) Error() string { return r.text }

// Refusef makes a Refusal.
func Refusef(format string, args ...any) error { return &Refusal{fmt.Sprintf(format, args...)} }

// Upper makes a sentence of words.
func Upper(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:] + "."
}

// Clip is a text on one line, for a message.
func Clip(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > 80 {
		text = strings.ToValidUTF8(text[:80], "") + "…"
	}
	return text
}

// Compiler reads the definition of one tool.
type Compiler struct {
	Scope  *build.Scope
	Tool   *engine.Tool
	Def    *source.Value
	failed bool
}

// Report adds a finding, after which there is no backend.
func (c *Compiler) Report(f diag.Finding) {
	c.failed = true
	c.Scope.Report(f)
}

// Failed reports that findings were added.
func (c *Compiler) Failed() bool { return c.failed }

// Compile reads what all tools have. Options of the service are read by the caller.
func (c *Compiler) Compile(accounts *google.Accounts, a Action) *Tool {
	t := &Tool{Google: accounts, Action: a}
	t.account, t.input = c.Scope.Value(c.Def.Get("account")), c.Scope.Value(c.Def.Get("input"))
	t.endpoint = Endpoint(c.Def.Get("endpoint"), c.Report)
	t.allowed = c.recipients()
	c.options(a)
	if t.input == nil {
		c.arguments(a)
	}
	return t
}

// Endpoint reads the address of a local Google, "" when v is nil.
func Endpoint(v *source.Value, report func(diag.Finding)) string {
	if v == nil {
		return ""
	}
	if !google.Loopback(v.Text) {
		report(BadEndpoint.At(v.Pos, "%q is not an address on this machine", v.Text).
			WithHint("Leave `endpoint` out to reach Google; a local Google is at an address such as http://127.0.0.1:8080."))
	}
	return v.Text
}

// options reports options that the action does not go by.
func (c *Compiler) options(a Action) {
	for _, f := range c.Def.Fields {
		if slices.Contains([]string{"action", "account", "input", "endpoint"}, f.Key) || slices.Contains(a.Options, f.Key) {
			continue
		}
		hint := "Leave it out."
		if len(a.Options) > 0 {
			hint = "Leave it out; " + a.Name + " takes " + strings.Join(a.Options, ", ") + "."
		}
		c.Report(BadOption.At(f.Pos, "the action %s does not go by %s", a.Name, f.Key).WithHint("%s", hint))
	}
}

// recipients reads the list of those whom something may be sent to, nil when there is none.
func (c *Compiler) recipients() []string {
	v := c.Def.Get("recipients")
	if v == nil {
		return nil
	}
	out := []string{}
	for _, item := range v.Items {
		text := strings.ToLower(strings.TrimSpace(item.Text))
		probe := text
		if strings.HasPrefix(text, "@") {
			probe = "x" + text
		}
		if a, err := mail.Address(probe); err != nil || a != probe {
			c.Report(BadAddress.At(item.Pos, "%q is neither an address nor a domain", item.Text).
				WithHint("Write ana@example.com for one person, or @example.com for everybody of a domain."))
			continue
		}
		out = append(out, text)
	}
	return out
}

// arguments reports a tool whose parameters do not give what the action needs.
func (c *Compiler) arguments(a Action) {
	var fields map[string]*shape.Type
	open := false
	if c.Tool.Params != nil {
		t := c.Tool.Params.Type()
		fields, open = t.Fields, t.Open
	}
	for _, need := range a.Needs {
		if fields[need] == nil && !open {
			c.Report(NoArgument.At(c.Def.Get("action").Pos, "the action %s needs the argument %s, which tool %q does not have", a.Name, need, c.Tool.Name).
				WithHint("Add %s to the tool's parameters, or make the arguments with `input`.", need))
		}
	}
}
