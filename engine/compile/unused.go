package compile

import (
	"github.com/weft-engine/weft/engine/build"
	"github.com/weft-engine/weft/engine/source"
)

// unused warns of definitions that nothing uses. It comes last, when every use is
// known, and is silent about a spec with errors: a definition that seems unused is most
// likely one that a misspelt name means.
func unused(c *compilation) {
	if c.list.HasErrors() {
		return
	}
	u := c.spec.Uses()
	for _, g := range c.graphs {
		u.Merge(&g.uses)
	}
	c.elsewhere(u)
	for _, k := range []struct {
		section, what string
		used          build.Names
	}{
		{"models", "model", u.Models},
		{"tools", "tool", u.Tools},
		{"templates", "template", u.Templates},
		{"memory", "memory", u.Memories},
		{"interrupts", "interrupt", u.Policies},
		{"data", "data", u.Data},
	} {
		c.each(k.section, func(f source.Field) {
			if !k.used[f.Key] {
				c.list.Add(unusedDefinition.At(f.Pos, "nothing uses %s %q", k.what, f.Key).WithHint("Use it, or delete it."))
			}
		})
	}
}

// elsewhere adds the uses that no node has: by definitions that are not used
// themselves, and by whoever looks templates up by their intent or dialogue act.
func (c *compilation) elsewhere(u *build.Uses) {
	for _, g := range c.graphs {
		if g.uses.Calls && g.tools == nil {
			u.Tools.Add(keys(c.root.Get("tools"))...)
		}
	}
	c.everywhere("tools", func(t *source.Value) { u.Policies.Add(text(t.Get("interrupt"))) })
	c.each("templates", func(f source.Field) {
		if f.Value.Has("intent") || f.Value.Has("dact") {
			u.Templates.Add(f.Key)
		}
	})
	for _, section := range []string{"interrupts", "memory"} {
		c.everywhere(section, func(v *source.Value) { mentions(v, u, 0) })
	}
}

func keys(v *source.Value) []string {
	if v == nil {
		return nil
	}
	out := make([]string, len(v.Fields))
	for i, f := range v.Fields {
		out[i] = f.Key
	}
	return out
}

// maxMentions bounds how deep a definition is searched.
const maxMentions = 32

// mentions adds the names that a definition refers to.
func mentions(v *source.Value, u *build.Uses, depth int) {
	if v == nil || depth > maxMentions {
		return
	}
	for _, item := range v.Items {
		mentions(item, u, depth+1)
	}
	for _, f := range v.Fields {
		switch name := text(f.Value); {
		case name == "":
			mentions(f.Value, u, depth+1)
		case f.Key == "template":
			u.Templates.Add(name)
		case f.Key == "memory":
			u.Memories.Add(name)
		case f.Key == "model":
			u.Models.Add(name)
		}
	}
}
