package engines

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/internal/env"
	"github.com/quirehq/quire/internal/jupyter"
	"github.com/quirehq/quire/internal/python"
)

// limited decorates an engine so that errors name the limit that caused them: an engine
// reports only the resource that it lacked, and nothing at all when it was killed.
type limited struct {
	limits limits
	env    *environment
}

// limitedPython is a Python whose runs name the limits that they have hit.
type limitedPython struct {
	*python.Engine
	limited
}

// Execute implements [lang.Engine].
func (e *limitedPython) Execute(ctx context.Context, req lang.Request, sink lang.Sink) (lang.Result, error) {
	return e.execute(ctx, req, sink, e.Engine.Execute)
}

// limitedKernel is a kernel whose runs name the limits that they have hit.
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

// ending is the end of a run, with possible reasons.
type ending struct {
	err       *lang.Error
	hits      env.Hits // during the run
	took      time.Duration
	asked     time.Duration // the time-out of the request
	full      bool          // the folder is
	offline   bool          // the sandbox has no network
	untrusted bool          // the sandbox is for want of trust in the notebook
}

// execute has an engine execute.
func (e *limited) execute(ctx context.Context, req lang.Request, sink lang.Sink, by execution) (lang.Result, error) {
	guard := e.env.guarded()
	ctx, run := guard.begin(ctx)
	before, began := e.env.hits(), time.Now()
	result, err := by(ctx, req, sink)
	took, died := time.Since(began), errors.Is(err, lang.ErrDied)
	full, hit := run.end(ctx, died)
	end := ending{err: result.Err, took: took, asked: req.Timeout, full: full || hit == hitDisk}
	end.offline, end.untrusted = e.env.isOffline(), e.env.isUntrusted()
	after := e.env.hits()
	end.hits.Memory, end.hits.Processes = after.Memory-before.Memory, after.Processes-before.Processes
	if hit == hitMemory {
		end.hits.Memory++
	}
	if died {
		reason, said := e.limits.explainDeath(err, end)
		guard.tell(req.Run, reason)
		return result, said
	}
	if result.Err == nil && (err != nil || !end.full) {
		return result, err
	}
	if end.full && (result.Err == nil || result.Err.Name == lang.Interrupted) {
		result.Err = &lang.Error{Name: diskFull, Trace: []string{diskFull}}
		end.err = result.Err
	}
	if n := e.limits.note(end); n.text != "" {
		guard.tell(req.Run, n)
		failed := *result.Err
		failed.Message = strings.TrimPrefix(failed.Message+"; "+n.text, "; ")
		failed.Trace = append(slices.Clip(failed.Trace), n.text)
		result.Err = &failed
	}
	return result, err
}

// diskFull is the name of the error of a run that has filled its folder.
const diskFull = "DiskLimitExceeded"

// Install implements [lang.Installer].
func (e *limitedPython) Install(ctx context.Context, packages []string, sink lang.Sink) error {
	if e.env.isUntrusted() {
		return errors.New("packages cannot be installed: " + untrustedNote)
	}
	if e.env.isSandbox() {
		return errors.New("packages cannot be installed from within the sandbox, which has the Python of the server to read only: install them there")
	}
	return e.Engine.Install(ctx, packages, sink)
}
