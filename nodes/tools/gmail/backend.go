// Package gmail is the backend of tools that read, sort and send mail of a Gmail
// account, and the source of triggers that listen to one. What a mail says is data: it
// is cleaned when it comes in and never decides whom a mail goes to, and a mail that
// goes out is written here from plain arguments. A mail is sent once: it carries an
// identity made from the call's key, by which it is found again after a crash.
package gmail

import (
	"context"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/build"
	"github.com/weft-engine/weft/engine/chat"
	"github.com/weft-engine/weft/engine/shape"
	"github.com/weft-engine/weft/engine/source"
	"github.com/weft-engine/weft/nodes/google"
	"github.com/weft-engine/weft/nodes/internal/googlecall"
	"github.com/weft-engine/weft/nodes/internal/mail"
)

// Deps is what Gmail tools need from the program they run in.
type Deps struct {
	Google *google.Accounts // nil: nothing can be carried out
}

// backend is one Gmail tool, compiled.
type backend struct {
	*googlecall.Tool
	action  *action
	options options
}

// options are what a spec sets and no argument can change.
type options struct {
	draftOnly bool
	from      string // who the mail is from; "" is the account
	quote     bool
	create    bool // labels that do not exist are made
	known     []string
	limit     int
}

// Type is the backend type `gmail`.
func Type(deps Deps) build.BackendType {
	return build.BackendType{
		Name:  "gmail",
		Rules: googlecall.Rules(),
		Build: func(s *build.Scope, tool *engine.Tool, config *source.Value) build.Backend {
			b := compile(&googlecall.Compiler{Scope: s, Tool: tool, Def: config}, deps)
			if b == nil {
				return build.Backend{}
			}
			a := b.Action
			return build.Backend{Backend: b, Effect: a.Effect, Settles: a.Effect == engine.EffectOnce, Result: a.Result, Live: true}
		},
	}
}

// compile reads the definition. It returns nil after adding findings.
func compile(c *googlecall.Compiler, deps Deps) *backend {
	name := c.Def.Get("action")
	if name == nil {
		return nil // the schema has said so
	}
	b := &backend{action: actionNamed(name.Text), options: options{quote: true}}
	if b.action == nil {
		return nil
	}
	b.Tool = c.Compile(deps.Google, b.action.Action)
	b.options.read(c)
	if c.Failed() {
		return nil
	}
	return b
}

func (o *options) read(c *googlecall.Compiler) {
	if v := c.Def.Get("draft_only"); v != nil {
		o.draftOnly = v.Bool
	}
	if v := c.Def.Get("quote"); v != nil {
		o.quote = v.Bool
	}
	if v := c.Def.Get("create_labels"); v != nil {
		o.create = v.Bool
	}
	if v := c.Def.Get("limit"); v != nil {
		o.limit, _ = v.Go().(int) // the schema admits whole numbers only
	}
	if v := c.Def.Get("from"); v != nil {
		o.from = v.Text
		if _, err := mail.Address(v.Text); err != nil {
			c.Report(googlecall.BadAddress.At(v.Pos, "%s", err).WithHint("Write an address of the account, such as Ana Costa <ana@example.com>."))
		}
	}
	if v := c.Def.Get("known_domains"); v != nil {
		for _, item := range v.Items {
			o.known = append(o.known, item.Text)
		}
	}
}

// Op makes the call ready. A review is computed at once: it looks nothing up.
func (b *backend) Op(_ chat.ToolCall, scope map[string]any) (engine.Op, any, error) {
	r, err := b.Prepare(scope)
	switch {
	case err != nil:
		return nil, nil, err
	case b.action.run == nil:
		return nil, review(b, r), nil
	case b.Action.Effect == engine.EffectOnce:
		return &engine.Perform{Handler: sender{handler{b}}, Request: r}, nil, nil
	}
	return &engine.Perform{Handler: handler{b}, Request: r}, nil, nil
}

// action is one thing that a Gmail tool can do. Without run it is a review.
type action struct {
	googlecall.Action
	run func(ctx context.Context, w *work) (any, error)
}

// actions is everything that a Gmail tool can do.
func actions() []*action {
	once, idempotent, none := engine.EffectOnce, engine.EffectIdempotent, engine.EffectNone
	draftNeeds := []string{"to", "subject", "body"}
	texts, lists := []string{"subject", "body", "reply_to"}, []string{"to", "cc", "bcc"}
	mails := &shape.Type{Kind: shape.List, Elem: emailType}
	id := []string{"id"}
	return []*action{
		{googlecall.Action{
			Name: "send", What: "send the mail", Effect: once, Needs: draftNeeds, Texts: texts, Lists: lists,
			Options: []string{"draft_only", "recipients", "from", "quote"},
		}, deliver},
		{googlecall.Action{
			Name: "draft", What: "save the draft", Effect: once, Needs: draftNeeds, Texts: texts, Lists: lists,
			Options: []string{"recipients", "from", "quote"},
		}, deliver},
		{googlecall.Action{
			Name: "review", What: "review the draft", Needs: draftNeeds, Texts: append([]string{"call_id"}, texts...), Lists: lists,
			Options: []string{"draft_only", "recipients", "from", "quote", "known_domains"}, Result: reviewType,
		}, nil},
		{googlecall.Action{Name: "mark_read", What: "mark the mail as read", Effect: idempotent, Needs: id, Lists: id}, markRead},
		{googlecall.Action{Name: "archive", What: "archive the mail", Effect: idempotent, Needs: id, Lists: id}, archive},
		{googlecall.Action{
			Name: "label", What: "label the mail", Effect: idempotent, Needs: id, Lists: []string{"id", "add", "remove"}, Options: []string{"create_labels"},
		}, label},
		{googlecall.Action{Name: "fetch", What: "read the mail", Effect: none, Needs: id, Lists: id}, fetch},
		{googlecall.Action{
			Name: "search", What: "search the mailbox", Effect: none, Needs: []string{"query"}, Texts: []string{"query"}, Options: []string{"limit"}, Result: mails,
		}, search},
		{googlecall.Action{Name: "thread", What: "read the conversation", Effect: none, Needs: id, Texts: id, Result: threadType}, thread},
	}
}

func actionNamed(name string) *action {
	for _, a := range actions() {
		if a.Name == name {
			return a
		}
	}
	return nil
}

var (
	textType  = &shape.Type{Kind: shape.String}
	strange   = &shape.Type{Kind: shape.String, Untrusted: true}
	boolType  = &shape.Type{Kind: shape.Bool}
	textList  = &shape.Type{Kind: shape.List, Elem: textType}
	emailType = &shape.Type{Kind: shape.Object, Open: true, Fields: map[string]*shape.Type{
		"id": textType, "thread_id": textType, "message_id": strange, "from": strange, "to": strange, "cc": strange, "reply_to": strange,
		"date": textType, "subject": strange, "body": strange,
	}}
	threadType = &shape.Type{Kind: shape.Object, Fields: map[string]*shape.Type{
		"id": textType, "answered": boolType, "mails": {Kind: shape.List, Elem: emailType}, "left_out": {Kind: shape.Int},
	}}
	reviewType = &shape.Type{Kind: shape.Object, Fields: map[string]*shape.Type{
		"id": textType, "kind": textType, "from": textType, "to": textList, "cc": textList, "bcc": textList, "subject": textType, "body": textType, "quoted": strange,
		"note": textType, "draft_only": boolType, "problem": textType,
		"flags": {Kind: shape.List, Elem: &shape.Type{Kind: shape.Object, Fields: map[string]*shape.Type{"kind": textType, "value": strange, "text": strange}}},
	}}
)
