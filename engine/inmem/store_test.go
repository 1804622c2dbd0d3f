package inmem_test

import (
	"testing"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/enginetest"
	"github.com/weft-engine/weft/engine/inmem"
)

func TestStore(t *testing.T) {
	enginetest.Store(t, func(*testing.T) engine.Store { return inmem.New() }, nil)
}
