// Package exec is the backend of tools that run a program: arguments as JSON on its
// standard input, the result on its standard output. There is no shell, the program
// is fixed, its environment holds only what the spec lists, and nothing runs unless
// the command line allows it.
package exec

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"strings"

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
	maxArgument  = 128 << 10 // what Linux takes as one argument
)

// Deps is what exec tools need from the program they run in.
type Deps struct {
	Vault *secret.Vault // resolves secrets in the environment
	Allow bool          // programs may run at all
	Dir   string        // directory of the spec; programs run in it or below
}

// backend is one exec tool, compiled.
type backend struct {
	vault      *secret.Vault
	allow      bool
	command    []argument
	env        []build.Named
	dir        string
	maxBytes   int
	repeatable bool // a repeat does no harm
}

// argument is an element of the command: text, or a template when value is set.
type argument struct {
	text  string
	value *expr.Value
	open  bool // begins with an expression and no `--` stands before it
}

// Type is the backend type `exec`.
func Type(deps Deps) build.BackendType {
	return build.BackendType{
		Name:  "exec",
		Rules: Rules(),
		Build: func(s *build.Scope, tool *engine.Tool, config *source.Value) build.Backend {
			out := build.Backend{Effect: engine.EffectOnce}
			c := compiler{s: s, def: config}
			if b := c.compile(deps); b != nil {
				b.repeatable = cmp.Or(tool.Effect, out.Effect) != engine.EffectOnce
				out.Backend = b
			}
			return out
		},
	}
}

// Op makes the command line ready.
func (b *backend) Op(_ chat.ToolCall, scope map[string]any) (engine.Op, any, error) {
	r, err := b.prepare(scope)
	if err != nil {
		return nil, nil, b.failure(engine.Permanent, "%s: %s", b.command[0].text, err)
	}
	return &engine.Perform{Handler: handler{b}, Request: r, Cache: func() string { return b.identity(r) }}, nil, nil
}

// prepare fills command line, environment and standard input.
func (b *backend) prepare(scope map[string]any) (*request, error) {
	r := &request{argv: make([]string, len(b.command)), env: make([]string, len(b.env))}
	for i, a := range b.command {
		text, err := a.render(scope)
		if err != nil {
			return nil, fmt.Errorf("argument %d: %w", i, err)
		}
		r.argv[i] = text
	}
	for i, e := range b.env {
		if e.Value == nil {
			continue
		}
		text, err := e.Value.String(scope)
		if err == nil && strings.ContainsRune(text, 0) {
			err = fmt.Errorf("the value has a NUL byte")
		}
		if err != nil {
			return nil, fmt.Errorf("env %s: %w", e.Name, err)
		}
		r.env[i] = text
	}
	var err error
	r.stdin, err = stdin(scope["args"])
	return r, err
}

// identity names what a program is asked, for a node cache: equal command lines,
// environments and inputs agree. Of a secret only the place counts.
func (b *backend) identity(r *request) string {
	env := make([]string, len(b.env))
	for i, e := range b.env {
		env[i] = e.Name + "=" + r.env[i]
		if !e.Secret.IsZero() {
			env[i] = e.Name + "=" + e.Secret.String()
		}
	}
	h := sha256.New()
	_, _ = fmt.Fprintf(h, "%q %q %q %d\n", r.argv, env, b.dir, b.maxBytes)
	_, _ = h.Write(r.stdin)
	return "exec/" + hex.EncodeToString(h.Sum(nil))
}

// render fills an argument. A value cannot become an option of the program.
func (a argument) render(scope map[string]any) (string, error) {
	if a.value == nil {
		return a.text, nil
	}
	text, err := a.value.String(scope)
	switch {
	case err != nil:
		return "", err
	case a.open && strings.HasPrefix(text, "-"):
		return "", fmt.Errorf("a value that begins with - would be an option: put \"--\" before it in `command`")
	case strings.ContainsRune(text, 0):
		return "", fmt.Errorf("the value has a NUL byte")
	case len(text) > maxArgument:
		return "", fmt.Errorf("the value is longer than %d bytes: read it from standard input", maxArgument)
	}
	return text, nil
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
	b := &backend{vault: deps.Vault, allow: deps.Allow, maxBytes: defaultBytes}
	b.command = c.command()
	b.env = c.environment()
	b.dir = c.dir(deps.Dir)
	if v := c.def.Get("max_bytes"); v != nil {
		n, _ := v.Go().(int) // the schema admits whole numbers only
		b.maxBytes = min(max(n, 1), limitBytes)
	}
	if c.failed || len(b.command) == 0 {
		return nil
	}
	return b
}

func (c *compiler) command() []argument {
	var out []argument
	ended := false
	for i, item := range c.def.Get("command").Items {
		dynamic := strings.Contains(item.Text, "{{") || strings.Contains(item.Text, "{%")
		if i == 0 && (dynamic || item.Text == "") {
			c.report(BadCommand.At(item.Pos, "the program of the tool is not fixed text").
				WithHint("Write the program's name or path out; expressions are for its arguments."))
			continue
		}
		a := argument{text: item.Text}
		if dynamic {
			a.value = c.s.Value(item)
			a.open = !ended && (strings.HasPrefix(item.Text, "{{") || strings.HasPrefix(item.Text, "{%"))
		}
		ended = ended || item.Text == "--"
		out = append(out, a)
	}
	return out
}

func (c *compiler) environment() []build.Named {
	v := c.def.Get("env")
	if v == nil {
		return nil
	}
	out := make([]build.Named, len(v.Fields))
	for i, f := range v.Fields {
		out[i] = c.s.SecretOrValue(f.Key, f.Value)
	}
	return out
}

// dir is the directory the program runs in. A link that leads out is as good as the
// program itself, which may go wherever it likes; what matters is that the spec
// means the same in every place it is copied to.
func (c *compiler) dir(root string) string {
	v := c.def.Get("dir")
	if v == nil {
		return root
	}
	if !filepath.IsLocal(v.Text) {
		c.report(BadDir.At(v.Pos, "%q leads out of the spec", v.Text).WithHint("Name a directory inside of the spec."))
		return root
	}
	return filepath.Join(root, v.Text)
}
