package build

import "slices"

// Uses is the definitions of a spec that something uses, by name, each once, in the
// order in which they were met.
type Uses struct {
	Models, Tools, Templates, Memories, Policies, Graphs []string
	// Calls is set by a list of calls whose tools are known only when it runs.
	Calls bool
}

func (u *Uses) add(to *[]string, name string) {
	if !slices.Contains(*to, name) {
		*to = append(*to, name)
	}
}

// Merge adds what other uses.
func (u *Uses) Merge(other *Uses) {
	for _, p := range []struct {
		to   *[]string
		from []string
	}{
		{&u.Models, other.Models},
		{&u.Tools, other.Tools},
		{&u.Templates, other.Templates},
		{&u.Memories, other.Memories},
		{&u.Policies, other.Policies},
		{&u.Graphs, other.Graphs},
	} {
		for _, name := range p.from {
			u.add(p.to, name)
		}
	}
	u.Calls = u.Calls || other.Calls
}

// Does is what a place can do to the world through tools and graphs.
type Does struct {
	Asks      bool     // a tool's policy asks a human
	Once      bool     // a tool does what must not be done twice
	Unsettled bool     // such a tool, without a retry of its own, cannot tell what became of a call
	Runs      []string // the graphs that it runs each time
}
