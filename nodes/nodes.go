// Package nodes is the list of node types and tool backends that Weft has. A binary of
// one's own passes more beside them.
package nodes

import (
	"time"

	"github.com/weft-engine/weft/engine/build"
	"github.com/weft-engine/weft/engine/chat"
	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/memory"
	"github.com/weft-engine/weft/engine/secret"
	"github.com/weft-engine/weft/nodes/display"
	"github.com/weft-engine/weft/nodes/emit"
	"github.com/weft-engine/weft/nodes/google"
	"github.com/weft-engine/weft/nodes/graph"
	"github.com/weft-engine/weft/nodes/interrupt"
	"github.com/weft-engine/weft/nodes/llmcall"
	memorynode "github.com/weft-engine/weft/nodes/memory"
	"github.com/weft-engine/weft/nodes/naturalize"
	"github.com/weft-engine/weft/nodes/response"
	"github.com/weft-engine/weft/nodes/template"
	"github.com/weft-engine/weft/nodes/tool"
	"github.com/weft-engine/weft/nodes/tools/calendar"
	"github.com/weft-engine/weft/nodes/tools/exec"
	"github.com/weft-engine/weft/nodes/tools/expr"
	"github.com/weft-engine/weft/nodes/tools/gmail"
	toolgraph "github.com/weft-engine/weft/nodes/tools/graph"
	"github.com/weft-engine/weft/nodes/tools/http"
	"github.com/weft-engine/weft/nodes/tools/ues"
	"github.com/weft-engine/weft/nodes/triggers/cron"
	"github.com/weft-engine/weft/nodes/ues/env"
	uesnode "github.com/weft-engine/weft/nodes/ues/node"
	"github.com/weft-engine/weft/nodes/wait"
)

// Deps is what nodes and backends need from the program they run in. A program that
// only validates specs may leave everything empty.
type Deps struct {
	Models    chat.Client
	Memories  *memory.Store
	Vault     *secret.Vault    // resolves the secrets of tools
	Now       func() time.Time // reads the dates that servers answer with
	Google    *google.Accounts // the logins of Gmail and calendar tools
	Clock     func() time.Time // what cron triggers go by; nil: Now
	UES       *env.Keeper      // simulated environments
	AllowExec bool             // tools may run programs
	Dir       string           // directory of the spec; programs run in it or below
}

// All returns the node types.
func All(d Deps) []build.NodeType {
	return []build.NodeType{
		llmcall.Type(d.Models),
		tool.Type(d.Models, d.Memories),
		interrupt.Type(d.Models, d.Memories),
		template.Type(),
		response.Type(),
		naturalize.Type(d.Models),
		emit.Type(),
		memorynode.Type(d.Models, d.Memories),
		graph.Type(),
		wait.Type(),
		uesnode.Type(d.UES),
		uesnode.AdvanceType(d.UES),
		display.Type(),
	}
}

// Backends returns the tool backends.
func Backends(d Deps) []build.BackendType {
	return []build.BackendType{
		expr.Type(),
		http.Type(http.Deps{Vault: d.Vault, Now: d.Now}),
		toolgraph.Type(),
		exec.Type(exec.Deps{Vault: d.Vault, Allow: d.AllowExec, Dir: d.Dir}),
		ues.Type(d.UES),
		gmail.Type(gmail.Deps{Google: d.Google}),
		calendar.Type(calendar.Deps{Google: d.Google}),
	}
}

// Sources returns what triggers can listen to.
func Sources(d Deps) []build.SourceType {
	if d.Clock == nil {
		d.Clock = d.Now
	}
	return []build.SourceType{
		cron.Type(d.Clock),
		gmail.SourceType(gmail.Deps{Google: d.Google}),
	}
}

// Types returns node types, backends and sources together, as engine/compile takes them.
func Types(d Deps) build.Types {
	return build.Types{Nodes: All(d), Backends: Backends(d), Sources: Sources(d), Environment: env.Compile, Clock: d.UES.ClockOf}
}

// Rules returns the findings of all of them, each once.
func Rules() []diag.Rule {
	types := Types(Deps{})
	var out []diag.Rule
	seen := map[diag.Code]bool{}
	add := func(rules []diag.Rule) {
		for _, r := range rules {
			if !seen[r.Code] {
				seen[r.Code] = true
				out = append(out, r)
			}
		}
	}
	for _, t := range types.Nodes {
		add(t.Rules)
	}
	for _, t := range types.Backends {
		add(t.Rules)
	}
	for _, t := range types.Sources {
		add(t.Rules)
	}
	return out
}
