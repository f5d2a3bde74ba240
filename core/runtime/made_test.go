package runtime

import (
	"context"
	"errors"
	"sync"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/core/lang/langtest"
	"github.com/quirehq/quire/core/notebook"
)

// made is a runtime with what a test wants to know of it.
type made struct {
	*Runtime
	actor   event.Actor
	ended   chan error // gives what Run returned
	stop    context.CancelFunc
	mu      sync.Mutex
	engines []*langtest.Scripted
}

// engine returns the scripted engine that was made last.
func (m *made) engine() *langtest.Scripted {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.engines[len(m.engines)-1]
}

func (m *made) count() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.engines)
}

var errBroken = errors.New("python3 is not installed")

// loading is an engine that loads until its context ends.
type loading struct{ *langtest.Scripted }

func (loading) Load(ctx context.Context, _ func(lang.Progress)) error {
	<-ctx.Done()
	return context.Cause(ctx)
}

// add starts a runtime and returns when it is ready.
func (w *world) add(name string, change ...func(*Config)) *made {
	w.t.Helper()
	m := &made{ended: make(chan error, 1), actor: event.NewActor(event.ActorRuntime, name)}
	scripted := func() (lang.Engine, error) {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.engines = append(m.engines, langtest.NewScripted())
		return m.engines[len(m.engines)-1], nil
	}
	cfg := Config{
		Dial: w.dial(m.actor, access.Owner), Client: event.ClientID(name + "-client"), Runtime: event.RuntimeID(name),
		Name: name, Language: "scripted",
		Engines: lang.NewSet([]lang.Spec{
			{Language: "scripted", New: scripted},
			{Language: "broken", New: func() (lang.Engine, error) { return nil, errBroken }},
			{Language: "loading", New: func() (lang.Engine, error) { return loading{langtest.NewScripted()}, nil }},
		}),
	}
	for _, f := range change {
		f(&cfg)
	}
	if cfg.Takes != "" {
		m.actor = cfg.Takes.Actor(cfg.Runtime)
	}
	var err error
	if m.Runtime, err = New(cfg); err != nil {
		w.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(w.ctx)
	m.stop = cancel
	w.all.Go(func() {
		defer cancel()
		m.ended <- m.Run(ctx)
	})
	w.until("the runtime is ready", func(n *notebook.Notebook) bool {
		rt := n.RuntimeByID(event.RuntimeID(name))
		return rt != nil && rt.State == notebook.RuntimeReady
	})
	return m
}
