package main

import (
	"context"
	"strings"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/inmem"
	"github.com/weft-engine/weft/engine/sqlite"
	"github.com/weft-engine/weft/nodes/ues/env"
)

// openStore opens the store that a --store flag names.
func openStore(ctx context.Context, url string) (engine.Store, error) {
	kind, path, _ := strings.Cut(url, ":")
	switch kind {
	case "sqlite":
		if path == "" {
			return nil, usage("--store sqlite: needs the path of a file, for example sqlite:.weft/weft.db")
		}
		return sqlite.Open(ctx, sqlite.Options{Path: path})
	case "memory":
		if path != "" {
			return nil, usage("--store %s: what is kept in memory has no name: write memory:", url)
		}
		return inmem.New(), nil
	case "postgres", "postgresql":
		return nil, usage("--store postgres: this build has no PostgreSQL store: use sqlite:PATH or memory:")
	}
	return nil, usage("unknown --store %q: use sqlite:PATH or memory:", url)
}

// closeStore closes a store and reports what went wrong with it.
func (a *app) closeStore(s engine.Store) {
	if err := s.Close(); err != nil {
		a.log.Error().Err(err).Msg("store not closed")
	}
}

// shelf is where the simulated environments of threads are kept: beside their store, and
// nowhere when that is kept in memory.
func shelf(store string) env.Shelf {
	if path, ok := strings.CutPrefix(store, "sqlite:"); ok && path != "" {
		return env.Files{Dir: path + ".ues"}
	}
	return nil
}
