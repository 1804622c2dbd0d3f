package http_test

import (
	"strings"
	"testing"
)

// TestEqualRequestsAreCachedAsOne: a node cache gives an earlier answer for an equal
// request of an equal tool, and for no other.
func TestEqualRequestsAreCachedAsOne(t *testing.T) {
	t.Parallel()
	const config = `{"url": "https://api.example.com/{{ args.id }}", "method": "POST", "headers": {"Authorization": {"env": "TOKEN"}, "X-Who": "{{ args.who }}"}, "json": {"n": "{{ args.n }}"}, "response": "json"}`
	identity := func(change string, args map[string]any) string {
		before, after, _ := strings.Cut(change, "→")
		p, err := request(mustTool(t, strings.Replace(config, before, after, 1), options{}), args)
		if err != nil {
			t.Fatal(err)
		}
		return p.Cache()
	}
	args := func(id, who string, n int) map[string]any { return map[string]any{"id": id, "who": who, "n": n} }
	first := identity("", args("a", "me", 1))
	if again := identity("", args("a", "me", 1)); again != first {
		t.Errorf("%s and %s for equal requests", first, again)
	}
	for name, other := range map[string]string{
		"path":     identity("", args("b", "me", 1)),
		"header":   identity("", args("a", "you", 1)),
		"body":     identity("", args("a", "me", 2)),
		"method":   identity(`"POST"→"PUT"`, args("a", "me", 1)),
		"host":     identity("api.example→api2.example", args("a", "me", 1)),
		"secret":   identity(`"TOKEN"→"OTHER"`, args("a", "me", 1)),
		"response": identity(`"response": "json"→"response": "text"`, args("a", "me", 1)),
	} {
		if other == first {
			t.Errorf("another %s has the same identity", name)
		}
	}
}
