package ues_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/build"
	"github.com/weft-engine/weft/engine/chat"
	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/secret"
	"github.com/weft-engine/weft/engine/spec"
	client "github.com/weft-engine/weft/nodes/ues"
	"github.com/weft-engine/weft/nodes/ues/act"
	"github.com/weft-engine/weft/nodes/ues/env"
	"github.com/weft-engine/weft/nodes/ues/uestest"

	"github.com/weft-engine/weft/nodes/tools/ues"
)

func keeper(t testing.TB) *env.Keeper {
	t.Helper()
	k := &env.Keeper{Now: uestest.Wall, Wait: uestest.Wait, Vault: &secret.Vault{}}
	t.Cleanup(func() { _ = k.Close() })
	return k
}

// tools builds the tools of a spec whose world is uestest.Scenario.
func tools(t testing.TB, k *env.Keeper, text string) (map[string]*engine.Tool, []diag.Finding) {
	t.Helper()
	root, list := spec.Decode([]byte("environment: {scenario: "+uestest.Scenario+"}\n"+text), "spec.yaml")
	if list.HasErrors() {
		t.Fatal(list.Sorted())
	}
	p := build.New(root, build.Types{Backends: []build.BackendType{ues.Type(k)}, Environment: env.Compile}, list)
	return p.Tools(), list.Sorted()
}

// call makes a call as the runner does.
func call(t testing.TB, tool *engine.Tool, args map[string]any) (any, *engine.Perform, error) {
	t.Helper()
	scope := map[string]any{"args": args, "call": map[string]any{"id": "c1", "name": tool.Name, "args": args}, "run": map[string]any{"id": "r1"}}
	op, _, err := tool.Backend.Op(chat.ToolCall{ID: "c1", Name: tool.Name, Args: args}, scope)
	if err != nil {
		return nil, nil, err
	}
	p, _ := op.(*engine.Perform)
	res, err := p.Handler.Handle(t.Context(), engine.Call{Key: "key", Thread: "thread", Request: p.Request})
	return res.Value, p, err
}

const mail = `
tools:
  send:
    description: Sends.
    parameters: {type: object, required: [to, text], properties: {to: {type: string}, text: {type: string}}}
    ues: {action: email.send, args: {to_addresses: ["{{ args.to }}"], subject: "From {{ run.id }}", body_text: "{{ args.text }}"}}
  plain: {description: As it comes., ues: {action: chat.send}}
  look: {description: Looks., ues: {action: email.query}}
  read: {description: Reads., ues: {action: email.mark_read}}
`

func TestToolsActAsTheUser(t *testing.T) {
	t.Parallel()
	k := keeper(t)
	all, findings := tools(t, k, mail)
	if len(findings) > 0 {
		t.Fatal(findings)
	}
	got, p, err := call(t, all["send"], map[string]any{"to": "Ann <ann@company.com>", "text": "Hi {{ there }}"})
	if err != nil {
		t.Fatal(err)
	}
	fields, _ := got.(map[string]any)
	if fields["message"] != "Email sent successfully" || fields["time"] != "2026-01-28T06:00:00Z" {
		t.Errorf("got %v", got)
	}
	if diff := cmp.Diff(map[string]any{"to_addresses": []any{"Ann <ann@company.com>"}, "subject": "From r1", "body_text": "Hi {{ there }}"}, p.Args); diff != "" {
		t.Errorf("shown (-want +got):\n%s", diff)
	}
	e, err := k.Open(t.Context(), "thread", env.Target{})
	if err != nil {
		t.Fatal(err)
	}
	id, _ := fields["event_id"].(string)
	event, err := e.Admin.Events().Get(t.Context(), id)
	if err != nil || event.AgentID == nil || *event.AgentID != e.Agents[0] {
		t.Errorf("done by %v, %v; the user is %v", event.AgentID, err, e.Agents)
	}
	looker, _ := p.Handler.(engine.Looker)
	if _, found, err := looker.Lookup(t.Context(), engine.Call{Key: "key", Thread: "thread", Request: p.Request}); !found || err != nil {
		t.Errorf("not found again: %v", err)
	}
	if _, found, err := looker.Lookup(t.Context(), engine.Call{Key: "key", Thread: "other", Request: p.Request}); found || err != nil {
		t.Errorf("found in another thread's world: %v", err)
	}
	if _, _, err := call(t, all["plain"], map[string]any{"content": "Done."}); err != nil {
		t.Error(err)
	}
}

