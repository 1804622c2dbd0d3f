package spec

import (
	"regexp"
	"slices"
	"strings"

	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/source"
)

func (c *checker) checkScalar(v *source.Value, r *rule) {
	switch {
	case r.scalar.fits(v):
	case v.Kind != r.kind:
		c.wrongKind(v, r)
	default:
		c.wrongValue(v, r)
	}
}

func (c *checker) wrongKind(v *source.Value, r *rule) {
	if isSecretRef(v) {
		c.secret(v, r)
		return
	}
	f := ruleType.At(v.Pos, "%s must be %s, not %s", c.last(), r.want, kindWords(v))
	switch {
	case v.Kind == source.Null && r.admits(&source.Value{Kind: source.Map}):
		f = f.WithHint("Write a map, {} for an empty one, or delete the key.")
	case v.Kind == source.Null:
		f = f.WithHint("Write a value, or delete the key.")
	case r.op == opList && v.Kind == source.String && len(v.Text) < maxShown && !strings.Contains(v.Text, "{{"):
		f = f.WithHint("Write [%s].", v.Text)
	case r.admits(&source.Value{Kind: source.String}) && (v.Kind == source.Number || v.Kind == source.Bool):
		f = f.WithHint("Put quotes around the value.")
	default:
		f = f.WithHint("Write %s.", r.want)
	}
	c.add(f, "")
}

// wrongValue reports a value of the right kind. Only texts that come from a short list
// are shown back; others may be long or private.
func (c *checker) wrongValue(v *source.Value, r *rule) {
	if options := r.options(); len(options) > 0 && v.Kind == source.String {
		f := ruleValue.At(v.Pos, "%s is %s, which is not one of %s", c.last(), quoted(v.Text), listWords(options, "and"))
		if near := diag.Nearest(v.Text, options); near != "" {
			f = f.WithHint("Did you mean %q?", near)
		} else {
			f = f.WithHint("Write one of %s.", listWords(options, "and"))
		}
		c.add(f, "")
		return
	}
	c.add(ruleValue.At(v.Pos, "%s must be %s", c.last(), r.want).WithHint("Write %s.", r.want), "")
}

// options lists the texts that r allows, when it allows only a list of texts.
func (r *rule) options() []string {
	if r.op == opScalar && r.literal != nil {
		return []string{*r.literal}
	}
	if r.op != opOr {
		return nil
	}
	var out []string
	for _, a := range r.alts {
		o := a.options()
		if len(o) == 0 {
			return nil
		}
		out = append(out, o...)
	}
	return out
}

// unknown reports a field that r does not have. It returns the one that seems meant.
func (c *checker) unknown(v *source.Value, r *rule, f source.Field) string {
	if len(r.fields) == 0 && len(r.patterns) > 0 {
		c.add(ruleName.At(f.Pos, "%s is not a valid name", quoted(f.Key)).WithHint("Use %s.", r.patterns[0].want), f.Key)
		return ""
	}
	names, types := r.names("", v), r.names("type", nil)
	near := diag.Nearest(f.Key, append(slices.Clone(types), names...))
	finding := ruleUnknownField.At(f.Pos, "%s has no field %s", c.where(), quoted(f.Key))
	if len(types) > 0 {
		finding = ruleUnknownField.At(f.Pos, "%s is neither a node type nor a field of nodes", quoted(f.Key))
	}
	switch {
	case tornOff(f):
		finding = finding.WithHint("Inside { } a comma ends a value, also in an expression: put the whole expression in quotes.")
	case near != "":
		finding = finding.WithHint("Did you mean %q?", near)
	case len(types) > 0:
		finding = finding.WithHint("Node types are %s; other fields are %s.", listWords(types, "and"), listWords(names, "and"))
	case len(names) == 1:
		finding = finding.WithHint("Use %s, or delete it.", names[0])
	case len(names) > 0:
		finding = finding.WithHint("Use one of %s.", listWords(names, "and"))
	default:
		finding = finding.WithHint("Delete it.")
	}
	c.add(finding, f.Key)
	return near
}

// tornOff reports whether a field reads like the rest of an expression that a comma
// ended: {when: any(calls, .name == "done")} has a field `.name == "done")` without a value.
func tornOff(f source.Field) bool {
	return f.Value != nil && f.Value.Kind == source.Null && strings.ContainsAny(f.Key, `()[]"'=<>. `)
}

// names lists the fields of r with a tag, without those that v has.
func (r *rule) names(tag string, v *source.Value) []string {
	var out []string
	for _, f := range r.fields {
		if (f.tag == tag || tag == "" && f.tag != "type") && !v.Has(f.name) {
			out = append(out, f.name)
		}
	}
	return out
}

var envName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// isSecretRef reports whether v is written as a reference to an environment variable.
func isSecretRef(v *source.Value) bool {
	env := v.Get("env")
	return env != nil && env.Kind == source.String && envName.MatchString(env.Text) &&
		onlyKeys(v, "env", "prefix")
}

func onlyKeys(v *source.Value, keys ...string) bool {
	return !slices.ContainsFunc(v.Fields, func(f source.Field) bool { return !slices.Contains(keys, f.Key) })
}

// secret reports a literal where a reference is wanted, or a reference where none may be.
func (c *checker) secret(v *source.Value, r *rule) {
	switch {
	case r.isSecret() && v.Kind == source.Map && len(v.Fields) > 0:
		best := nearest(v, r)
		if best == nil {
			best = r.alts[0]
		}
		c.check(v, best, v.Pos)
	case r.isSecret() && v.Kind == source.String:
		c.add(ruleSecretLiteral.At(v.Pos, "%s is a secret and must not be written into the spec", c.last()).
			WithHint("Write {env: NAME} with the name of the environment variable that holds it."), "")
	case r.isSecret():
		c.add(ruleType.At(v.Pos, "%s must be %s, not %s", c.last(), r.want, kindWords(v)).WithHint("Write {env: NAME}."), "")
	default:
		c.add(ruleSecretMisplaced.At(v.Pos, "%s cannot take a secret", c.last()).
			WithHint("Write %s; secrets go into api_key, headers and env only.", strings.TrimSuffix(r.want, ", {env: NAME} or {file: path}")), "")
	}
}
