package compile

import "github.com/weft-engine/weft/engine/build"

// definitions builds what nodes refer to by name: types, models, memories, templates,
// tools and the signatures of graphs. It comes first because everything refers to them
// and they refer to no node.
func definitions(c *compilation) {
	c.spec = build.New(c.root, c.types, c.list)
	c.spec.CheckPolicies(c.list)
}
