package env

import (
	"errors"
	"fmt"
	"strings"

	"github.com/weft-engine/weft/engine/build"
	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/expr"
	"github.com/weft-engine/weft/engine/secret"
	"github.com/weft-engine/weft/engine/source"
	"github.com/weft-engine/weft/nodes/ues"
)

// Place is where the environment of a spec is. The zero Place is an empty one inside
// this process.
type Place struct {
	URL      string // "": inside this process, one for each thread
	Key      secret.Ref
	Scenario []byte // what one inside this process begins with: JSON in the order written; nil is nothing
}

// Compile reads the `environment` of a spec. It never gives nil.
func Compile(s *build.Scope, def *source.Value) any {
	p := &Place{}
	if def == nil {
		return p
	}
	if scenario := def.Get("scenario"); scenario != nil {
		p.Scenario = scenario.AppendJSON(nil)
		return p
	}
	if at := def.Get("url"); at != nil {
		p.URL, p.Key = at.Text, s.Secret(def.Get("key"))
		checkURL(s, at)
	}
	return p
}

// checkURL reports an address that cannot be one.
func checkURL(s *build.Scope, v *source.Value) {
	if _, err := ues.New(ues.Options{URL: v.Text}); err != nil {
		s.Report(badAddress.At(v.Pos, "%s", err).WithHint("Write the address that the server prints, such as http://127.0.0.1:8000."))
	}
}

// placeOf is the place of the spec that a scope is in.
func placeOf(s *build.Scope) *Place {
	if p, ok := s.Environment().(*Place); ok {
		return p
	}
	return &Place{}
}

// At says which environment a node or tool means, and as whom. It is immutable.
type At struct {
	place *Place
	whole *expr.Value // {url, key}, when one expression gives both
	url   *expr.Value
	key   *expr.Value
	ref   secret.Ref
}

// CompileAt reads an `at`, nil when there is none.
func CompileAt(s *build.Scope, v *source.Value) *At {
	at := &At{place: placeOf(s)}
	switch {
	case v == nil:
	case v.Kind == source.String:
		at.whole = s.Value(v)
	default:
		if u := v.Get("url"); u != nil {
			if !strings.Contains(u.Text, "{{") {
				checkURL(s, u)
			}
			at.url = s.Value(u)
		}
		if key := v.Get("key"); key != nil {
			named := s.SecretOrValue("key", key)
			at.key, at.ref = named.Value, named.Secret
		}
	}
	return at
}

// Target is an environment that was chosen: what Keeper.Open takes. It holds no secret
// but one that an expression gave.
type Target struct {
	Place *Place
	URL   string     // "": where the place is
	Key   string     // a key's secret, or its name in a keyring; "": Ref
	Ref   secret.Ref // zero: the place's
}

// String leaves the key out.
func (t Target) String() string { return "environment at " + t.URL }

// GoString is String: a key must not get into a log by %#v either.
func (t Target) GoString() string { return t.String() }

// Target chooses the environment with the names in scope.
func (a *At) Target(scope map[string]any) (Target, error) {
	t := Target{Place: a.place, Ref: a.ref}
	if a.whole != nil {
		v, err := a.whole.Eval(scope)
		if err != nil {
			return t, fmt.Errorf("at: %w", err)
		}
		given, ok := v.(map[string]any)
		if !ok {
			return t, fmt.Errorf("at: {url, key} is wanted, and this is %T", v)
		}
		t.URL, _ = given["url"].(string)
		t.Key, _ = given["key"].(string)
		return t, t.check()
	}
	var err error
	if t.URL, err = text(a.url, scope); err == nil {
		t.Key, err = text(a.key, scope)
	}
	if err != nil {
		return t, fmt.Errorf("at: %w", err)
	}
	return t, t.check()
}

// check refuses a key of the spec for an address of a run: who chose the address would
// get the key.
func (t Target) check() error {
	if t.URL != "" && t.Key == "" && t.Ref.IsZero() {
		return errors.New("at: there is a url and no key: give the key of that environment")
	}
	return nil
}

func text(v *expr.Value, scope map[string]any) (string, error) {
	if v == nil {
		return "", nil
	}
	got, err := v.Eval(scope)
	if err != nil {
		return "", err
	}
	out, ok := got.(string)
	if !ok {
		return "", fmt.Errorf("a text is wanted, and this is %T", got)
	}
	return out, nil
}

var badAddress = diag.Rule{
	Code: "ues/address", Severity: diag.Error, Summary: "The address of a simulated environment cannot be one.",
	Explain: "`url` is the address of a UES server, without anything behind the port.\n\n" +
		"    environment: {url: \"127.0.0.1:8000\"}                        # wrong\n" +
		"    environment: {url: \"http://127.0.0.1:8000\", key: {env: UES_KEY}}\n",
}

// Rules returns the findings of this package.
func Rules() []diag.Rule { return []diag.Rule{badAddress} }
