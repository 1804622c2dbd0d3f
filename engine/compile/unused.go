package compile

import (
	"slices"

	"github.com/weft-engine/weft/engine/build"
	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/source"
)

// unused warns of definitions that nothing uses. It comes last, when every use is
// known, and is silent about a kind of which an unknown name was reported: the
// definition is most likely the one that was meant.
func unused(c *compilation) {
	u := c.spec.Uses()
	for _, g := range c.graphs {
		u.Merge(&g.uses)
	}
	c.elsewhere(u)
	for _, k := range []struct {
		section, what string
		used          []string
		unknown       diag.Code
	}{
		{"models", "model", u.Models, "model/unknown"},
		{"tools", "tool", u.Tools, "tool/unknown"},
		{"templates", "template", u.Templates, "template/unknown"},
		{"memory", "memory", u.Memories, "memory/unknown"},
		{"interrupts", "interrupt", u.Policies, "interrupt/unknown"},
	} {
		section := c.root.Get(k.section)
		if section == nil || c.reported(k.unknown) {
			continue
		}
		for _, f := range section.Fields {
			if !slices.Contains(k.used, f.Key) {
				c.list.Add(unusedDefinition.At(f.Pos, "nothing uses %s %q", k.what, f.Key).
					WithHint("Use it, or delete it."))
			}
		}
	}
}

func (c *compilation) reported(code diag.Code) bool {
	return slices.ContainsFunc(c.list.Sorted(), func(f diag.Finding) bool { return f.Code == code })
}

// elsewhere adds the uses that no node has: by parts of the spec that other programs
// read, and by definitions that are not used themselves.
func (c *compilation) elsewhere(u *build.Uses) {
	for _, g := range c.graphs {
		if g.uses.Calls && g.tools == nil {
			u.Tools = append(u.Tools, keys(c.root.Get("tools"))...)
		}
	}
	c.everywhere("tools", func(t *source.Value) { u.Policies = append(u.Policies, text(t.Get("interrupt"))) })
	c.everywhere("templates", func(t *source.Value) {
		u.Templates = append(u.Templates, text(t.Get("naturalize")))
	})
	if v := c.root.Get("templates"); v != nil {
		for _, f := range v.Fields {
			if f.Value.Has("intent") || f.Value.Has("dact") {
				u.Templates = append(u.Templates, f.Key)
			}
		}
	}
	for _, section := range []string{"intents", "interrupts", "triggers", "scenarios", "memory"} {
		c.everywhere(section, func(v *source.Value) { mentions(v, u, 0) })
	}
}

func (c *compilation) everywhere(section string, do func(*source.Value)) {
	if v := c.root.Get(section); v != nil {
		for _, f := range v.Fields {
			do(f.Value)
		}
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
		case f.Key == "template" || f.Key == "naturalize":
			u.Templates = append(u.Templates, name)
		case f.Key == "memory":
			u.Memories = append(u.Memories, name)
		case f.Key == "model":
			u.Models = append(u.Models, name)
		}
	}
}
