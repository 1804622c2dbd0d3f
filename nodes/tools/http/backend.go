// Package http is the backend of tools that send an HTTP request made from their
// arguments. Arguments come from a model that has read other people's text, so they
// are values and nothing else: they cannot choose the host, the path's structure or
// a header, and no request reaches an address that the spec did not list.
package http

import (
	"cmp"
	"crypto/tls"
	"net"
	nethttp "net/http"
	"net/netip"
	"slices"
	"time"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/build"
	"github.com/weft-engine/weft/engine/chat"
	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/expr"
	"github.com/weft-engine/weft/engine/secret"
	"github.com/weft-engine/weft/engine/source"
)

const (
	defaultBytes = 1 << 20
	limitBytes   = 16 << 20
)

// Deps is what http tools need from the program they run in.
type Deps struct {
	Vault    *secret.Vault    // resolves secrets in headers
	Now      func() time.Time // reads Retry-After dates
	Resolver *net.Resolver    // nil: the system's
	TLS      *tls.Config      // nil: the system's roots
}

// backend is one http tool, compiled.
type backend struct {
	vault  *secret.Vault
	now    func() time.Time
	tls    *tls.Config
	client *nethttp.Client
	guard  *guard

	method     string
	url        *urlTemplate
	query      []param
	headers    []header
	json       *expr.Value
	body       *engine.Text
	accept     []int // nil: 200 to 299
	maxBytes   int
	keyHeader  string
	response   string // auto, json or text
	repeatable bool   // a repeat does no harm
}

// Type is the backend type `http`.
func Type(deps Deps) build.BackendType {
	return build.BackendType{
		Name:  "http",
		Rules: Rules(),
		Build: func(s *build.Scope, tool *engine.Tool, config *source.Value) build.Backend {
			c := compiler{s: s, def: config}
			out := build.Backend{Effect: c.effect(), Settles: config.Has("idempotency_header")}
			if b := c.compile(deps); b != nil {
				b.repeatable = out.Settles || cmp.Or(tool.Effect, out.Effect) != engine.EffectOnce
				out.Backend = b
			}
			return out
		},
	}
}

// effect is what a repeated request may do, by its method and key.
func (c *compiler) effect() engine.Effect {
	switch c.method() {
	case nethttp.MethodGet, nethttp.MethodHead:
		return engine.EffectNone
	case nethttp.MethodPut, nethttp.MethodDelete:
		return engine.EffectIdempotent
	}
	if c.def.Has("idempotency_header") {
		return engine.EffectIdempotent
	}
	return engine.EffectOnce
}

// Op makes the request ready. An argument that cannot be sent fails the call.
func (b *backend) Op(_ chat.ToolCall, scope map[string]any) (engine.Op, any, error) {
	r, err := b.prepare(scope)
	if err != nil {
		return nil, nil, b.failure(engine.Permanent, "%s", err)
	}
	shown := map[string]any{"method": r.method, "url": r.url.String()}
	return &engine.Perform{Handler: b.handler(), Request: r, Args: shown, Cache: func() string { return b.identity(r) }}, nil, nil
}

func (b *backend) handler() engine.Handler {
	if b.keyHeader != "" {
		return keyed{handler{b}}
	}
	return handler{b}
}

func (b *backend) accepts(status int) bool {
	if b.accept == nil {
		return status >= 200 && status <= 299
	}
	return slices.Contains(b.accept, status)
}

// compiler reads the definition of one tool.
type compiler struct {
	s      *build.Scope
	def    *source.Value
	failed bool // a finding was reported
}

// report adds a finding, after which there is no backend.
func (c *compiler) report(f diag.Finding) {
	c.failed = true
	c.s.Report(f)
}

// compile reads the definition. It returns nil after adding findings.
func (c *compiler) compile(deps Deps) *backend {
	b := &backend{vault: deps.Vault, now: deps.Now, tls: deps.TLS, maxBytes: defaultBytes, response: "auto"}
	b.method = c.method()
	c.texts(b)
	if v := c.def.Get("max_bytes"); v != nil {
		n, _ := v.Go().(int) // the schema admits whole numbers only
		b.maxBytes = min(max(n, 1), limitBytes)
	}
	if v := c.def.Get("accept_status"); v != nil {
		for _, item := range v.Items {
			n, _ := item.Go().(int) // the schema admits whole numbers only
			b.accept = append(b.accept, n)
		}
	}
	if v := c.def.Get("response"); v != nil {
		b.response = v.Text
	}
	if b.url != nil {
		b.guard = c.guard(b.url)
	}
	if c.failed {
		return nil
	}
	b.client = &nethttp.Client{Transport: b.transport(deps.Resolver), CheckRedirect: b.redirect}
	return b
}

