package spec

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/source"
)

// tokenForms are texts that can be nothing but a credential.
var tokenForms = regexp.MustCompile(strings.Join([]string{
	`\bsk-[A-Za-z0-9_-]{20,}`,
	`\bgh[pousr]_[A-Za-z0-9]{36}`,
	`\bAKIA[0-9A-Z]{16}\b`,
	`\bAIza[0-9A-Za-z_-]{35}`,
	`\bxox[abprs]-[0-9A-Za-z-]{10,}`,
	`-----BEGIN [A-Z ]*PRIVATE KEY-----`,
	`\b[a-z][a-z0-9+.-]*://[^/\s:@{}]+:[^/\s:@{}]+@`,
}, "|"))

// tokenParts are in every such text: looking for them is cheap.
var tokenParts = []string{"sk-", "gh", "AKIA", "AIza", "xox", "-----BEGIN", "://"}

func isToken(s string) bool {
	return slices.ContainsFunc(tokenParts, func(part string) bool { return strings.Contains(s, part) }) && tokenForms.MatchString(s)
}

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
		list.Add(ruleSecretLiteral.At(v.Pos, "%s and must not be written into the spec", what).
			WithHint("Write {env: NAME} with the name of the environment variable that holds it."))
	})
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
	if isToken(s) {
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

// eachSecret visits the values where the language wants a reference to a secret.
func eachSecret(v *source.Value, r *rule, visit func(*source.Value)) {
	switch {
	case r.isSecret():
		visit(v)
	case r.op == opMap && v.Kind == source.Map:
		for _, f := range v.Fields {
			for _, rf := range r.field(f.Key) {
				eachSecret(f.Value, rf, visit)
			}
		}
	}
}
