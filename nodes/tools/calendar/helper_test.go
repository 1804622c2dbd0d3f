package calendar_test

import (
	"testing"

	"github.com/weft-engine/weft/engine/build"
	"github.com/weft-engine/weft/nodes/google"
	"github.com/weft-engine/weft/nodes/internal/googlecall/calltest"
	"github.com/weft-engine/weft/nodes/tools/calendar"
)

const me = calltest.Me

// world is a local Google and a program that is logged in there.
type world struct{ *calltest.World }

func newWorld(t testing.TB) *world {
	t.Helper()
	return &world{calltest.New(t, func(a *google.Accounts) build.BackendType { return calendar.Type(calendar.Deps{Google: a}) })}
}
