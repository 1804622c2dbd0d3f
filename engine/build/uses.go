package build

import "maps"

// Names is a set of names.
type Names map[string]bool

func (n *Names) add(name string) {
	if *n == nil {
		*n = Names{}
	}
	(*n)[name] = true
}

// Add adds names.
func (n *Names) Add(names ...string) {
	for _, name := range names {
		n.add(name)
	}
}

// Uses is the definitions of a spec that something uses, by name.
type Uses struct {
	Models, Tools, Templates, Memories, Policies, Graphs, Data Names
	// Calls is set by a list of calls whose tools are known only when it runs.
	Calls bool
}

// Merge adds what other uses.
func (u *Uses) Merge(other *Uses) {
	merge(&u.Models, other.Models)
	merge(&u.Tools, other.Tools)
	merge(&u.Templates, other.Templates)
	merge(&u.Memories, other.Memories)
	merge(&u.Policies, other.Policies)
	merge(&u.Graphs, other.Graphs)
	merge(&u.Data, other.Data)
	u.Calls = u.Calls || other.Calls
}

func merge(to *Names, from Names) {
	if *to == nil && len(from) > 0 {
		*to = make(Names, len(from))
	}
	maps.Copy(*to, from)
}

// Does is what a place can do to the world through tools and graphs.
type Does struct {
	Asks      bool     // a tool's policy asks a human
	Changes   bool     // a tool changes the world
	Unsettled bool     // a tool with effect once and no retry of its own cannot tell what became of a call
	Live      bool     // a tool tells of what changes by itself
	Runs      []string // the graphs that it runs each time
}
