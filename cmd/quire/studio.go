package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/agent"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/ipynb"
	"github.com/quirehq/quire/core/replica"
	"github.com/quirehq/quire/host/native"
)

// studio is a notebook that lives in this process only, with a runtime and a
// person who looks on.
type studio struct {
	person *joined

	stopRuntime, stopRoom context.CancelFunc
	runtime, room         sync.WaitGroup
	runtimeErr, roomErr   error

	dir       string // of the artifacts, and of text that waits to be one
	artifacts *native.Folder
}

// openStudio makes a notebook of payloads, to be executed by what was chosen. Programs
// start in dir.
func (a *app) openStudio(ctx context.Context, dir string, payloads []event.Payload, c choice) (*studio, error) {
	room, err := native.NewLoopback(ctx, func(error) {}) // its memory does not fail
	if err != nil {
		return nil, err
	}
	s := &studio{}
	if s.dir, err = os.MkdirTemp("", "quire-run-*"); err != nil {
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
	if err := ipynb.Stow(ctx, payloads, s.artifacts); err != nil {
		return nil, errors.Join(err, s.close())
	}
	if err := room.Submit(ctx, owner, payloads...); err != nil {
		return nil, errors.Join(err, s.close())
	}
	if err := s.attach(runtimeLife, a, room, dir, c); err != nil {
		return nil, errors.Join(err, s.close())
	}
	s.person, err = join(ctx, func(context.Context) (replica.Conn, error) { return room.Dial(owner, access.Owner), nil })
	if err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

// attach starts the runtime, and the engine of its language at the same time: nearly
// every notebook needs it.
func (s *studio) attach(ctx context.Context, a *app, room *native.Loopback, dir string, c choice) error {
	id := event.RuntimeID(newID(runIDLen))
	engines := a.engines(dir, limits{}, c)
	runtime, err := agent.New(agent.Config{
		Runtime: id, Engines: engines, Language: c.language, Unattended: a.console == nil,
		Artifacts: s.artifacts, Scratch: native.ScratchIn(s.dir),
		Dial: func(context.Context) (replica.Conn, error) {
			return room.Dial(event.NewActor(event.ActorRuntime, string(id)), access.Runtime), nil
		},
	})
	if err != nil {
		return errors.Join(err, engines.Close())
	}
	s.runtime.Go(func() { _, _ = engines.Get(ctx, c.language, nil) }) // the first run gets the error
	s.runtime.Go(func() { s.runtimeErr = runtime.Run(ctx) })
	return nil
}

// close ends the runtime, which tells the room, and then the room. The artifacts are gone
// then.
func (s *studio) close() error {
	s.stopRuntime()
	s.runtime.Wait()
	if s.person != nil {
		s.person.leave()
	}
	s.stopRoom()
	s.room.Wait()
	return errors.Join(s.runtimeErr, s.roomErr, os.RemoveAll(s.dir))
}
