package spec

import (
	"bytes"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/source"
)

// secretName matches the names of headers and variables that hold credentials.
var secretName = regexp.MustCompile(`(?i)^(proxy-)?authorization$|^cookie$|(^|[-_])(api-?_?key|key|token|secret|password|passwd)$`)

// checkLiterals reports credentials that stand where any text may.
func checkLiterals(root *source.Value, list *diag.List) {
	known := map[diag.Pos]bool{}
	for _, f := range list.Sorted() {
		known[f.Pos] = known[f.Pos] || f.Code == ruleSecretLiteral.Code
	}
	eachLiteral(root, nil, func(v *source.Value, what string) {
		if known[v.Pos] {
			return
		}
		known[v.Pos] = true
		list.Add(ruleSecretLiteral.At(literalPos(v), "%s and must not be written into the spec", what).
			WithHint("Write {env: NAME} with the name of the environment variable that holds it."))
	})
}

// literalPos is where a secret stands: in a file of its own the text is long.
func literalPos(v *source.Value) diag.Pos {
	if at := diag.Credential(v.Text); v.Raw == "" && at > 0 {
		return v.At(at)
	}
	return v.Pos
}

func eachLiteral(v *source.Value, path []string, report func(v *source.Value, what string)) {
	switch v.Kind {
	case source.String:
		if what := literalSecret(v.Text, path); what != "" {
			report(v, what)
		}
	case source.List:
		for _, item := range v.Items {
			eachLiteral(item, append(path, ""), report)
		}
	case source.Map:
		for _, f := range v.Fields {
			eachLiteral(f.Value, append(path, f.Key), report)
		}
	case source.Null, source.Bool, source.Number:
	}
}

func literalSecret(s string, path []string) string {
	if n := len(path); n >= 3 && !strings.Contains(s, "{{") && s != "" && secretName.MatchString(path[n-1]) &&
		(path[n-2] == "headers" && path[n-3] == "http" || path[n-2] == "env" && path[n-3] == "exec") {
		return "\"" + path[n-1] + "\" is a secret"
	}
	if diag.Credential(s) >= 0 {
		return "the text holds what looks like a secret"
	}
	return ""
}

// strike overwrites literal secrets in the texts that findings are shown with.
func strike(root *source.Value, r *rule, texts map[string][]byte) {
	hide := func(v *source.Value) {
		data, ok := texts[v.Pos.File]
		if !ok {
			return
		}
		t := newText(v.Pos.File, data)
		start := t.lines[v.Pos.Line-1] + v.Pos.Col - 1
		end := start + len(v.Raw)
		if v.Raw == "" { // computed: nothing says how far it goes
			end = len(data)
			if v.Pos.Line < len(t.lines) {
				end = t.lines[v.Pos.Line]
			}
		}
		clean := bytes.Clone(data)
		for i := start; i < min(end, len(clean)); i++ {
			if clean[i] != '\n' {
				clean[i] = '*'
			}
		}
		texts[v.Pos.File] = clean
	}
	eachLiteral(root, nil, func(v *source.Value, _ string) { hide(v) })
	eachSecret(root, r, func(v *source.Value) {
		if v.Kind == source.String {
			hide(v)
		}
	})
}

// closest returns the field that a name is, or is a slip for; "" when there is none.
func (r *rule) closest(key string) string {
	if _, ok := r.index[key]; ok {
		return key
	}
	return diag.Nearest(key, slices.Sorted(maps.Keys(r.index)))
}

// eachSecret visits the values where the language wants a reference to a secret.
func eachSecret(v *source.Value, r *rule, visit func(*source.Value)) {
	switch {
	case r.isSecret():
		visit(v)
	case r.op == opMap && v.Kind == source.Map:
		for _, f := range v.Fields {
			rules := r.field(f.Key)
			if len(rules) == 0 {
				rules = r.field(r.closest(f.Key))
			}
			for _, rf := range rules {
				eachSecret(f.Value, rf, visit)
			}
		}
	}
}
