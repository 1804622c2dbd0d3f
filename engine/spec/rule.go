package spec

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/weft-engine/weft/engine/source"
)

// rule says what a value must be. Rules are compiled from the CUE source of #Spec and
// say exactly what it says; they exist because CUE's own evaluator takes a hundred
// times as long and cannot tell people what is wrong. Rules are immutable.
type rule struct {
	op   op
	name string // of the definition, without #; "" for an inline rule
	want string // what to write, for people
	doc  string

	scalar
	fields   []field // opMap
	index    map[string]int
	patterns []pattern
	open     bool    // opMap: other fields are allowed
	prefix   []*rule // opList: the first items
	rest     *rule   // opList: all further items; nil when there must be none
	alts     []*rule // opOr
	texts    bool    // whether a file may be included somewhere below
}

type op uint8

const (
	opAny op = iota
	opScalar
	opMap
	opList
	opOr
)

// scalar is the part of a rule that is about texts, numbers, booleans and null.
type scalar struct {
	kind    source.Kind
	whole   bool    // Number: without fraction and exponent
	literal *string // String: this one only
	re      *regexp.Regexp
	bounds  []bound
}

type bound struct {
	op    string // >=, <=, >, <
	limit float64
}

type field struct {
	name     string
	doc      string
	required bool
	tag      string // "type" for a node type, "backend" for a tool's backend
	rule     *rule
}

type pattern struct {
	re   *regexp.Regexp
	want string
	rule *rule
}

// isText reports whether {file: path} here stands for the content of the file.
func (r *rule) isText() bool { return r.name == "Text" || r.name == "Prose" }

// isData reports whether {file: path} here stands for the data in the file.
func (r *rule) isData() bool { return r.name == "Data" }

// isSecret reports whether only a reference to a secret is allowed here.
func (r *rule) isSecret() bool { return r.name == "Secret" }

// field returns the rules for one field of a map: more than one when patterns overlap.
func (r *rule) field(key string) []*rule {
	if i, ok := r.index[key]; ok {
		return []*rule{r.fields[i].rule}
	}
	var out []*rule
	for _, p := range r.patterns {
		if p.re.MatchString(key) {
			out = append(out, p.rule)
		}
	}
	if len(out) == 0 && r.open {
		return []*rule{anything}
	}
	return out
}

// item returns the rule for the i-th item of a list, nil when there must be none.
func (r *rule) item(i int) *rule {
	if i < len(r.prefix) {
		return r.prefix[i]
	}
	return r.rest
}

var anything = &rule{op: opAny}

// fits reports whether v is what r says.
func (r *rule) fits(v *source.Value) bool {
	switch r.op {
	case opAny:
		return true
	case opScalar:
		return r.scalar.fits(v)
	case opOr:
		for _, a := range r.alts {
			if a.fits(v) {
				return true
			}
		}
		return false
	case opList:
		return v.Kind == source.List && r.fitsList(v)
	case opMap:
		return v.Kind == source.Map && r.fitsMap(v)
	}
	return false
}

func (r *rule) fitsList(v *source.Value) bool {
	if len(v.Items) < len(r.prefix) {
		return false
	}
	for i, item := range v.Items {
		if ri := r.item(i); ri == nil || !ri.fits(item) {
			return false
		}
	}
	return true
}

func (r *rule) fitsMap(v *source.Value) bool {
	for _, f := range v.Fields {
		rules := r.field(f.Key)
		if len(rules) == 0 {
			return false
		}
		for _, rf := range rules {
			if !rf.fits(f.Value) {
				return false
			}
		}
	}
	for _, f := range r.fields {
		if f.required && !v.Has(f.name) {
			return false
		}
	}
	return true
}

func (s *scalar) fits(v *source.Value) bool {
	if v.Kind != s.kind {
		return false
	}
	switch v.Kind {
	case source.String:
		return (s.literal == nil || *s.literal == v.Text) && (s.re == nil || s.re.MatchString(v.Text))
	case source.Number:
		return (!s.whole || isWhole(v.Text)) && s.inBounds(v.Text)
	case source.Bool, source.Null, source.List, source.Map:
	}
	return true
}

// isWhole reports whether a number literal is an integer, as CUE sees it.
func isWhole(literal string) bool { return !strings.ContainsAny(literal, ".eE") }

func (s *scalar) inBounds(literal string) bool {
	if len(s.bounds) == 0 {
		return true
	}
	f, err := strconv.ParseFloat(literal, 64)
	if err != nil {
		return false
	}
	for _, b := range s.bounds {
		ok := map[string]bool{">=": f >= b.limit, "<=": f <= b.limit, ">": f > b.limit, "<": f < b.limit}[b.op]
		if !ok {
			return false
		}
	}
	return true
}
