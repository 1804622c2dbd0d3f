package source

import (
	"slices"

	"github.com/weft-engine/weft/engine/diag"
)

// Places tells which value of a tree stands at a place of a file.
type Places struct {
	files map[string][]placed
}

// placed is a value or the key of one: the fields that lead to it.
type placed struct {
	pos  diag.Pos
	path []string
}

// NewPlaces notes where the values of a tree stand. The steps of a path are names of
// fields; items of a list count to the list.
func NewPlaces(root *Value) *Places {
	p := &Places{files: map[string][]placed{}}
	p.note(root, nil)
	for _, all := range p.files {
		slices.SortStableFunc(all, func(a, b placed) int { return a.pos.Compare(b.pos) })
	}
	return p
}

func (p *Places) note(v *Value, path []string) {
	p.add(v.Pos, path)
	for _, item := range v.Items {
		p.note(item, path)
	}
	for _, f := range v.Fields {
		to := append(slices.Clip(path), f.Key)
		p.add(f.Pos, to)
		p.note(f.Value, to)
	}
}

func (p *Places) add(pos diag.Pos, path []string) {
	p.files[pos.File] = append(p.files[pos.File], placed{pos, path})
}

// At returns the paths to what stands at a place, or begins last before it; of a map and
// its first field that is the field. There are several where one piece of text stands for
// several values, as aliases do in YAML, sorted, and none where nothing begins before the
// place.
func (p *Places) At(pos diag.Pos) [][]string {
	all := p.files[pos.File]
	end, _ := slices.BinarySearchFunc(all, pos, func(a placed, pos diag.Pos) int {
		if a.pos.Compare(pos) <= 0 {
			return -1
		}
		return 1
	})
	begin := end
	for begin > 0 && all[begin-1].pos == all[end-1].pos {
		begin--
	}
	var out [][]string
	for _, a := range all[begin:end] {
		out = append(out, a.path)
	}
	slices.SortFunc(out, slices.Compare) // what leads deeper comes behind
	last := 0
	for i, path := range out {
		if i+1 < len(out) && leads(path, out[i+1]) {
			continue
		}
		out[last] = path
		last++
	}
	return out[:last]
}

// leads reports whether a path is another one or leads to it.
func leads(path, to []string) bool {
	return len(path) <= len(to) && slices.Equal(path, to[:len(path)])
}
