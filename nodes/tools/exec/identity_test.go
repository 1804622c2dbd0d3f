package exec_test

import (
	"testing"

	"github.com/weft-engine/weft/nodes/tools/exec"
)

// TestEqualCallsAreCachedAsOne: a node cache gives an earlier result for an equal call
// of an equal program, and for no other.
func TestEqualCallsAreCachedAsOne(t *testing.T) {
	t.Parallel()
	identity := func(args map[string]any, change func(config map[string]any)) string {
		config := program("args", "{{ args.n }}")
		config["env"].(map[string]any)["KEY"] = map[string]any{"env": "SHOP_KEY"}
		change(config)
		tool, list := newTool(t, config, exec.Deps{Allow: true, Dir: "spec"})
		if list.Len() > 0 {
			t.Fatal(list.Sorted())
		}
		return operation(t, tool, args).Cache()
	}
	same := func(map[string]any) {}
	first := identity(map[string]any{"n": 1, "m": 1}, same)
	if again := identity(map[string]any{"n": 1, "m": 1}, same); again != first {
		t.Errorf("%s and %s for equal calls", first, again)
	}
	for name, other := range map[string]string{
		"argument": identity(map[string]any{"n": 2, "m": 1}, same),
		"input":    identity(map[string]any{"n": 1, "m": 2}, same),
		"variable": identity(map[string]any{"n": 1, "m": 1}, func(c map[string]any) { c["env"].(map[string]any)["MODE"] = "x" }),
		"secret":   identity(map[string]any{"n": 1, "m": 1}, func(c map[string]any) { c["env"].(map[string]any)["KEY"] = map[string]any{"env": "OTHER"} }),
		"folder":   identity(map[string]any{"n": 1, "m": 1}, func(c map[string]any) { c["dir"] = "work" }),
	} {
		if other == first {
			t.Errorf("another %s has the same identity", name)
		}
	}
}