func (c *compiler) method() string {
	switch v := c.def.Get("method"); {
	case v != nil:
		return v.Text
	case c.def.Has("json"), c.def.Has("body"):
		return nethttp.MethodPost
	}
	return nethttp.MethodGet
}

// texts compiles what the arguments fill.
func (c *compiler) texts(b *backend) {
	b.url = c.url(c.def.Get("url"))
	b.headers = c.headers()
	if v := c.def.Get("idempotency_header"); v != nil {
		b.keyHeader = v.Text
		c.headerName(v.Text, v.Pos)
	}
	if v := c.def.Get("query"); v != nil {
		for _, f := range v.Fields {
			b.query = append(b.query, param{name: f.Key, value: c.s.Value(f.Value)})
		}
	}
	b.json = c.s.Value(c.def.Get("json"))
	b.body = c.s.Text(c.def.Get("body"))
}

func (c *compiler) headers() []header {
	var out []header
	v := c.def.Get("headers")
	if v == nil {
		return nil
	}
	for _, f := range v.Fields {
		if !c.headerName(f.Key, f.Pos) {
			continue
		}
		named := c.s.SecretOrValue(f.Key, f.Value)
		out = append(out, header{name: f.Key, value: named.Value, secret: named.Secret})
	}
	return out
}

func (c *compiler) headerName(name string, pos diag.Pos) bool {
	switch {
	case !validHeaderName(name):
		c.report(BadHeader.At(pos, "%q is not the name of a header", name).
			WithHint("Use letters, digits and hyphens, such as X-Request-Id."))
		return false
	case isOneOf(name, fixedHeaders):
		c.report(BadHeader.At(pos, "the header %q belongs to the connection", name).
			WithHint("Leave it out: it follows from the request."))
		return false
	}
	return true
}

// guard reads hosts and private. Without hosts, a host that is written out is the
// only one.
func (c *compiler) guard(u *urlTemplate) *guard {
	g := &guard{}
	if v := c.def.Get("hosts"); v != nil {
		for _, item := range v.Items {
			rule, err := parseHostRule(item.Text)
			if err != nil {
				c.report(NoHosts.At(item.Pos, "%s", err).WithHint("Write a host such as api.example.com, *.example.com or localhost:8080."))
				continue
			}
			g.hosts = append(g.hosts, rule)
		}
	}
	if host, ok := u.constantHost(); ok {
		rule, err := parseHostRule(host)
		if err != nil {
			c.report(BadURL.At(c.def.Get("url").Pos, "the address of the tool: %s", err).WithHint("Write a host name or an IP address."))
		}
		g.hosts = append(g.hosts, rule)
	}
	if len(g.hosts) == 0 {
		c.report(NoHosts.At(c.def.Get("url").Pos, "the host of this address comes from an expression, and `hosts` does not say which are meant").
			WithHint("List the hosts this tool may reach under `hosts`."))
	}
	c.private(g)
	return g
}

func (c *compiler) private(g *guard) {
	v := c.def.Get("private")
	if v == nil {
		return
	}
	g.private = v.Bool
	for _, item := range v.Items {
		if prefix, err := netip.ParsePrefix(item.Text); err == nil {
			g.prefixes = append(g.prefixes, prefix.Masked())
			continue
		}
		if addr, err := netip.ParseAddr(item.Text); err == nil {
			g.prefixes = append(g.prefixes, netip.PrefixFrom(addr, addr.BitLen()))
			continue
		}
		rule, err := parseHostRule(item.Text)
		if err != nil || rule.wild || rule.port != "" {
			c.report(BadPrivate.At(item.Pos, "%q is no address range, address or host", item.Text).
				WithHint("Write 10.0.0.0/8, 127.0.0.1 or a host name without port."))
			continue
		}
		g.names = append(g.names, rule.name)
	}
}
