package secret_test

import (
	"encoding/base64"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-engine/weft/engine/secret"
)

const key = `sk-"quoted"/hunter2+`

func vault() *secret.Vault {
	env := map[string]string{"KEY": key, "SHORT": "abc", "EMPTY": "", "LONGER": key + "-and-more"}
	return &secret.Vault{
		Getenv: func(name string) (string, bool) { v, ok := env[name]; return v, ok },
		ReadFile: func(path string) ([]byte, error) {
			if path != "/run/secrets/key" {
				return nil, errors.New("no such file")
			}
			return []byte("from-a-file\r\n"), nil
		},
	}
}

func TestResolve(t *testing.T) {
	for _, c := range []struct {
		ref  secret.Ref
		want string
		err  string
	}{
		{secret.Ref{Env: "KEY"}, key, ""},
		{secret.Ref{Env: "KEY", Prefix: "Bearer "}, "Bearer " + key, ""},
		{secret.Ref{File: "/run/secrets/key"}, "from-a-file", ""},
		{secret.Ref{Env: "NONE"}, "", "environment variable NONE is not set: export it before the run"},
		{secret.Ref{Env: "EMPTY"}, "", "environment variable EMPTY is not set: export it before the run"},
		{secret.Ref{File: "/other"}, "", "read secret: no such file"},
	} {
		got, err := vault().Resolve(c.ref)
		if got != c.want || (err == nil) != (c.err == "") || err != nil && err.Error() != c.err {
			t.Errorf("%+v: %q, %v", c.ref, got, err)
		}
	}
}

func TestRedactStrikesWhatWasResolved(t *testing.T) {
	v := vault()
	if got := v.Redact(key); got != key {
		t.Errorf("a secret that was never handed out is struck: %q", got)
	}
	for _, name := range []string{"KEY", "SHORT", "LONGER"} {
		if _, err := v.Resolve(secret.Ref{Env: name}); err != nil {
			t.Fatal(err)
		}
	}
	for in, want := range map[string]string{
		"plain " + key + "!":                           "plain [secret]!",
		key + "-and-more":                              "[secret]",
		`{"k":"sk-\"quoted\"/hunter2+"}`:               `{"k":"[secret]"}`,
		"?k=sk-%22quoted%22%2Fhunter2%2B&x=1":          "?k=[secret]&x=1",
		base64.StdEncoding.EncodeToString([]byte(key)): "[secret]",
		"abc stays, it is too short":                   "abc stays, it is too short",
	} {
		if got := v.Redact(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestRedactValueGoesEverywhereAndChangesNothing(t *testing.T) {
	v := vault()
	in := map[string]any{"a": []any{key, 1, nil, true}, key: map[string]any{"b": "x" + key}}
	if diff := cmp.Diff(in, v.RedactValue(in)); diff != "" {
		t.Errorf("before anything was resolved:\n%s", diff)
	}
	if _, err := v.Resolve(secret.Ref{Env: "KEY"}); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"a": []any{"[secret]", 1, nil, true}, "[secret]": map[string]any{"b": "x[secret]"}}
	if diff := cmp.Diff(want, v.RedactValue(in)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if !strings.Contains(in["a"].([]any)[0].(string), "hunter2") {
		t.Error("the data itself was changed")
	}
}
