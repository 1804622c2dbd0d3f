package shape

import (
	"regexp"
	"slices"

	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/source"
)

// sane looks at the keywords of one schema together.
func (p *parser) sane(n *node) {
	for _, pair := range pairs {
		low, lowOK := asNumber(n.src.Get(pair[0]))
		high, highOK := asNumber(n.src.Get(pair[1]))
		if lowOK && highOK && low > high {
			p.report(invalid.At(n.src.Get(pair[0]).Pos, "`%s` is greater than `%s`, so nothing can fit", pair[0], pair[1]).
				WithHint("Swap the two, or change one."))
		}
	}
	p.enumFits(n)
	p.requiredDeclared(n)
}

// enumFits narrows the kinds to those of the allowed values, which must be among
// those of `type`.
func (p *parser) enumFits(n *node) {
	if !n.hasEnum {
		return
	}
	var got kinds
	for i, v := range n.enum {
		k := kindOf(v)
		if k&n.kinds == 0 {
			at := n.src.Get("const")
			if at == nil {
				at = n.src.Get("enum").Items[i]
			}
			p.report(invalid.At(at.Pos, "the value %s is not of the schema's `type`, so it can never fit", show(v)).
				WithHint("Change the value (quote it if it is text), or the type."))
		}
		got |= k
	}
	n.kinds &= got
}

// requiredDeclared reports properties that must and must not be there.
func (p *parser) requiredDeclared(n *node) {
	extra := n.one["additionalProperties"]
	if p.lib.lenient || extra == nil || !extra.never {
		return
	}
	declared := make([]string, 0, len(n.named["properties"]))
	for _, m := range n.named["properties"] {
		declared = append(declared, m.key)
	}
	for i, name := range n.required {
		if slices.Contains(declared, name) || n.matchesPattern(name) {
			continue
		}
		pos := requiredPos(n.src.Get("required"), name, i)
		finding := requiredUndeclared.At(pos, "property %q is required but not declared, and `additionalProperties` is false", clip(name, 60))
		if near := diag.Nearest(name, declared); near != "" {
			finding = finding.WithHint("Did you mean %q?", near)
		} else {
			finding = finding.WithHint("Declare it under `properties`, or take it out of `required`.")
		}
		p.report(finding)
	}
}

func requiredPos(v *source.Value, name string, i int) diag.Pos {
	for _, item := range v.Items {
		if item.Kind == source.String && item.Text == name {
			return item.Pos
		}
	}
	return v.Items[i].Pos
}

func (n *node) matchesPattern(name string) bool {
	for _, m := range n.named["patternProperties"] {
		if re, err := regexp.Compile(m.key); err != nil || re.MatchString(name) {
			return true
		}
	}
	return false
}
