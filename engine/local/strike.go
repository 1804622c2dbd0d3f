package local

import "github.com/weft-engine/weft/engine"

// struck returns an answer without secrets: what a human writes is journaled too.
func (r *Runner) struck(a engine.Answer) engine.Answer {
	if r.Vault == nil {
		return a
	}
	a.Text, a.Args = r.Vault.Redact(a.Text), r.struckData(a.Args)
	return a
}

// struckData returns data without secrets.
func (r *Runner) struckData(data map[string]any) map[string]any {
	if r.Vault == nil || data == nil {
		return data
	}
	out, _ := r.Vault.RedactValue(data).(map[string]any)
	return out
}
