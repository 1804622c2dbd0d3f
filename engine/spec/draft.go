package spec

import (
	"slices"

	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/source"
)

// Draft is what can still be judged of a spec in which single fields are wrong, so that
// one pass tells all mistakes.
type Draft struct {
	// Root is the tree without the fields that are wrong. It is what the schema says.
	Root *source.Value

	// Wrong are the paths of the definitions, the nodes and the fields of nodes that lack
	// something: graphs, main, nodes, send. What is found in them may be a consequence.
	Wrong [][]string
}

// maxCuts bounds how much is taken out of a spec: of one that is wrong in more places
// nobody needs to hear more.
const maxCuts = 500

// draftable are the findings that are about one field alone.
var draftable = map[diag.Code]bool{
	ruleUnknownField.Code: true, ruleType.Code: true, ruleValue.Code: true, ruleMissing.Code: true, ruleSecretLiteral.Code: true,
	ruleSecretMisplaced.Code: true, ruleFile.Code: true, ruleOutside.Code: true,
}

// draft returns what can be judged of a tree in spite of the findings so far, nil when
// too much hangs on what is wrong. What it finds in included files is reported.
func (l *loader) draft(root *source.Value, r *rule) *Draft {
	d := &Draft{Root: root}
	if !d.drop(r, l.list.Sorted()) {
		return nil
	}
	more := &diag.List{}
	files := &loader{list: more, budget: l.budget, homes: l.homes, texts: l.texts}
	full := files.include(without(d.Root, "profiles"), r)
	checkLiterals(full, more)
	l.list.Merge(more)
	if more.HasErrors() {
		if !d.drop(r, more.Sorted()) {
			return nil
		}
		full = files.include(without(d.Root, "profiles"), r)
	}
	d.Root = without(full, "imports", "default_profile")
	return d
}

// drop takes the fields out that findings are about. It fails when a finding is about
// more than a field that nothing else hangs on.
func (d *Draft) drop(r *rule, found []diag.Finding) bool {
	places, cuts := source.NewPlaces(d.Root), 0
	for _, f := range found {
		if !draftable[f.Code] {
			return false
		}
		for _, path := range places.At(f.Pos) {
			if len(path) > 0 && (path[0] == "profiles" || f.Code == ruleSecretLiteral.Code && path[0] != "models") {
				continue // what is applied is in its place too; a secret elsewhere is a text like others
			}
			cut, ok := loose(path, r)
			if cuts++; !ok || cuts > maxCuts {
				return false
			}
			d.Root = cutOff(d.Root, cut.path, cut.empty)
			if cut.definition != nil {
				d.Wrong = append(d.Wrong, cut.definition)
			}
		}
	}
	list := &diag.List{}
	checkTree(without(d.Root, "profiles"), r, list, true)
	return !list.HasErrors()
}

// cut is a field to take out, or to empty: those who name it still find it.
type cut struct {
	path       []string
	empty      bool
	definition []string // that it is part of
}

// loose returns what to take out for what is wrong at a path; not ok when others hang
// on it.
func loose(path []string, r *rule) (c cut, ok bool) {
	n := len(path)
	if n == 0 {
		return cut{}, false
	}
	switch section := path[0]; section {
	case "version", "description", "scenarios":
		return cut{path: path[:1]}, true
	case "triggers":
		return cut{path: path[:min(n, 2)]}, true
	case "tools", "models", "interrupts", "memory":
		if n >= 2 {
			return cut{path: path[:min(n, 3)], empty: n == 2, definition: path[:2]}, true
		}
	case "graphs":
		return looseInGraph(path, r)
	default:
		return cut{path: path[:1]}, r.closest(section) == ""
	}
	return cut{}, false
}

// looseInGraph is loose for a path that begins with graphs. All of a node hangs on what
// its items are called; of other fields only they themselves do.
func looseInGraph(path []string, r *rule) (c cut, ok bool) {
	switch n := len(path); {
	case n >= 5 && path[2] == "nodes":
		c = cut{path: path[:5], definition: path[:5]}
		for _, step := range path[:4] {
			r = r.field(step)[0]
		}
		if meant := r.closest(path[4]); meant == "" || meant == "for_each" {
			c.definition = path[:4]
		}
		return c, true
	case n == 4 && path[2] == "nodes":
		return cut{path: path, empty: true, definition: path}, true
	case n >= 3 && (path[2] == "limits" || path[2] == "description"):
		return cut{path: path[:3], definition: path[:3]}, true
	}
	return cut{}, false
}

// cutOff returns a tree without the field at a path, or with an empty map there.
func cutOff(v *source.Value, path []string, empty bool) *source.Value {
	i := slices.IndexFunc(v.Fields, func(f source.Field) bool { return f.Key == path[0] })
	if i < 0 {
		return v
	}
	out := *v
	out.Fields = slices.Clone(v.Fields)
	switch {
	case len(path) > 1:
		out.Fields[i].Value = cutOff(out.Fields[i].Value, path[1:], empty)
	case empty:
		out.Fields[i].Value = &source.Value{Kind: source.Map, Pos: out.Fields[i].Value.Pos}
	default:
		out.Fields = slices.Delete(out.Fields, i, i+1)
	}
	return &out
}
