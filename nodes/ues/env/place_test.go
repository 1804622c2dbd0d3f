package env_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-engine/weft/engine/build"
	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/secret"
	"github.com/weft-engine/weft/engine/shape"
	"github.com/weft-engine/weft/engine/source"
	"github.com/weft-engine/weft/engine/spec"
	"github.com/weft-engine/weft/nodes/ues/env"
)

// at compiles an `at` in a spec with this environment, and chooses with the scope.
func at(t *testing.T, environment, text string, scope map[string]any) (env.Target, []diag.Finding, error) {
	t.Helper()
	decode := func(text string) *source.Value {
		v, list := spec.Decode([]byte(text), "spec.yaml")
		if list.HasErrors() {
			t.Fatal(list.Sorted())
		}
		return v
	}
	list := &diag.List{}
	root := decode("environment: " + environment)
	p := build.New(root, build.Types{Environment: env.Compile}, list)
	s := p.NewScope(map[string]*shape.Type{"input": {}}, list)
	var config *source.Value
	if text != "" {
		config = decode("at: " + text).Get("at")
	}
	a := env.CompileAt(s, config)
	if list.HasErrors() {
		return env.Target{}, list.Sorted(), nil
	}
	target, err := a.Target(map[string]any{"input": scope})
	return target, nil, err
}

func TestAt(t *testing.T) {
	t.Parallel()
	const there = `{url: "http://there:1", key: {env: THERE}}`
	placed := &env.Place{URL: "http://there:1", Key: secret.Ref{Env: "THERE"}}
	for _, c := range []struct {
		environment, at string
		scope           map[string]any
		want            env.Target
		err             string
	}{
		{there, ``, nil, env.Target{Place: placed}, ""},
		{there, `{key: {file: /run/key}}`, nil, env.Target{Place: placed, Ref: secret.Ref{File: "/run/key"}}, ""},
		{there, `{url: "http://here:{{ input.port }}", key: "{{ input.key }}"}`, map[string]any{"port": 2, "key": "k"}, env.Target{Place: placed, URL: "http://here:2", Key: "k"}, ""},
		{there, `"{{ input.ues }}"`, map[string]any{"ues": map[string]any{"url": "http://here:2", "key": "k"}}, env.Target{Place: placed, URL: "http://here:2", Key: "k"}, ""},
		{there, `"{{ input.ues }}"`, map[string]any{"ues": map[string]any{"url": "http://here:2"}}, env.Target{}, "there is a url and no key"},
		{there, `{url: "{{ input.url }}"}`, map[string]any{"url": "http://thief:1"}, env.Target{}, "there is a url and no key"},
		{there, `"{{ input.ues }}"`, map[string]any{"ues": 7}, env.Target{}, "{url, key} is wanted"},
		{there, `{key: "{{ input.key }}"}`, map[string]any{"key": 7}, env.Target{}, "a text is wanted"},
		{`{scenario: {b: [1, x], a: 1}}`, ``, nil, env.Target{Place: &env.Place{Scenario: []byte(`{"b":[1,"x"],"a":1}`)}}, ""},
	} {
		got, findings, err := at(t, c.environment, c.at, c.scope)
		if len(findings) > 0 {
			t.Fatal(findings)
		}
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: %v", c.at, err)
			}
			continue
		}
		if diff := cmp.Diff(c.want, got); diff != "" || err != nil {
			t.Errorf("%s: %v\n%s", c.at, err, diff)
		}
		if text := fmt.Sprintf("%v %+v %#v", got, got, got); strings.Contains(text, "k\"") {
			t.Errorf("the key is printed: %s", text)
		}
	}
	for environment, at1 := range map[string]string{`{url: "localhost:8000"}`: "", there: `{url: "ftp://x", key: {env: K}}`} {
		if _, findings, _ := at(t, environment, at1, nil); len(findings) != 1 || findings[0].Code != "ues/address" {
			t.Errorf("%s %s: %v", environment, at1, findings)
		}
	}
}
