// Package gmail is the backend of tools that read, sort and send mail of a Gmail
// account, and the source of triggers that listen to one. What a mail says is data: it
// is cleaned when it comes in and never decides whom a mail goes to, and a mail that
// goes out is written here from plain arguments. A mail is sent once: it carries an
// identity made from the call's key, by which it is found again after a crash.
package gmail

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/build"
	"github.com/weft-engine/weft/engine/chat"
	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/expr"
	"github.com/weft-engine/weft/engine/shape"
	"github.com/weft-engine/weft/engine/source"
	"github.com/weft-engine/weft/nodes/google"
	"github.com/weft-engine/weft/nodes/internal/mail"
)

// Deps is what Gmail tools need from the program they run in.
type Deps struct {
	Google *google.Accounts // nil: nothing can be carried out
}

// backend is one Gmail tool, compiled.
type backend struct {
	google   *google.Accounts
	action   *action
	account  *expr.Value
	input    *expr.Value // nil: the arguments
	endpoint string
	options  options
}

// options are what a spec sets and no argument can change.
type options struct {
	draftOnly bool
	allowed   []string // addresses and @domains that mail may go to; none is all
	from      string   // who the mail is from; "" is the account
	quote     bool
	create    bool // labels that do not exist are made
	known     []string
	limit     int
}

// Type is the backend type `gmail`.
func Type(deps Deps) build.BackendType {
	return build.BackendType{
		Name:  "gmail",
		Rules: Rules(),
		Build: func(s *build.Scope, tool *engine.Tool, config *source.Value) build.Backend {
			c := compiler{s: s, def: config, tool: tool}
			b := c.compile()
			if b == nil {
				return build.Backend{}
			}
			b.google = deps.Google
			return build.Backend{Backend: b, Effect: b.action.effect, Settles: b.action.effect == engine.EffectOnce, Result: b.action.result}
		},
	}
}

// request is a call made ready when its operation is planned.
type request struct {
	account string
	args    arguments
	since   time.Time // when the run began: what the call did is not older
}

// Op makes the call ready. A review is computed at once: it looks nothing up.
func (b *backend) Op(_ chat.ToolCall, scope map[string]any) (engine.Op, any, error) {
	r, err := b.prepare(scope)
	if err != nil {
		return nil, nil, b.refuse("%s", err)
	}
	if b.action.at != nil {
		out, err := b.action.at(b, r)
		if err != nil {
			return nil, nil, b.refuse("%s", err)
		}
		return nil, out, nil
	}
	if b.action.effect == engine.EffectOnce {
		return &engine.Perform{Handler: sender{handler{b}}, Request: r}, nil, nil
	}
	return &engine.Perform{Handler: handler{b}, Request: r}, nil, nil
}

func (b *backend) prepare(scope map[string]any) (*request, error) {
	r := &request{}
	data := scope["args"]
	var err error
	if b.input != nil {
		if data, err = b.input.Eval(scope); err != nil {
			return nil, fmt.Errorf("input: %w", err)
		}
	}
	r.args.data, _ = data.(map[string]any)
	if b.account != nil {
		if r.account, err = b.account.String(scope); err != nil {
			return nil, fmt.Errorf("account: %w", err)
		}
		r.account = strings.ToLower(strings.TrimSpace(r.account))
	}
	if run, ok := scope["run"].(map[string]any); ok {
		r.since, _ = run["started_at"].(time.Time)
	}
	if err := r.args.check(b.action); err != nil {
		return nil, err
	}
	return r, nil
}

func (b *backend) refuse(format string, args ...any) error {
	return &engine.Failure{Class: engine.Permanent, Message: b.action.what + ": " + fmt.Sprintf(format, args...)}
}

// action is one thing that a Gmail tool can do.
type action struct {
	name    string
	what    string // for messages: "send the mail"
	effect  engine.Effect
	needs   []string // arguments that must be there
	takes   []string // arguments that may be there
	options []string // options of the spec that it goes by
	result  *shape.Type
	run     func(ctx context.Context, w *work) (any, error) // in the world
	at      func(b *backend, r *request) (any, error)       // without the world
}

// actions is everything that a Gmail tool can do. It is a function so that its
// functions may refer to it.
func actions() []*action {
	mails := &shape.Type{Kind: shape.List, Elem: emailType}
	return []*action{
		{
			name: "send", what: "send the mail", effect: engine.EffectOnce, needs: []string{"to", "subject", "body"}, takes: []string{"cc", "bcc", "reply_to", "reply_all"},
			options: []string{"draft_only", "recipients", "from", "quote"}, run: send,
		},
		{
			name: "draft", what: "save the draft", effect: engine.EffectOnce, needs: []string{"to", "subject", "body"}, takes: []string{"cc", "bcc", "reply_to", "reply_all"},
			options: []string{"recipients", "from", "quote"}, run: draft,
		},
		{name: "mark_read", what: "mark the mail as read", effect: engine.EffectIdempotent, needs: []string{"id"}, run: markRead},
		{name: "archive", what: "archive the mail", effect: engine.EffectIdempotent, needs: []string{"id"}, run: archive},
		{name: "label", what: "label the mail", effect: engine.EffectIdempotent, needs: []string{"id"}, takes: []string{"add", "remove"}, options: []string{"create_labels"}, run: label},
		{name: "fetch", what: "read the mail", effect: engine.EffectNone, needs: []string{"id"}, result: emailType, run: fetch},
		{name: "search", what: "search the mailbox", effect: engine.EffectNone, needs: []string{"query"}, takes: []string{"limit"}, options: []string{"limit"}, result: mails, run: search},
		{name: "thread", what: "read the conversation", effect: engine.EffectNone, needs: []string{"id"}, result: threadType, run: thread},
		{
			name: "review", what: "review the draft", needs: []string{"to", "subject", "body"}, takes: []string{"cc", "bcc", "reply_to", "reply_all", "email", "user"},
			options: []string{"draft_only", "recipients", "from", "quote", "known_domains"}, at: review,
		},
	}
}

