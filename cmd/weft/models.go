package main

import (
	"math/rand/v2"

	"github.com/weft-engine/weft/engine/chat"
	"github.com/weft-engine/weft/engine/model"
)

// models returns the client that the flags ask for, and the script if it is one.
func (a *app) models(f *driveFlags) (chat.Client, *model.Script, error) {
	var client chat.Client
	var script *model.Script
	switch {
	case f.script != "":
		v, err := a.readData(f.script)
		if err != nil {
			return nil, nil, err
		}
		if script, err = model.NewScript(v.Go()); err != nil {
			return nil, nil, invalid("%s: %w", f.script, err)
		}
		client = script
	case f.replay != "":
		replayer, err := model.NewReplayer(f.replay, a.vault)
		if err != nil {
			return nil, nil, invalid("%w", err)
		}
		client = replayer
	default:
		client = a.provider()
	}
	if f.record != "" {
		client = &model.Recorder{Client: client, Dir: f.record, Vault: a.vault}
	}
	return client, script, nil
}

func (a *app) provider() *model.Provider {
	p := &model.Provider{
		Vault: a.vault, HTTP: model.NewHTTPClient(), Now: a.now, Sleep: sleep, Rand: rand.Float64,
		BaseURLs: map[string]string{},
	}
	if url, ok := a.getenv("OPENAI_BASE_URL"); ok && url != "" {
		p.BaseURLs["openai"] = url
	}
	return p
}
