package shape

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/weft-engine/weft/engine/diag"
)

// maxProblems is how many problems are told of one value.
const maxProblems = 20

// explain says in plain words what the validator found.
func (s *Shape) explain(_ any, err error) []Problem {
	var found *jsonschema.ValidationError
	if !errors.As(err, &found) {
		return []Problem{{Message: err.Error()}}
	}
	out := s.problems(found)
	slices.SortFunc(out, func(a, b Problem) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), strings.Compare(a.Message, b.Message))
	})
	out = slices.Compact(out)
	if more := len(out) - maxProblems + 1; more > 1 {
		out = append(out[:maxProblems-1], Problem{Path: out[maxProblems-1].Path, Message: fmt.Sprintf("… and %d more problems from here on", more)})
	}
	return out
}

func (s *Shape) problems(e *jsonschema.ValidationError) []Problem {
	switch k := e.ErrorKind.(type) {
	case *kind.Schema, *kind.Group, *kind.Reference, *kind.AllOf:
		return s.causes(e)
	case *kind.AnyOf:
		return s.alternatives(e)
	case *kind.OneOf:
		if k.Subschemas == nil {
			return s.alternatives(e)
		}
		return one(e, "fits several of the alternatives, and must fit exactly one")
	case *kind.Required:
		return each(e, k.Missing, func(name string) string { return fmt.Sprintf("property %q is missing", clip(name, 60)) })
	case *kind.AdditionalProperties:
		return each(e, k.Properties, func(name string) string { return s.unknownProperty(e, name) })
	case *kind.DependentRequired:
		return each(e, k.Missing, func(name string) string {
			return fmt.Sprintf("property %q is missing, which %q needs", clip(name, 60), clip(k.Prop, 60))
		})
	case *kind.PropertyNames:
		// The validator's location is not reliable here.
		return []Problem{{Message: fmt.Sprintf("has a property with a name that is not allowed: %q", clip(k.Property, 60))}}
	}
	return one(e, words(e.ErrorKind))
}

func (s *Shape) causes(e *jsonschema.ValidationError) []Problem {
	var out []Problem
	for _, c := range e.Causes {
		out = append(out, s.problems(c)...)
	}
	return out
}

func one(e *jsonschema.ValidationError, message string) []Problem {
	return []Problem{{Path: pointer(e.InstanceLocation...), Message: message}}
}

func each(e *jsonschema.ValidationError, names []string, say func(string) string) []Problem {
	names = slices.Sorted(slices.Values(names))
	out := make([]Problem, 0, min(len(names), maxProblems))
	for _, name := range names {
		out = append(out, one(e, say(name))...)
	}
	return out
}

// alternatives tells what is wrong with the alternative that was most likely meant.
func (s *Shape) alternatives(e *jsonschema.ValidationError) []Problem {
	here := len(e.InstanceLocation)
	meant := slices.DeleteFunc(slices.Clone(e.Causes), func(c *jsonschema.ValidationError) bool { return misses(c, here, false) })
	if len(meant) > 1 {
		tagged := slices.DeleteFunc(slices.Clone(meant), func(c *jsonschema.ValidationError) bool { return misses(c, here+1, true) })
		if len(tagged) == 1 {
			meant = tagged
		}
	}
	switch len(meant) {
	case 0:
		return one(e, s.noKind(e))
	case 1:
		return s.problems(meant[0])
	}
	var first []string
	for _, c := range meant {
		if len(first) == 3 {
			first = append(first, "…")
			break
		}
		if p := s.explain(nil, c); len(p) > 0 {
			first = append(first, p[0].String())
		}
	}
	return one(e, fmt.Sprintf("fits none of %d alternatives (%s)", len(e.Causes), strings.Join(slices.Compact(first), "; ")))
}

// misses reports whether e fails for the kind or the fixed value of what is at depth;
// for the fixed value alone when tag is set.
func misses(e *jsonschema.ValidationError, depth int, tag bool) bool {
	switch e.ErrorKind.(type) {
	case *kind.Const, *kind.Enum:
		return len(e.InstanceLocation) == depth
	case *kind.Type, *kind.FalseSchema:
		return len(e.InstanceLocation) == depth && !tag
	case *kind.Group, *kind.Reference, *kind.AllOf:
		return slices.ContainsFunc(e.Causes, func(c *jsonschema.ValidationError) bool { return misses(c, depth, tag) })
	}
	return false
}

// noKind says what the alternatives want when not even the kind is right.
func (s *Shape) noKind(e *jsonschema.ValidationError) string {
	var want []string
	got := ""
	for _, c := range e.Causes {
		t, ok := innermost(c).ErrorKind.(*kind.Type)
		if !ok {
			var parts []string
			for _, c := range e.Causes {
				if p := s.explain(nil, c); len(p) > 0 {
					parts = append(parts, p[0].Message)
				}
			}
			return clip(strings.Join(slices.Compact(parts), ", or "), 300)
		}
		got = t.Got
		want = append(want, t.Want...)
	}
	return words(&kind.Type{Got: got, Want: want})
}

func innermost(e *jsonschema.ValidationError) *jsonschema.ValidationError {
	for len(e.Causes) == 1 {
		e = e.Causes[0]
	}
	return e
}

func (s *Shape) unknownProperty(e *jsonschema.ValidationError, name string) string {
	message := fmt.Sprintf("property %q is not allowed", clip(name, 60))
	n := s.find(e.SchemaURL)
	if n == nil {
		return message
	}
	var known []string
	for _, m := range n.named["properties"] {
		known = append(known, m.key)
	}
	if near := diag.Nearest(name, known); near != "" {
		return message + fmt.Sprintf("; did you mean %q?", near)
	}
	if len(known) > 0 && len(known) <= 12 {
		return message + "; allowed are " + strings.Join(known, ", ")
	}
	return message
}

// find returns the schema at a location of the validator.
func (s *Shape) find(location string) *node {
	resource, path, _ := strings.Cut(location, "#")
	tokens := strings.Split(strings.TrimPrefix(path, "/"), "/")
	for i, t := range tokens {
		if u, err := url.PathUnescape(t); err == nil {
			t = u
		}
		tokens[i] = strings.ReplaceAll(strings.ReplaceAll(t, "~1", "/"), "~0", "~")
	}
	if path == "" {
		tokens = nil
	}
	n := s.root.root
	if resource == typesURL && len(tokens) >= 2 {
		n, tokens = s.lib.types[tokens[1]], tokens[2:]
	}
	for n != nil && len(tokens) > 0 {
		n, tokens = n.step(tokens)
	}
	return n
}

func (n *node) step(tokens []string) (*node, []string) {
	if sub := n.one[tokens[0]]; sub != nil {
		return sub, tokens[1:]
	}
	if len(tokens) < 2 {
		return nil, nil
	}
	if subs := n.many[tokens[0]]; subs != nil {
		i, err := strconv.Atoi(tokens[1])
		if err != nil || i < 0 || i >= len(subs) {
			return nil, nil
		}
		return subs[i], tokens[2:]
	}
	return n.get(tokens[0], tokens[1]), tokens[2:]
}
