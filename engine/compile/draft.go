package compile

import (
	"slices"
	"strings"

	"github.com/weft-engine/weft/engine/build"
	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/source"
	"github.com/weft-engine/weft/engine/spec"
)

// draft finds what is wrong in the rest of a spec in which fields are wrong, so that one
// pass tells all mistakes. It leaves out what may be a consequence of those: what it
// finds in a definition that lacks a field and in nodes that use it, and what it would
// say of the shape of such a graph.
func draft(d *spec.Draft, types build.Types) *diag.List {
	wrong := wrongs{byName: map[string]bool{}}
	for _, path := range d.Wrong {
		wrong.byName[strings.Join(path, "\n")] = true
		wrong.sections = append(wrong.sections, path[0])
	}
	c := &compilation{root: d.Root, types: types, list: &diag.List{}, wrong: &wrong}
	c.passes()
	out := &diag.List{}
	places := source.NewPlaces(d.Root)
	for _, f := range c.list.Sorted() {
		if f.Severity == diag.Error && !wrong.follows(f.Code) && !slices.ContainsFunc(places.At(f.Pos), wrong.covers) {
			out.Add(f)
		}
	}
	return out
}

// wrongs is the definitions and nodes that lack a field. A nil one is of a whole spec.
type wrongs struct {
	byName   map[string]bool // paths, their steps joined by \n
	sections []string
}

// covers reports whether a path leads into one of them.
func (w *wrongs) covers(path []string) bool {
	for n := range path {
		if w.has(path[:n+1]...) {
			return true
		}
	}
	return false
}

func (w *wrongs) has(path ...string) bool { return w.byName[strings.Join(path, "\n")] }

// within reports whether something is missing at a path or below it.
func (w *wrongs) within(path ...string) bool {
	if w == nil {
		return false
	}
	above := strings.Join(path, "\n")
	for name := range w.byName {
		if name == above || strings.HasPrefix(name, above+"\n") {
			return true
		}
	}
	return false
}

// node reports whether whatever is found in a node may be a consequence: it lacks what
// all of it hangs on, or what it uses lacks something.
func (w *wrongs) node(g *graph, n *node) bool {
	if w == nil {
		return false
	}
	uses := func(section string, names build.Names) bool {
		for name := range names {
			if w.has(section, name) {
				return true
			}
		}
		return false
	}
	return w.has("graphs", g.Key, "nodes", n.Key) || n.uses.Calls && slices.Contains(w.sections, "tools") ||
		uses("tools", n.uses.Tools) || uses("memory", n.uses.Memories) || uses("interrupts", n.uses.Policies)
}

// follows reports whether findings of a kind may be consequences wherever they are made:
// policies are judged by the tools they are for, and what learns by its memory.
func (w *wrongs) follows(code diag.Code) bool {
	area, _, _ := strings.Cut(string(code), "/")
	switch area {
	case "interrupt":
		return slices.Contains(w.sections, "tools") || slices.Contains(w.sections, "interrupts")
	case "memory":
		return slices.Contains(w.sections, "memory")
	}
	return false
}
