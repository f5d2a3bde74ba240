// Package localrun executes a notebook in this process alone: a room without a server, a runtime and the session of a user. It writes
// the executed notebook as Jupyter's own runners do.
package localrun

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

// Config is how a notebook is executed.
type Config struct {
	Dir        string // where programs start
	Payloads   []event.Payload
	Choice     engines.Choice
	Factory    *engines.Factory
	Bounds     settings.Bounds
	RunTimeout time.Duration // of each run; none if 0
	Unattended bool          // no user answers questions of programs
	Runtime    event.RuntimeID
	Client     event.ClientID // of the user
}

// Run is a notebook in this process, with a runtime and the session of a user.
type Run struct {
	Person  *terminal.Session
	engines *lang.Set

	stopRuntime, stopRoom context.CancelFunc
	runtime, room         sync.WaitGroup
	runtimeErr, roomErr   error

	Papermill *params.Record // the record of a run with parameters, or nil

	choice   engines.Choice
	language atomic.Pointer[json.RawMessage] // the language_info of its engine, nil until that is loaded

	dir       string // of the artifacts, and of text that waits to be one
	removeDir func() error
	Artifacts *native.Folder
}

// Open makes a notebook of payloads, to be executed by the chosen engine.
func Open(ctx context.Context, cfg Config) (*Run, error) {
	room, err := native.NewLoopback(ctx, room.Config{KeepSources: true}, func(error) {}) // its memory does not fail
	if err != nil {
		return nil, err
	}
	s := &Run{choice: cfg.Choice}
	if s.dir, s.removeDir, err = file.TempDir("quire-run-"); err != nil {
		return nil, fmt.Errorf("make a directory for large outputs: %w", err)
	}
	s.Artifacts = native.NewFolder(s.dir)
	// They outlive ctx, so that runs can be cancelled and written after it.
	life := context.WithoutCancel(ctx)
	runtimeLife, stopRuntime := context.WithCancel(life)
	roomLife, stopRoom := context.WithCancel(life)
	s.stopRuntime, s.stopRoom = stopRuntime, stopRoom
	s.room.Go(func() { s.roomErr = room.Run(roomLife) })
	owner := event.NewActor(event.ActorPerson, "owner")
	if err := ipynb.Offload(ctx, cfg.Payloads, s.Artifacts); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	if err := room.Submit(ctx, owner, cfg.Payloads...); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	if err := s.attach(runtimeLife, cfg, room); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	s.Person, err = terminal.Join(ctx, cfg.Client, func(context.Context) (protocol.Conn, error) { return room.Dial(owner, access.Owner), nil })
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// attach starts the runtime, and the engine of its language at the same time: nearly
// every notebook needs it.
func (s *Run) attach(ctx context.Context, cfg Config, room *native.Loopback) error {
	engines := cfg.Factory.Engines(cfg.Dir, cfg.Bounds, cfg.Choice)
	s.engines = engines
	runtime, err := runtime.New(runtime.Config{
		Runtime: cfg.Runtime, Engines: engines, Language: cfg.Choice.Language, Unattended: cfg.Unattended, RunTimeout: cfg.RunTimeout,
		Artifacts: s.Artifacts, Scratch: native.ScratchIn(s.dir),
		Dial: func(context.Context) (protocol.Conn, error) {
			return room.Dial(event.NewActor(event.ActorRuntime, string(cfg.Runtime)), access.Runtime), nil
		},
	})
	if err != nil {
		return errors.Join(err, engines.Close())
	}
	s.runtime.Go(func() {
		if engine, err := engines.Get(ctx, cfg.Choice.Language, nil); err == nil { // the first run gets the error
			info := languageInfo(engine)
			s.language.Store(&info)
		}
	})
	s.runtime.Go(func() { s.runtimeErr = runtime.Run(ctx) })
	return nil
}

// lastEventsTime bounds the wait for the last events of a runtime that ends.
const lastEventsTime = 15 * time.Second

// EndPrograms ends the programs, and with them the runtime, and returns when the session has all
// their events. It waits for threads, tasks and processes that they have started until ctx ends,
// and reports whether one of them went on for too long.
func (s *Run) EndPrograms(ctx context.Context) (left bool) {
	if ctx.Err() == nil {
		left = s.engines.Drain(ctx, lang.LastPatience) && ctx.Err() == nil
	}
	s.stopRuntime()
	s.runtime.Wait()
	soon, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastEventsTime)
	defer cancel()
	_ = s.Person.Wait(soon, func(r *replica.Replica) bool { // in vain if the room has ended, which close says
		rt := r.Confirmed().Runtime(event.TakesCode)
		return rt == nil || rt.State == notebook.RuntimeStopped
	})
	return left
}

// Close ends the runtime, which tells the room, and then the room. The artifacts are gone
// then.
func (s *Run) Close() error {
	s.stopRuntime()
	s.runtime.Wait()
	if s.Person != nil {
		s.Person.Leave()
	}
	s.stopRoom()
	s.room.Wait()
	return errors.Join(s.runtimeErr, s.roomErr, s.removeDir())
}