func TestEffects(t *testing.T) {
	t.Parallel()
	all, _ := tools(t, nil, mail)
	for name, want := range map[string]engine.Effect{"send": engine.EffectOnce, "plain": engine.EffectOnce, "look": engine.EffectNone, "read": engine.EffectIdempotent} {
		if all[name].Effect != want {
			t.Errorf("%s: %s", name, all[name].Effect)
		}
	}
}

// What goes wrong is a failure with words for the model; nothing was done.
func TestFailures(t *testing.T) {
	t.Parallel()
	k := keeper(t)
	all, findings := tools(t, k, mail+`
  odd: {description: Odd., parameters: {type: object, properties: {all: {}}}, ues: {action: email.query, args: "{{ args.all }}"}}
  away: {description: Away., parameters: {type: object, properties: {url: {type: string}}}, ues: {action: email.query, at: {url: "{{ args.url }}", key: "k"}}}
  keyless: {description: Away., parameters: {type: object, properties: {url: {type: string}}}, ues: {action: email.query, at: {url: "{{ args.url }}"}}}
`)
	if len(findings) > 0 {
		t.Fatal(findings)
	}
	for _, c := range []struct {
		tool  string
		args  map[string]any
		class engine.Class
		text  string
	}{
		{"send", map[string]any{"to": "nobody", "text": "x"}, engine.Permanent, "Invalid email address"},
		{"send", map[string]any{"to": "a@b.io", "text": ""}, engine.Permanent, "body_text"},
		{"plain", map[string]any{"content": 7}, engine.Permanent, "status"},
		{"look", map[string]any{"limit": 0}, engine.Permanent, "status 422: body.limit"},
		{"odd", map[string]any{"all": []any{1}}, engine.Permanent, "not a map"},
		{"away", map[string]any{"url": "http://127.0.0.1:1"}, engine.Transient, "no answer"},
		{"away", map[string]any{"url": "nowhere"}, engine.Permanent, "no address of an environment"},
		{"keyless", map[string]any{"url": "http://127.0.0.1:1"}, engine.Permanent, "no key"},
	} {
		_, _, err := call(t, all[c.tool], c.args)
		var f *engine.Failure
		if !errors.As(err, &f) || f.Class != c.class || !strings.Contains(f.Message, c.text) {
			t.Errorf("%s %v: %v", c.tool, c.args, err)
		}
	}
}

func TestFindings(t *testing.T) {
	t.Parallel()
	_, findings := tools(t, nil, "tools:\n  x: {description: X., ues: {}}\n")
	if len(findings) != 1 || findings[0].Code != "tool/ues-action" {
		t.Errorf("%v", findings)
	}
}

// The schema's list of actions is this program's.
func TestEveryActionIsInTheSchema(t *testing.T) {
	t.Parallel()
	for _, name := range act.Names() {
		if all, findings := tools(t, nil, fmt.Sprintf("tools:\n  x: {description: X., ues: {action: %s}}\n", name)); len(findings) > 0 || all["x"].Backend == nil {
			t.Errorf("%s: %v", name, findings)
		}
	}
}

// A call of a tool, from its arguments to its result, in a world of this process.
func BenchmarkQuery(b *testing.B) {
	all, _ := tools(b, keeper(b), mail)
	for b.Loop() {
		if _, _, err := call(b, all["look"], map[string]any{"folder": "inbox"}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportAllocs()
}

// One advance through the client, without a network and with one.
func BenchmarkAdvance(b *testing.B) {
	for name, listen := range map[string]bool{"direct": false, "loopback": true} {
		b.Run(name, func(b *testing.B) {
			var c *client.Client
			_, c = uestest.Start(b, listen)
			for b.Loop() {
				if _, err := c.Time().Advance(b.Context(), 1e9); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportAllocs()
		})
	}
}
