package simulator_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/weft-engine/weft/nodes/ues/simulator/ordered"
)

// pick gives a value of a JSON text by a pointer without its first slash: texts bare,
// everything else as JSON.
func pick(t testing.TB, text, at string) string {
	t.Helper()
	doc, err := ordered.Parse([]byte(text))
	if err != nil {
		t.Fatalf("%v in %.200s", err, text)
	}
	v := pointer(doc, "/"+at)
	if s, ok := v.(string); ok {
		return s
	}
	return string(ordered.Append(nil, v))
}

// str is fmt.Sprintf.
func str(format string, args ...any) string { return fmt.Sprintf(format, args...) }

// pointer follows a JSON pointer.
func pointer(v any, at string) any {
	for _, part := range strings.Split(at, "/")[1:] {
		part = strings.NewReplacer("~1", "/", "~0", "~").Replace(part)
		switch x := v.(type) {
		case *ordered.Map:
			v, _ = x.Get(part)
		case []any:
			i := 0
			if _, err := fmt.Sscan(part, &i); err != nil || i < 0 || i >= len(x) {
				return nil
			}
			v = x[i]
		default:
			return nil
		}
	}
	return v
}
