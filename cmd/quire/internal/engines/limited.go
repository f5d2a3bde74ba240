package engines

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/quirehq/quire/cmd/quire/internal/settings"
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

// limitNote names the limit that caused an error.
type limitNote struct {
	text         string
	limit, value string // the flag of the limit that was hit, and its value; empty if it was none
}

// explainDeath names the limit by which an engine died, if it was one.
func (l limits) explainDeath(err error, end ending) (limitNote, error) {
	switch {
	case end.hits.Memory > 0 && l.Memory > 0:
		n := l.memoryNote()
		return n, fmt.Errorf("%w: it used more memory than it may: %s", lang.ErrDied, n.text)
	case end.full:
		n := l.diskNote()
		return n, fmt.Errorf("%w: its files took more than they may, and it went on: %s", lang.ErrDied, n.text)
	case l.hitTime(end):
		n := l.timeNote()
		return n, fmt.Errorf("%w; %s", err, n.text)
	case l.CPU > 0 && errors.As(err, new(*lang.SpentError)):
		n := l.cpuNote()
		return n, fmt.Errorf("%w; %s", err, n.text)
	}
	return limitNote{}, err
}

// note names the limit that caused an error, with its value. Its text is empty if the limit is
// not known.
func (l limits) note(end ending) limitNote {
	failed := end.err
	switch {
	case failed.Name == diskFull:
		return l.diskNote()
	case l.Memory > 0 && (failed.Lack == lang.LackMemory || end.hits.Memory > 0):
		return l.memoryNote()
	case l.CPU > 0 && failed.Lack == lang.LackCPU:
		return l.cpuNote()
	case failed.Name == lang.TimedOut && l.hitTime(end):
		return l.timeNote()
	case l.FileSize > 0 && failed.Lack == lang.LackFileSize:
		return noteOf("file-size", settings.SizeText(l.FileSize))
	case l.Files > 0 && failed.Lack == lang.LackFiles:
		return noteOf("files", strconv.Itoa(l.Files))
	case l.Processes > 0 && (failed.Lack == lang.LackProcesses || end.hits.Processes > 0):
		return noteOf("processes", strconv.Itoa(l.Processes))
	case end.untrusted && (isOffline(failed) || isUnreached(failed)):
		return limitNote{text: untrustedNote}
	case end.offline && isOffline(failed):
		return limitNote{text: "the sandbox has no network (--sandbox-network)"}
	}
	return limitNote{}
}

// noteOf returns the note of a limit, whose text has its value.
func noteOf(limit, value string) limitNote {
	return limitNote{text: settings.Hit(limit, value), limit: limit, value: value}
}

// untrustedNote says why programs do not find files and hosts that exist.
const untrustedNote = "the notebook came from elsewhere: its programs see its own files alone, and no network, until you trust it (quire trust)"

// isUnreached reports whether an error is that of a program that found no file or module.
func isUnreached(e *lang.Error) bool {
	return slices.ContainsFunc([]string{"FileNotFoundError", "PermissionError", "ModuleNotFoundError"}, func(name string) bool {
		return strings.HasSuffix(e.Name, name)
	})
}

// isOffline reports whether an error is that of a program that found no network. An installer says no more than that it
// failed.
func isOffline(e *lang.Error) bool { return e.Lack == lang.LackNetwork || e.Lack == lang.LackPackages }

// hitTime reports whether a run was ended by the limit of its time.
func (l limits) hitTime(end ending) bool {
	return l.RunTime > 0 && end.asked == l.RunTime && end.took >= l.RunTime
}

func (l limits) memoryNote() limitNote {
	return noteOf("memory", settings.SizeText(l.Memory))
}

func (l limits) cpuNote() limitNote {
	return noteOf("cpu", l.CPU.String())
}

func (l limits) timeNote() limitNote {
	return noteOf("run-time", l.RunTime.String())
}

func (l limits) diskNote() limitNote {
	value := fmt.Sprintf("%s in at most %d files", settings.SizeText(l.Disk), l.mostFiles())
	return noteOf("disk", value)
}

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
