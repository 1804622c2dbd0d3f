package build

import (
	"strings"

	"github.com/weft-engine/weft/engine/secret"
	"github.com/weft-engine/weft/engine/source"
)

// isSecret reports whether v has the form of a reference to a secret: {env: NAME} or
// {file: path}. That nothing else stands where a secret belongs, and no secret anywhere
// else, was checked when the spec was loaded.
func isSecret(v *source.Value) bool {
	return v != nil && v.Kind == source.Map && (v.Has("env") || v.Has("file"))
}

// Secret reads a reference to a secret. It is zero when v is nil or no reference.
func (s *Scope) Secret(v *source.Value) secret.Ref { return secretRef(v) }

func secretRef(v *source.Value) secret.Ref {
	if !isSecret(v) {
		return secret.Ref{}
	}
	return secret.Ref{Env: text(v.Get("env")), File: text(v.Get("file")), Prefix: text(v.Get("prefix"))}
}

// SecretOrValue reads a named value that may be a secret: a header, an environment
// variable. Exactly one of the results is set.
func (s *Scope) SecretOrValue(name string, v *source.Value) Named {
	if isSecret(v) {
		return Named{Name: name, Secret: secretRef(v)}
	}
	return Named{Name: name, Value: s.Value(v)}
}

// maxData bounds how deep data is searched.
const maxData = 16

// noSecrets reports references to secrets in data.
func (s *Scope) noSecrets(v *source.Value, depth int) {
	if depth > maxData {
		return
	}
	if name := text(v.Get("env")); name != "" && name == strings.ToUpper(name) && (len(v.Fields) == 1 || v.Has("prefix")) {
		s.Report(secretInData.At(v.Pos, "the secret %s is not resolved here: this is data, and it is journaled", name).
			WithHint("Refer to secrets in api_key of a model, headers of an http tool, or env of an exec tool."))
		return
	}
	for _, item := range v.Items {
		s.noSecrets(item, depth+1)
	}
	for _, f := range v.Fields {
		s.noSecrets(f.Value, depth+1)
	}
}
