package secret_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/weft-engine/weft/engine/secret"
)

// TestStream cuts texts with secrets in all kinds of pieces: together they read as the
// text redacted at once, and no piece waits that cannot be part of a secret.
func TestStream(t *testing.T) {
	secrets := map[string]string{"A": "abcabd", "B": "bdxyz!", "C": "abcabd-more", "D": "dddddddd"}
	rapid.Check(t, func(t *rapid.T) {
		v := &secret.Vault{Getenv: func(name string) (string, bool) { s, ok := secrets[name]; return s, ok }}
		for name := range secrets {
			if _, err := v.Resolve(secret.Ref{Env: name}); err != nil {
				t.Fatal(err)
			}
		}
		parts := rapid.SliceOfN(rapid.SampledFrom([]string{"abcabd", "bdxyz!", "abcabd-more", "dddddddd", "ab", "-m", "d", "text "}), 1, 8).Draw(t, "parts")
		text := strings.Join(parts, "")
		s := &secret.Stream{Vault: v}
		var got strings.Builder
		for at := 0; at < len(text); {
			n := rapid.IntRange(1, min(5, len(text)-at)).Draw(t, "n")
			got.WriteString(s.Next(text[at : at+n]))
			at += n
		}
		got.WriteString(s.Rest())
		for name, value := range secrets {
			if strings.Contains(got.String(), value) {
				t.Fatalf("secret %s shows in %q", name, got.String())
			}
		}
		if !strings.Contains(v.Redact(text), secret.Mark) && got.String() != text {
			t.Fatalf("%q became %q", text, got.String())
		}
	})
	v := vault()
	if _, err := v.Resolve(secret.Ref{Env: "KEY"}); err != nil {
		t.Fatal(err)
	}
	s := &secret.Stream{Vault: v}
	if got := s.Next("nothing to hide"); got != "nothing to hide" {
		t.Errorf("%q is shown", got)
	}
	if got := s.Next(" but " + key[:5]); got != " but " {
		t.Errorf("%q is shown before the rest is known", got)
	}
	if got := s.Next(key[5:]+".") + s.Rest(); got != "[secret]." {
		t.Errorf("%q is shown", got)
	}
}
