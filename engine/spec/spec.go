// Package spec turns a directory of YAML, JSON and CUE files into one tree, unified and
// checked against the language in schemas/, every value with its place in the user's
// file. It is the only package that reads spec files and the only one that speaks YAML
// and CUE. It resolves no names and runs nothing: package compile does that with the
// tree. Its main function is Load.
//
//	files ─read─▶ trees ─unify─▶ one tree ─profile─▶ ─check against #Spec─▶ ─include texts─▶ Spec
//	       (.cue files are evaluated by CUE and become trees like the others)
package spec

import (
	"bytes"
	"slices"

	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/source"
)

// Spec is a loaded spec. It is immutable and safe to share.
type Spec struct {
	Name        string
	Version     string
	Description string
	Dir         string   // as it was given to Load; empty for a spec from a bundle
	Profile     string   // the profile that was applied; empty when none was
	Profiles    []string // the names of the profiles there are, in the order written
	Hash        string   // content hash in hex: of Bundle

	// Root is the unified value with the profile applied and texts included: the
	// user's fields only, without imports, profiles and default_profile. It is nil
	// when there were errors.
	Root *source.Value

	// Draft is what can be judged in spite of errors; nil when there are none, or when
	// too much is wrong.
	Draft *Draft

	// Files are the spec's files and the texts they include, sorted.
	Files []string

	bundle []byte
	texts  map[string][]byte
}

// Options say how to load a spec.
type Options struct {
	// Profile is unified on top of the spec; empty means the spec's default_profile.
	Profile string
}

// Source returns the text of one of the spec's files, nil for any other. What was
// written where a secret must not be is struck out.
func (s *Spec) Source(file string) []byte { return s.texts[file] }

// Bundle returns the resolved spec as canonical JSON: one line, keys sorted except
// where their order counts (the nodes of a graph, the properties of a JSON Schema).
// Secrets are references in it, as they are in the spec.
func (s *Spec) Bundle() []byte { return slices.Clone(s.bundle) }

// bundleFile is the file name in the positions of a spec from a bundle.
const bundleFile = "spec.json"

// FromBundle returns the spec of a bundle. Its positions lie in the bundle's text,
// under the file name spec.json.
func FromBundle(data []byte) (*Spec, *diag.List) {
	list := &diag.List{}
	s := &Spec{Files: []string{bundleFile}, texts: map[string][]byte{bundleFile: bytes.Clone(data)}}
	root := decodeFile(bundleFile, data, new(budget), list)
	r, ok := schema(list)
	if root == nil || !ok {
		return s, list
	}
	checkTree(root, r, list, true)
	if !list.HasErrors() {
		s.finish(root)
	}
	return s, list
}

// schema returns the rule of #Spec.
func schema(list *diag.List) (*rule, bool) {
	r, err := specRule()
	if err != nil {
		list.Add(ruleRead.At(diag.Pos{}, "the built-in schemas are broken: %v", err))
	}
	return r, err == nil
}

// finish fills in what follows from the resolved tree.
func (s *Spec) finish(root *source.Value) {
	root = without(root, "imports", "profiles", "default_profile")
	s.Root = root
	s.Name, s.Version, s.Description = textOf(root.Get("name")), textOf(root.Get("version")), textOf(root.Get("description"))
	s.bundle = canonical(root)
	s.Hash = contentHash(s.bundle)
}
