package event

import "fmt"

// RunID names one run of one cell.
type RunID string

// Epoch numbers the runtimes of a notebook in the order of their starts. The events of a runtime carry its epoch, so a
// displaced runtime cannot write.
type Epoch uint64

// RunStatus says how a run finished.
type RunStatus string

// The ways in which a run finishes. A lost run is one whose runtime went away. A skipped run never started, because the
// program had ended itself before: it has no event of its own, it follows from the RunFinished of the run that exited.
const (
	StatusOK        RunStatus = "ok"
	StatusError     RunStatus = "error"
	StatusCancelled RunStatus = "cancelled"
	StatusLost      RunStatus = "lost"
	StatusSkipped   RunStatus = "skipped"
)

// RunOf pairs a run with its cell.
type RunOf struct {
	Run  RunID  `json:"run"`
	Cell CellID `json:"cell"`
	// MayFail says that an error of this run does not stop later runs of its batch.
	MayFail bool `json:"mayFail,omitempty"`
}

// RunRequested says that runs of one or many cells were requested, in this order. It fixes the source that runs: that
// of each cell at this number in the log. The runs of one event are a batch: when one fails, later ones that have not
// started are cancelled, unless KeepGoing is set or that run may fail. When the program of one ends itself, they are
// skipped in any case.
type RunRequested struct {
	Runs      []RunOf `json:"runs"`
	KeepGoing bool    `json:"keepGoing,omitempty"`
	// Allow names errors: a run that ends with one of them may fail.
	Allow []string `json:"allow,omitempty"`
}

// Type returns RunRequested.
func (*RunRequested) Type() Type { return "RunRequested" }

// Check requires 1 to [MaxBatch] runs, each with a cell, and no run twice, and up to
// [MaxAllowed] names of errors.
func (e *RunRequested) Check() error {
	if len(e.Runs) == 0 || len(e.Runs) > MaxBatch {
		return fmt.Errorf("runs: want 1 to %d of them, got %d", MaxBatch, len(e.Runs))
	}
	seen := make(map[RunID]bool, len(e.Runs))
	for i, r := range e.Runs {
		if err := firstError(checkRun(r.Run), checkCell(r.Cell)); err != nil {
			return fmt.Errorf("runs[%d]: %w", i, err)
		}
		if seen[r.Run] {
			return fmt.Errorf("runs[%d]: run %q is named twice", i, r.Run)
		}
		seen[r.Run] = true
	}
	if len(e.Allow) > MaxAllowed {
		return fmt.Errorf("allow: at most %d names fit, got %d", MaxAllowed, len(e.Allow))
	}
	for i, name := range e.Allow {
		if err := checkText(fmt.Sprintf("allow[%d]", i), name, 1, MaxKey); err != nil {
			return err
		}
	}
	return nil
}

// RunAssigned says that a runtime took a run that was pending.
type RunAssigned struct {
	Run   RunID `json:"run"`
	Epoch Epoch `json:"epoch"`
}

// Type returns RunAssigned.
func (*RunAssigned) Type() Type { return "RunAssigned" }

// Check requires a run and an epoch.
func (e *RunAssigned) Check() error { return checkRunEpoch(e.Run, e.Epoch) }

// RunStarted says that a run's code began to execute. The first output of this run replaces the outputs that its cell
// has from earlier; if it finishes without one, they are removed.
type RunStarted struct {
	Run   RunID `json:"run"`
	Epoch Epoch `json:"epoch"`
}

// Type returns RunStarted.
func (*RunStarted) Type() Type { return "RunStarted" }

// Check requires a run and an epoch.
func (e *RunStarted) Check() error { return checkRunEpoch(e.Run, e.Epoch) }

// RunFinished says that a run ended. Nothing of the run comes after it.
type RunFinished struct {
	Run    RunID     `json:"run"`
	Epoch  Epoch     `json:"epoch"`
	Status RunStatus `json:"status"`
	// Count is the engine's execution count, 0 if it has none.
	Count int `json:"count,omitempty"`
	// Took is the time that the engine worked, in milliseconds.
	Took int64 `json:"took,omitempty"`
	// Reason is one sentence for people if the status alone is not enough, and Cause the same for programs.
	Reason string `json:"reason,omitempty"`
	Cause  Cause  `json:"cause,omitempty"`
	// Exited says that the program ended itself successfully, as by sys.exit(0): no later run of its batch starts.
	Exited bool `json:"exited,omitempty"`
	// Allowed says that the request allows the error with which the run ended.
	Allowed bool `json:"allowed,omitempty"`
}

// Type returns RunFinished.
func (*RunFinished) Type() Type { return "RunFinished" }

// Check requires a run, an epoch, a status that an event may carry, and no negative number. Exited needs the status ok,
// and Allowed the status error. A cause has the form of a name.
func (e *RunFinished) Check() error {
	if e.Exited && e.Status != StatusOK {
		return fmt.Errorf("exited: a program that ended itself ended well, and this run is %s", e.Status)
	}
	if e.Allowed && e.Status != StatusError {
		return fmt.Errorf("allowed: it is said of errors, and this run is %s", e.Status)
	}
	if e.Count < 0 || e.Took < 0 {
		return fmt.Errorf("count and took: want no negative number, got %d and %d", e.Count, e.Took)
	}
	return firstError(checkRunEpoch(e.Run, e.Epoch), checkCause(e.Cause),
		checkOneOf("status", e.Status, StatusOK, StatusError, StatusCancelled, StatusLost))
}

// SourceOffered says that the program of a run offers a source to the notebook, as IPython's %load and set_next_input
// do. The room decides how to use it, and appends the events of that.
type SourceOffered struct {
	Run    RunID  `json:"run"`
	Epoch  Epoch  `json:"epoch"`
	Cell   CellID `json:"cell"` // the id of the cell that is created for it, if one is
	Source string `json:"source,omitempty"`
	// Replace asks to replace the source that ran.
	Replace bool `json:"replace,omitempty"`
}

// Type returns SourceOffered.
func (*SourceOffered) Type() Type { return "SourceOffered" }

// Check requires a run, an epoch, a cell and a text.
func (e *SourceOffered) Check() error {
	return firstError(checkRunEpoch(e.Run, e.Epoch), checkCell(e.Cell), checkText("source", e.Source, 0, len(e.Source)))
}

// RunCancelled says that a user cancelled a run. A pending run ends with it; an assigned one is marked, and ends when
// its runtime says so.
type RunCancelled struct {
	Run RunID `json:"run"`
}

// Type returns RunCancelled.
func (*RunCancelled) Type() Type { return "RunCancelled" }

// Check requires a run.
func (e *RunCancelled) Check() error { return checkRun(e.Run) }

// AllRunsCancelled says that a user cancelled every run that was not finished.
type AllRunsCancelled struct{}

// Type returns AllRunsCancelled.
func (*AllRunsCancelled) Type() Type { return "AllRunsCancelled" }

// Check accepts the event: it has nothing that could be malformed.
func (*AllRunsCancelled) Check() error { return nil }

func checkRun(id RunID) error { return checkName("run", string(id)) }

func checkRunEpoch(id RunID, epoch Epoch) error { return firstError(checkEpoch(epoch), checkRun(id)) }

func checkEpoch(epoch Epoch) error {
	if epoch == 0 {
		return errNoEpoch
	}
	return nil
}
