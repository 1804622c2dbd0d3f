package main_test

import (
	"testing"
	"testing/fstest"

	"github.com/weft-engine/weft/engine/compile"
	"github.com/weft-engine/weft/engine/draw"
	"github.com/weft-engine/weft/engine/spec"
	"github.com/weft-engine/weft/nodes"
)

// FuzzValidate: whatever a spec says, it is compiled or refused, the same way each time,
// and each of its graphs can be drawn.
func FuzzValidate(f *testing.F) {
	for _, e := range examples(f) {
		for _, file := range e.archive.Files {
			if file.Name == "spec.yaml" {
				f.Add(string(file.Data))
			}
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		fsys := fstest.MapFS{"spec.yaml": &fstest.MapFile{Data: []byte(text)}}
		sp, list := spec.Load(fsys, ".", spec.Options{})
		loaded := !list.HasErrors()
		p, list := compile.Program(sp, nodes.Types(nodes.Deps{}))
		if (p == nil) != (!loaded || list.HasErrors()) {
			t.Fatalf("program %v with findings %v", p, list.Sorted())
		}
		for _, f := range list.Sorted() {
			if f.Message == "" || f.Hint == "" || !f.Pos.Known() {
				t.Fatalf("a finding says too little: %+v", f)
			}
		}
		if p == nil {
			return
		}
		for _, g := range p.Graphs {
			if draw.Graph(sp.Root, g.Name).Mermaid() == "" || len(g.Nodes) > 0 && g.Start >= len(g.Nodes) {
				t.Fatalf("graph %s is not whole", g.Name)
			}
		}
	})
}
