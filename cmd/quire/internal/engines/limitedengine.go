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
)

// limitedEngine decorates an engine of any language so that errors name the limit that caused them: an engine reports
// only the resource that it lacked, and nothing at all when it was killed.
type limitedEngine struct {
	lang.Engine
	limits limits
	env    *environment
	meter  *meter
}

// Load implements [lang.Engine].
func (e *limitedEngine) Load(ctx context.Context, progress func(lang.Progress)) error {
	err := e.Engine.Load(ctx, progress)
	if errors.Is(err, lang.ErrOffline) {
		return fmt.Errorf("%w: --sandbox-network lets programs use that of this machine", err)
	}
	return err
}

// Abilities implements [lang.Engine].
func (e *limitedEngine) Abilities() lang.Abilities {
	abilities := e.Engine.Abilities()
	if e.meter != nil {
		abilities.Meter = e.meter
	}
	if abilities.Installer != nil && e.env.isSandbox() {
		abilities.Installer = noInstaller{isUntrusted: e.env.isUntrusted()}
	}
	return abilities
}

// noInstaller stands for the installer of an engine in a sandbox.
type noInstaller struct{ isUntrusted bool }

// Install implements [lang.Installer].
func (n noInstaller) Install(context.Context, []string, lang.Sink) error {
	if n.isUntrusted {
		return errors.New("packages cannot be installed: " + untrustedNote)
	}
	return errors.New("packages cannot be installed from within the sandbox, which has the languages of the server to read only: install them there")
}

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

// Execute implements [lang.Engine].
func (e *limitedEngine) Execute(ctx context.Context, req lang.Request, sink lang.Sink) (lang.Result, error) {
	guard := e.env.guarded()
	ctx, run := guard.begin(ctx)
	before, began := e.env.hits(), time.Now()
	result, err := e.Engine.Execute(ctx, req, sink)
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
	if end.full && (result.Err == nil || result.Err.Cause == lang.CauseInterrupted) {
		const name = "DiskLimitExceeded"
		result.Err = &lang.Error{Name: name, Trace: []string{name}, Cause: lang.CauseLimit, Lack: lang.LackDisk}
		end.err = result.Err
	}
	if n := e.limits.note(end); n.text != "" {
		guard.tell(req.Run, n)
		result.Err = withNote(result.Err, n.text)
	}
	return result, err
}

// withNote returns an error with a note behind its message, once where the trace has the message too.
func withNote(e *lang.Error, note string) *lang.Error {
	failed := *e
	failed.Trace = slices.Clone(e.Trace)
	said := strings.Split(e.Error(), "\n")
	if at := slices.Index(failed.Trace, said[len(said)-1]); at >= 0 && e.Message != "" {
		failed.Trace[at] += "; " + note
	} else {
		failed.Trace = append(failed.Trace, note)
	}
	failed.Message = strings.TrimPrefix(e.Message+"; "+note, "; ")
	return &failed
}
