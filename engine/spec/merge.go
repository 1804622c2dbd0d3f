package spec

import (
	"math/big"
	"strconv"
	"strings"

	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/source"
)

// unifier unifies trees of plain data as CUE does: maps join, lists agree item by
// item, everything else must be equal. Trees are not changed; what they do not
// share is shared with the result.
type unifier struct {
	list *diag.List
	path []string
	seen map[place]bool
}

// unify returns a & b; either may be nil. Where they conflict, a is kept.
func unify(a, b *source.Value, list *diag.List) *source.Value {
	u := &unifier{list: list, seen: map[place]bool{}}
	return u.unify(a, b)
}

func (u *unifier) unify(a, b *source.Value) *source.Value {
	switch {
	case a == nil || a == b:
		return b
	case b == nil:
		return a
	case a.Kind == source.Map && b.Kind == source.Map:
		return u.maps(a, b)
	case a.Kind == source.List && b.Kind == source.List && len(a.Items) == len(b.Items):
		return u.lists(a, b)
	case !sameScalar(a, b):
		u.conflict(a, b)
	}
	return a
}

func (u *unifier) maps(a, b *source.Value) *source.Value {
	out := *a
	out.Fields = make([]source.Field, len(a.Fields), len(a.Fields)+len(b.Fields))
	copy(out.Fields, a.Fields)
	index := make(map[string]int, len(a.Fields))
	for i, f := range a.Fields {
		index[f.Key] = i
	}
	for _, f := range b.Fields {
		i, there := index[f.Key]
		if !there {
			out.Fields = append(out.Fields, f)
			continue
		}
		u.path = append(u.path, f.Key)
		out.Fields[i].Value = u.unify(out.Fields[i].Value, f.Value)
		u.path = u.path[:len(u.path)-1]
	}
	return &out
}

func (u *unifier) lists(a, b *source.Value) *source.Value {
	out := *a
	out.Items = make([]*source.Value, len(a.Items))
	for i := range a.Items {
		u.path = append(u.path, strconv.Itoa(i))
		out.Items[i] = u.unify(a.Items[i], b.Items[i])
		u.path = u.path[:len(u.path)-1]
	}
	return &out
}

// conflict does not show the values: one of them may be a secret.
func (u *unifier) conflict(a, b *source.Value) {
	p := place{pos: b.Pos, code: ruleConflict.Code}
	if u.seen[p] || len(u.seen) >= maxFindings {
		return
	}
	u.seen[p] = true
	what := "two different values"
	switch {
	case a.Kind != b.Kind:
		what = "values of two kinds, " + kindWords(a) + " and " + kindWords(b)
	case a.Kind == source.List:
		what = "lists of different length"
	}
	u.list.Add(ruleConflict.At(b.Pos, "%s has %s", strings.Join(u.path, "."), what).
		WithHint("Keep one of them, or make them equal.").WithRelated(a.Pos, "the other value"))
}

// sameScalar reports whether two scalars are one value to CUE. 1 and 1.0 are not.
func sameScalar(a, b *source.Value) bool {
	if a.Kind != b.Kind {
		return false
	}
	switch a.Kind {
	case source.Null:
		return true
	case source.Bool:
		return a.Bool == b.Bool
	case source.String:
		return a.Text == b.Text
	case source.Number:
		return a.Text == b.Text || sameNumber(a.Text, b.Text)
	case source.List, source.Map:
	}
	return false
}

func sameNumber(a, b string) bool {
	if isWhole(a) != isWhole(b) {
		return false
	}
	if isWhole(a) {
		x, ok1 := new(big.Int).SetString(a, 10)
		y, ok2 := new(big.Int).SetString(b, 10)
		return ok1 && ok2 && x.Cmp(y) == 0
	}
	x, err1 := strconv.ParseFloat(a, 64)
	y, err2 := strconv.ParseFloat(b, 64)
	return err1 == nil && err2 == nil && x == y
}
