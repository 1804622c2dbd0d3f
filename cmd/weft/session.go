package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os/user"
	"time"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/compile"
	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/local"
	"github.com/weft-engine/weft/engine/memory"
	"github.com/weft-engine/weft/engine/model"
	"github.com/weft-engine/weft/engine/spec"
	"github.com/weft-engine/weft/engine/spectest"
	"github.com/weft-engine/weft/nodes"
	"github.com/weft-engine/weft/nodes/ues/env"
)

// session drives threads for one verb.
type session struct {
	*app
	flags    *driveFlags
	store    engine.Store
	memories *memory.Store
	script   *model.Script // nil: models answer, or recordings
	deps     nodes.Deps
	runner   *local.Runner
	out      reporter
	answers  *spectest.Answers
	term     *terminal    // nil: nobody to ask
	clock    engine.Clock // of a trigger in simulated time; nil: the machine's
}

// session makes everything ready but the store, so that nothing is written before the
// spec has been found sound.
func (a *app) session(f *driveFlags, dir string) (*session, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	s := &session{app: a, flags: f, answers: &spectest.Answers{}, memories: &memory.Store{Now: a.now}}
	client, script, err := a.models(f)
	if err != nil {
		return nil, err
	}
	s.script = script
	accounts, err := a.accounts()
	if err != nil {
		return nil, err
	}
	keeper := &env.Keeper{Vault: a.vault, Now: a.now, Wait: sleep, Shelf: shelf(f.store)}
	s.deps = nodes.Deps{
		UES: keeper, Clock: s.present, Models: client, Memories: s.memories, Vault: a.vault, Google: accounts, Now: a.now, AllowExec: f.exec, Dir: dir,
	}
	if err := s.readAnswers(); err != nil {
		return nil, err
	}
	s.out = a.reporter(f.output)
	if !f.noInput && !f.stdinUse {
		s.term = a.terminal()
	}
	return s, nil
}

// present is the time that cron triggers go by.
func (s *session) present() time.Time {
	if s.clock != nil {
		return s.clock.Now()
	}
	return s.now()
}

func (s *session) readAnswers() error {
	if s.flags.answers == "" {
		return nil
	}
	v, err := s.readData(s.flags.answers)
	if err != nil {
		return err
	}
	list := &diag.List{}
	s.answers = spectest.ReadAnswers(v, list)
	data, err := readFile(s.flags.answers)
	if err != nil {
		return err
	}
	return s.report(list, func(string) []byte { return data })
}

// open opens the store; the session must be closed then.
func (s *session) open(ctx context.Context) error {
	store, err := openStore(ctx, s.flags.store)
	if err != nil {
		return err
	}
	s.store, s.memories.Store = store, store
	s.runner = &local.Runner{
		Store: store, Memory: s.memories, Clock: local.Wall{}, NewID: newID, Rand: rand.Float64, Vault: s.vault,
		Owner: newID(), Log: s.log, Watch: s.out.watch(), MaxWait: max(s.flags.wait, 1),
	}
	return nil
}

func (s *session) close() {
	if err := s.deps.UES.Close(); err != nil {
		s.log.Error().Err(err).Msg("environments not closed")
	}
	if s.store != nil {
		s.closeStore(s.store)
	}
	if s.term != nil {
		s.term.close()
	}
}

// by is who answers.
func (s *session) by() string {
	if s.flags.by != "" {
		return s.flags.by
	}
	return s.userName()
}

func (a *app) userName() string {
	if u, err := user.Current(); err == nil && u.Username != "" {
		return u.Username
	}
	return "someone"
}

// head returns where a thread stands.
func head(ctx context.Context, store engine.Store, thread engine.ThreadID) (engine.Head, error) {
	for h, err := range store.Threads(ctx, engine.Filter{Thread: thread}) {
		return h, err
	}
	return engine.Head{}, fmt.Errorf("thread %q: %w", thread, engine.ErrNotFound)
}

// pinned returns the spec that a thread's last run is pinned to.
func (a *app) pinned(ctx context.Context, store engine.Store, h engine.Head) (*spec.Spec, error) {
	if h.Summary.Spec == "" {
		return nil, usage("thread %q holds no run", h.Thread)
	}
	data, err := local.Bundle(ctx, store, h.Summary.Spec)
	if err != nil {
		return nil, fmt.Errorf("thread %q: %w", h.Thread, err)
	}
	sp, list := spec.FromBundle(data)
	if list.HasErrors() {
		return nil, a.report(list, sp.Source)
	}
	return sp, nil
}

// program returns the program that a thread's last run is pinned to. Warnings were
// told when the run began.
func (s *session) program(ctx context.Context, h engine.Head) (*engine.Program, error) {
	sp, err := s.pinned(ctx, s.store, h)
	if err != nil {
		return nil, err
	}
	p, list := compile.Program(sp, nodes.Types(s.deps))
	if list.HasErrors() {
		err := s.report(list, sp.Source)
		return nil, errors.Join(fmt.Errorf("the spec of thread %q does not fit this version of weft", h.Thread), err)
	}
	s.learnSecrets(sp.Root)
	return p, nil
}
