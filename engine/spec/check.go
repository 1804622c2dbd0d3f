package spec

import (
	"slices"
	"strconv"
	"strings"

	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/source"
)

// checker holds a tree against a rule and reports each wrong place once.
type checker struct {
	list  *diag.List
	seen  map[place]bool
	path  []string
	whole bool // whether missing fields count: not when a file could not be read
	count int
}

// place is where a finding was made: a profile's values are met twice, in the
// profile and in the spec it is unified into.
type place struct {
	pos  diag.Pos
	code diag.Code
	text string // the field that is missing
}

// checkTree reports everything in which v is not what r says.
func checkTree(v *source.Value, r *rule, list *diag.List, whole bool) {
	c := &checker{list: list, seen: map[place]bool{}, whole: whole}
	c.check(v, r, v.Pos)
}

func (c *checker) add(f diag.Finding, text string) {
	p := place{f.Pos, f.Code, text}
	if c.seen[p] || c.count >= maxFindings {
		return
	}
	c.seen[p] = true
	c.count++
	c.list.Add(f)
}

// where names the place for people.
func (c *checker) where() string {
	if len(c.path) == 0 {
		return "the spec"
	}
	return strings.ReplaceAll(strings.Join(c.path, "."), ".[", "[")
}

// last is the name of the field at hand.
func (c *checker) last() string {
	for _, name := range slices.Backward(c.path) {
		if !strings.HasPrefix(name, "[") {
			return `"` + name + `"`
		}
	}
	return "the spec"
}

// check reports what is wrong with v; key is the place to blame for what v lacks.
func (c *checker) check(v *source.Value, r *rule, key diag.Pos) {
	switch r.op {
	case opAny:
	case opScalar:
		c.checkScalar(v, r)
	case opMap:
		if v.Kind != source.Map {
			c.wrongKind(v, r)
			return
		}
		c.checkMap(v, r, key)
	case opList:
		if v.Kind != source.List {
			c.wrongKind(v, r)
			return
		}
		c.checkList(v, r)
	case opOr:
		c.checkOr(v, r, key)
	}
}

func (c *checker) checkMap(v *source.Value, r *rule, key diag.Pos) {
	var meant []string // by fields that do not exist
	for _, f := range v.Fields {
		rules := r.field(f.Key)
		if len(rules) == 0 {
			meant = append(meant, c.unknown(v, r, f))
			continue
		}
		c.path = append(c.path, f.Key)
		for _, rf := range rules {
			c.check(f.Value, rf, f.Pos)
		}
		c.path = c.path[:len(c.path)-1]
	}
	if !c.whole {
		return
	}
	for _, f := range r.fields {
		if f.required && !v.Has(f.name) && !slices.Contains(meant, f.name) {
			c.add(ruleMissing.At(key, "%s lacks the field %q", c.where(), f.name).
				WithHint("Add %s: %s.", f.name, f.rule.want), f.name)
		}
	}
}

func (c *checker) checkList(v *source.Value, r *rule) {
	if len(v.Items) < len(r.prefix) {
		c.add(ruleValue.At(v.Pos, "%s must have at least %d item(s)", c.last(), len(r.prefix)).WithHint("Write %s.", r.want), "")
		return
	}
	for i, item := range v.Items {
		if ri := r.item(i); ri != nil {
			c.path = append(c.path, "["+strconv.Itoa(i)+"]")
			c.check(item, ri, item.Pos)
			c.path = c.path[:len(c.path)-1]
			continue
		}
		c.add(ruleValue.At(item.Pos, "%s must have no more than %d item(s)", c.last(), len(r.prefix)).WithHint("Write %s.", r.want), "")
		return
	}
}

// checkOr folds alternatives: v is held against the one it resembles most, and when
// it resembles none, one finding names them all.
func (c *checker) checkOr(v *source.Value, r *rule, key diag.Pos) {
	if r.fits(v) {
		return
	}
	if r.isSecret() || isSecretRef(v) {
		c.secret(v, r)
		return
	}
	if best := nearest(v, r); best != nil {
		c.check(v, best, key)
		return
	}
	if slices.ContainsFunc(r.alts, func(a *rule) bool { return a.admits(v) }) {
		c.wrongValue(v, r)
		return
	}
	c.wrongKind(v, r)
}

// nearest returns the alternative that v seems to be meant as, nil when that is not clear.
func nearest(v *source.Value, r *rule) *rule {
	var near []*rule
	for _, a := range r.alts {
		if a.admits(v) {
			near = append(near, a)
		}
	}
	if len(near) == 1 {
		return near[0]
	}
	var best *rule
	most := 0
	for _, a := range near {
		if n := a.resemblance(v); n > most {
			best, most = a, n
		}
	}
	return best
}

// admits reports whether v is at least of a kind that r allows.
func (r *rule) admits(v *source.Value) bool {
	switch r.op {
	case opAny:
		return true
	case opScalar:
		return v.Kind == r.kind
	case opMap:
		return v.Kind == source.Map
	case opList:
		return v.Kind == source.List
	case opOr:
		return slices.ContainsFunc(r.alts, func(a *rule) bool { return a.admits(v) })
	}
	return false
}

// resemblance counts the parts of v that r knows.
func (r *rule) resemblance(v *source.Value) int {
	n := 0
	for _, f := range v.Fields {
		if _, ok := r.index[f.Key]; ok && r.op == opMap {
			n++
		}
	}
	for i, item := range v.Items {
		if ri := r.item(i); r.op == opList && ri != nil && ri.admits(item) {
			n++
		}
	}
	return n
}
