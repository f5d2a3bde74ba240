package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/quirehq/quire/core/lang"
	environment "github.com/quirehq/quire/internal/env"
	"github.com/quirehq/quire/internal/jupyter"
	"github.com/quirehq/quire/internal/python"
)

// limited has runs name the limit that they have hit: engines say no more than what
// they could not have, and nothing at all when they were killed.
type limited struct {
	limits limits
	place  *place
}

// limitedPython is a Python whose runs name what they have hit.
type limitedPython struct {
	*python.Engine
	limited
}

// Execute implements [lang.Engine].
func (e *limitedPython) Execute(ctx context.Context, req lang.Request, sink lang.Sink) (lang.Result, error) {
	return e.execute(ctx, req, sink, e.Engine.Execute)
}

// limitedKernel is a kernel whose runs do.
type limitedKernel struct {
	*jupyter.Engine
	limited
}

// Load implements [lang.Engine].
func (e *limitedKernel) Load(ctx context.Context, progress func(lang.Progress)) error {
	err := e.Engine.Load(ctx, progress)
	if errors.Is(err, jupyter.ErrOffline) {
		return fmt.Errorf("%w: --sandbox-network lets programs use that of this machine", err)
	}
	return err
}

// Execute implements [lang.Engine].
func (e *limitedKernel) Execute(ctx context.Context, req lang.Request, sink lang.Sink) (lang.Result, error) {
	return e.execute(ctx, req, sink, e.Engine.Execute)
}

// execution is the method of an engine.
type execution func(context.Context, lang.Request, lang.Sink) (lang.Result, error)

// ending is how a run ended, with what could be the reason.
type ending struct {
	err     *lang.Error
	hits    environment.Hits // during the run
	took    time.Duration
	asked   time.Duration // the time-out of the request
	full    bool          // the folder is
	walled  bool          // there is no network
	strange bool          // the notebook is not trusted, for which it is shut in
}

// execute has an engine execute.
func (e *limited) execute(ctx context.Context, req lang.Request, sink lang.Sink, by execution) (lang.Result, error) {
	ctx, full := e.limits.guardDisk(ctx, e.place)
	e.place.guarded().begins()
	before, began := e.place.hits(), time.Now()
	result, err := by(ctx, req, sink)
	hit := e.place.guarded().ended(errors.Is(err, lang.ErrDied))
	end := ending{err: result.Err, took: time.Since(began), asked: req.Timeout, full: full() || hit == hitDisk}
	end.walled, end.strange = e.place.isOffline(), e.place.isUntrusted()
	after := e.place.hits()
	end.hits.Memory, end.hits.Processes = after.Memory-before.Memory, after.Processes-before.Processes
	if hit == hitMemory {
		end.hits.Memory++
	}
	if errors.Is(err, lang.ErrDied) {
		return result, e.limits.explainDeath(err, end)
	}
	if result.Err == nil && (err != nil || !end.full) {
		return result, err
	}
	if end.full && (result.Err == nil || result.Err.Name == lang.Interrupted) {
		result.Err = &lang.Error{Name: diskFull, Trace: []string{diskFull}}
		end.err = result.Err
	}
	if note := e.limits.note(end); note != "" {
		failed := *result.Err
		failed.Message = strings.TrimPrefix(failed.Message+"; "+note, "; ")
		failed.Trace = append(slices.Clip(failed.Trace), note)
		result.Err = &failed
	}
	return result, err
}

// diskFull is the name of the error of a run that has filled its folder.
const diskFull = "DiskLimitExceeded"

// explainDeath names the limit by which an engine died, if it was one.
func (l limits) explainDeath(err error, end ending) error {
	switch {
	case end.hits.Memory > 0 && l.memory > 0:
		return fmt.Errorf("%w: it used more memory than it may: %s", lang.ErrDied, l.memoryNote())
	case end.full:
		return fmt.Errorf("%w: its files took more than they may, and it went on: %s", lang.ErrDied, l.diskNote())
	case l.hitTime(end):
		return fmt.Errorf("%w; %s", err, l.timeNote())
	case l.cpu > 0 && strings.Contains(err.Error(), "processor time"):
		return fmt.Errorf("%w; %s", err, l.cpuNote())
	}
	return err
}

// note names the limit that an error comes from, with its value. It is empty if there
// is none.
func (l limits) note(end ending) string {
	failed := end.err
	is := func(name string, messages ...string) bool {
		return strings.HasSuffix(failed.Name, name) && (messages == nil || slices.ContainsFunc(messages, func(m string) bool {
			return strings.Contains(failed.Message, m)
		}))
	}
	switch {
	case failed.Name == diskFull:
		return l.diskNote()
	case l.memory > 0 && (is("MemoryError") || strings.Contains(strings.ToLower(failed.Message), "cannot allocate") || end.hits.Memory > 0):
		return l.memoryNote()
	case l.cpu > 0 && is("CPULimitExceeded"):
		return l.cpuNote()
	case failed.Name == lang.TimedOut && l.hitTime(end):
		return l.timeNote()
	case l.fileSize > 0 && is("OSError", "[Errno 27]"):
		return "the limit of a file's size is " + sizeText(l.fileSize) + " (--file-size)"
	case l.files > 0 && is("OSError", "[Errno 24]"):
		return fmt.Sprintf("the limit of open files is %d (--files)", l.files)
	case l.processes > 0 && (is("BlockingIOError", "[Errno 11]") || is("RuntimeError", "can't start new thread") || end.hits.Processes > 0):
		return fmt.Sprintf("the limit of processes is %d (--processes)", l.processes)
	case end.strange && (l.isOffline(end) || is("FileNotFoundError") || is("PermissionError") || is("ModuleNotFoundError")):
		return untrustedNote
	case end.walled && l.isOffline(end):
		return "the sandbox has no network (--sandbox-network)"
	}
	return ""
}

// untrustedNote says why programs do not find what is there.
const untrustedNote = "the notebook came from elsewhere: its programs see its own files alone, and no network, until you trust it (quire trust)"

// isOffline reports whether an error is that of a program that found no network. Pip
// says no more than that it failed.
func (l limits) isOffline(end ending) bool {
	for _, sign := range []string{"[Errno 101]", "[Errno -2]", "[Errno -3]", "name resolution", "Name or service not known", "Network is unreachable", "pip ended with status"} {
		if strings.Contains(end.err.Message, sign) {
			return true
		}
	}
	return false
}

// hitTime reports whether a run took as long as one may.
func (l limits) hitTime(end ending) bool {
	return l.runTime > 0 && end.asked == l.runTime && end.took >= l.runTime
}

func (l limits) memoryNote() string {
	return "the limit of memory is " + sizeText(l.memory) + " (--memory)"
}

func (l limits) cpuNote() string {
	return fmt.Sprintf("the limit of processor time is %v (--cpu)", l.cpu)
}

func (l limits) timeNote() string {
	return fmt.Sprintf("the limit of a run's time is %v (--run-time)", l.runTime)
}

func (l limits) diskNote() string {
	return fmt.Sprintf("the limit of the notebook's files is %s in at most %d files (--disk)", sizeText(l.disk), l.mostFiles())
}

// Install implements [lang.Installer].
func (e *limitedPython) Install(ctx context.Context, packages []string, sink lang.Sink) error {
	if e.place.isUntrusted() {
		return errors.New("packages cannot be installed: " + untrustedNote)
	}
	if e.place.isSandbox() {
		return errors.New("packages cannot be installed from within the sandbox, which has the Python of the server to read only: install them there")
	}
	return e.Engine.Install(ctx, packages, sink)
}
