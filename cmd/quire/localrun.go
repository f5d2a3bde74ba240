package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/quirehq/quire/cmd/quire/internal/engines"
	"github.com/quirehq/quire/cmd/quire/internal/settings"
	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/ipynb"
	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/params"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/replica"
	"github.com/quirehq/quire/core/room"
	"github.com/quirehq/quire/core/runtime"
	"github.com/quirehq/quire/host/native"
	"github.com/quirehq/quire/host/terminal"
	"github.com/quirehq/quire/internal/file"
)

// localRun is a notebook that lives in this process only, with a runtime and the
// session of a user.
type localRun struct {
	person  *terminal.Session
	engines *lang.Set

	stopRuntime, stopRoom context.CancelFunc
	runtime, room         sync.WaitGroup
	runtimeErr, roomErr   error

	papermill *params.Record // the record of a run with parameters, or nil

	choice   engines.Choice
	language atomic.Pointer[json.RawMessage] // what its engine says of it, nil until that is loaded

	dir       string // of the artifacts, and of text that waits to be one
	removeDir func() error
	artifacts *native.Folder
}

// openLocalRun makes a notebook of payloads, to be executed by the chosen engine. Programs
// start in dir.
func (a *app) openLocalRun(ctx context.Context, dir string, payloads []event.Payload, c engines.Choice) (*localRun, error) {
	room, err := native.NewLoopback(ctx, room.Config{KeepSources: true}, func(error) {}) // its memory does not fail
	if err != nil {
		return nil, err
	}
	s := &localRun{choice: c}
	if s.dir, s.removeDir, err = file.TempDir("quire-run-"); err != nil {
		return nil, fmt.Errorf("make a directory for large outputs: %w", err)
	}
	s.artifacts = native.NewFolder(s.dir)
	// They outlive ctx, so that runs can be cancelled and written after it.
	life := context.WithoutCancel(ctx)
	runtimeLife, stopRuntime := context.WithCancel(life)
	roomLife, stopRoom := context.WithCancel(life)
	s.stopRuntime, s.stopRoom = stopRuntime, stopRoom
	s.room.Go(func() { s.roomErr = room.Run(roomLife) })
	owner := event.NewActor(event.ActorPerson, "owner")
	if err := ipynb.Offload(ctx, payloads, s.artifacts); err != nil {
		return nil, errors.Join(err, s.close())
	}
	if err := room.Submit(ctx, owner, payloads...); err != nil {
		return nil, errors.Join(err, s.close())
	}
	if err := s.attach(runtimeLife, a, room, dir, c); err != nil {
		return nil, errors.Join(err, s.close())
	}
	s.person, err = terminal.Join(ctx, newClientID(), func(context.Context) (protocol.Conn, error) { return room.Dial(owner, access.Owner), nil })
	if err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

// attach starts the runtime, and the engine of its language at the same time: nearly
// every notebook needs it.
func (s *localRun) attach(ctx context.Context, a *app, room *native.Loopback, dir string, c engines.Choice) error {
	id := event.RuntimeID(newID(runIDLen))
	engines := a.host().Engines(dir, settings.Bounds{}, c)
	s.engines = engines
	runtime, err := runtime.New(runtime.Config{
		Runtime: id, Engines: engines, Language: c.Language, Unattended: a.console == nil,
		Artifacts: s.artifacts, Scratch: native.ScratchIn(s.dir),
		Dial: func(context.Context) (protocol.Conn, error) {
			return room.Dial(event.NewActor(event.ActorRuntime, string(id)), access.Runtime), nil
		},
	})
	if err != nil {
		return errors.Join(err, engines.Close())
	}
	s.runtime.Go(func() {
		if engine, err := engines.Get(ctx, c.Language, nil); err == nil { // the first run gets the error
			info := languageInfo(engine)
			s.language.Store(&info)
		}
	})
	s.runtime.Go(func() { s.runtimeErr = runtime.Run(ctx) })
	return nil
}

// lastEventsTime bounds the wait for the last events of a runtime that ends.
const lastEventsTime = 15 * time.Second

// endPrograms ends the programs, and with them the runtime, and returns when the person has all
// that they said up to their ends. What they have started is waited for until ctx ends; it
// says whether something of that went on for too long.
func (s *localRun) endPrograms(ctx context.Context) (left bool) {
	if ctx.Err() == nil {
		left = s.engines.Drain(ctx, lang.LastPatience) && ctx.Err() == nil
	}
	s.stopRuntime()
	s.runtime.Wait()
	soon, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastEventsTime)
	defer cancel()
	_ = s.person.Wait(soon, func(r *replica.Replica) bool { // in vain if the room has ended, which close says
		rt := r.Confirmed().Runtime(event.TakesCode)
		return rt == nil || rt.State == notebook.RuntimeStopped
	})
	return left
}

// close ends the runtime, which tells the room, and then the room. The artifacts are gone
// then.
func (s *localRun) close() error {
	s.stopRuntime()
	s.runtime.Wait()
	if s.person != nil {
		s.person.Leave()
	}
	s.stopRoom()
	s.room.Wait()
	return errors.Join(s.runtimeErr, s.roomErr, s.removeDir())
}
