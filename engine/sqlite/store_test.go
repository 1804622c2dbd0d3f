package sqlite_test

import (
	"path/filepath"
	"sync"
	"testing"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/enginetest"
	"github.com/weft-engine/weft/engine/sqlite"
)

// open opens a store that is closed at the end of the test.
func open(tb testing.TB, path string) *sqlite.Store {
	tb.Helper()
	s, err := sqlite.Open(tb.Context(), sqlite.Options{Path: path})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := s.Close(); err != nil {
			tb.Error(err)
		}
	})
	return s
}

func TestStore(t *testing.T) {
	var paths sync.Map
	enginetest.Store(t, func(t *testing.T) engine.Store {
		path := filepath.Join(t.TempDir(), "weft.db")
		s := open(t, path)
		paths.Store(engine.Store(s), path)
		return s
	}, func(t *testing.T, s engine.Store) engine.Store {
		path, _ := paths.Load(s)
		return open(t, path.(string))
	})
}