func actionNamed(name string) *action {
	for _, a := range actions() {
		if a.name == name {
			return a
		}
	}
	return nil
}

var (
	textType  = &shape.Type{Kind: shape.String}
	strange   = &shape.Type{Kind: shape.String, Untrusted: true}
	emailType = &shape.Type{Kind: shape.Object, Open: true, Fields: map[string]*shape.Type{
		"id": textType, "thread_id": textType, "message_id": textType, "from": strange, "to": strange, "cc": strange, "reply_to": strange,
		"date": textType, "subject": strange, "body": strange,
	}}
	threadType = &shape.Type{Kind: shape.Object, Fields: map[string]*shape.Type{
		"id": textType, "answered": {Kind: shape.Bool}, "mails": {Kind: shape.List, Elem: emailType}, "left_out": {Kind: shape.Int},
	}}
)

// compiler reads the definition of one tool.
type compiler struct {
	s      *build.Scope
	def    *source.Value
	tool   *engine.Tool
	failed bool
}

func (c *compiler) report(f diag.Finding) {
	c.failed = true
	c.s.Report(f)
}

// compile reads the definition. It returns nil after adding findings.
func (c *compiler) compile() *backend {
	name := c.def.Get("action")
	if name == nil {
		return nil // the schema has said so
	}
	b := &backend{action: actionNamed(name.Text), options: options{quote: true}}
	if b.action == nil {
		return nil
	}
	b.account, b.input = c.s.Value(c.def.Get("account")), c.s.Value(c.def.Get("input"))
	b.endpoint = c.endpoint()
	c.options(b)
	if b.input == nil {
		c.arguments(b.action, name)
	}
	if c.failed {
		return nil
	}
	return b
}

func (c *compiler) endpoint() string {
	v := c.def.Get("endpoint")
	if v == nil {
		return ""
	}
	if !google.Loopback(v.Text) {
		c.report(BadEndpoint.At(v.Pos, "%q is not an address on this machine", v.Text).
			WithHint("Leave `endpoint` out to reach Google; a local Google is at an address such as http://127.0.0.1:8080."))
	}
	return v.Text
}

func (c *compiler) options(b *backend) {
	for _, f := range c.def.Fields {
		if !slices.Contains([]string{"action", "account", "input", "endpoint"}, f.Key) && !slices.Contains(b.action.options, f.Key) {
			hint := "Leave it out."
			if len(b.action.options) > 0 {
				hint = "Leave it out; " + b.action.name + " takes " + strings.Join(b.action.options, ", ") + "."
			}
			c.report(BadOption.At(f.Pos, "the action %s does not go by %s", b.action.name, f.Key).WithHint("%s", hint))
		}
	}
	o := &b.options
	if v := c.def.Get("draft_only"); v != nil {
		o.draftOnly = v.Bool
	}
	if v := c.def.Get("quote"); v != nil {
		o.quote = v.Bool
	}
	if v := c.def.Get("create_labels"); v != nil {
		o.create = v.Bool
	}
	if v := c.def.Get("limit"); v != nil {
		o.limit, _ = v.Go().(int) // the schema admits whole numbers only
	}
	if v := c.def.Get("from"); v != nil {
		o.from = v.Text
		if _, err := mail.Address(v.Text); err != nil {
			c.report(BadAddress.At(v.Pos, "%s", err).WithHint("Write an address of the account, such as Ana Costa <ana@example.com>."))
		}
	}
	o.allowed = c.recipients()
	if v := c.def.Get("known_domains"); v != nil {
		for _, item := range v.Items {
			o.known = append(o.known, item.Text)
		}
	}
}

// recipients reads the list of those whom mail may go to.
func (c *compiler) recipients() []string {
	v := c.def.Get("recipients")
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
		a, err := mail.Address(probe)
		if err != nil || a != probe {
			c.report(BadAddress.At(item.Pos, "%q is neither an address nor a domain", item.Text).
				WithHint("Write ana@example.com for one person, or @example.com for everybody of a domain."))
			continue
		}
		out = append(out, text)
	}
	return out
}

// arguments reports a tool whose parameters do not give what the action needs.
func (c *compiler) arguments(a *action, name *source.Value) {
	var fields map[string]*shape.Type
	open := false
	if c.tool.Params != nil {
		t := c.tool.Params.Type()
		fields, open = t.Fields, t.Open
	}
	for _, need := range a.needs {
		if fields[need] == nil && !open {
			c.report(NoArgument.At(name.Pos, "the action %s needs the argument %s, which tool %q does not have", a.name, need, c.tool.Name).
				WithHint("Add %s to the tool's parameters, or make the arguments with `input`.", need))
		}
	}
}
