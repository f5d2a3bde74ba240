package command

import (
	"encoding/json"

	"github.com/quirehq/quire/core/event"
)

// Command is an order of a person. Its place, where it has one, is before or after
// a cell; if neither is named, at the end. A place beside a deleted cell is where
// that was. Cells that are named but deleted are left out, since another may have
// deleted them just now; a cell that never was is an error.
type Command interface{ command() string }

// Result is what came of a command.
type Result struct {
	// Cells are the ones that a page should select afterwards, in their order.
	Cells []event.CellID `json:"cells,omitempty"`
	// Runs are those that were requested.
	Runs []event.RunID `json:"runs,omitempty"`
	// Skipped counts what was passed over, for others have changed what it was about:
	// what an undo or redo would have taken back, and pieces of text to replace.
	Skipped int `json:"skipped,omitempty"`
}

// AddCell makes a new cell. The result names it.
type AddCell struct {
	CellKind event.CellKind `json:"cellKind"`
	Language string         `json:"language,omitempty"`
	Source   string         `json:"source,omitempty"`
	After    event.CellID   `json:"after,omitempty"`
	Before   event.CellID   `json:"before,omitempty"`
}

// DeleteCells deletes cells. The result names the cell that takes the place of the
// first, or the last cell if none does.
type DeleteCells struct {
	Cells []event.CellID `json:"cells"`
}

// RestoreCells brings deleted cells back.
type RestoreCells struct {
	Cells []event.CellID `json:"cells"`
}

// MoveCells moves cells, which keep the order that they have in the notebook, to a
// place. The result names them.
type MoveCells struct {
	Cells  []event.CellID `json:"cells"`
	After  event.CellID   `json:"after,omitempty"`
	Before event.CellID   `json:"before,omitempty"`
}

// ChangeKind makes cells into ones of another kind.
type ChangeKind struct {
	Cells    []event.CellID `json:"cells"`
	CellKind event.CellKind `json:"cellKind"`
}

// ChangeLanguage says in which language cells are; empty is the notebook's own.
type ChangeLanguage struct {
	Cells    []event.CellID `json:"cells"`
	Language string         `json:"language"`
}

// SetVisibility shows or hides parts of cells. A part that is nil stays as it is.
type SetVisibility struct {
	Cells   []event.CellID `json:"cells"`
	Source  *bool          `json:"source,omitempty"`
	Outputs *bool          `json:"outputs,omitempty"`
	Context *bool          `json:"context,omitempty"`
}

// SplitCell splits a cell at places in its source, in UTF-16 code units; line ends
// at these places go. The first part stays in the cell, with the outputs. The other
// parts get its kind, language, visibility and metadata. The result names all parts.
type SplitCell struct {
	Cell event.CellID `json:"cell"`
	At   []int        `json:"at"`
}

// MergeCells joins the sources of cells, in their order, with an empty line between
// those that are not empty. The first cell stays, with the outputs that the last one
// has by then, and the others are deleted. The result names the first.
type MergeCells struct {
	Cells []event.CellID `json:"cells"`
}

// PasteCells makes cells from copies. The result names them.
type PasteCells struct {
	Items  []Copied     `json:"items"`
	After  event.CellID `json:"after,omitempty"`
	Before event.CellID `json:"before,omitempty"`
}

// Copied is a cell as a page's clipboard has it.
type Copied struct {
	CellKind event.CellKind             `json:"cellKind"`
	Language string                     `json:"language,omitempty"`
	Source   string                     `json:"source,omitempty"`
	Metadata map[string]json.RawMessage `json:"metadata,omitempty"`
	Outputs  []event.Output             `json:"outputs,omitempty"`
	Count    int                        `json:"count,omitempty"`
}

// ReplaceText replaces pieces of sources, of many cells if need be, and is taken back
// at once. A piece that is no longer there as it was is left out and counted as
// skipped: somebody else has just edited it. The result names the cells that changed.
type ReplaceText struct {
	Pieces []Piece `json:"pieces"` // those of a cell in their order
}

// Piece is a piece of a cell's source, and what takes its place.
type Piece struct {
	Cell event.CellID `json:"cell"`
	At   int          `json:"at"` // UTF-16 code units from the start
	Was  string       `json:"was"`
	Text string       `json:"text"`
}

// Attach gives a key of a cell's metadata a value, as [SetMetadata] does, and inserts
// text that refers to it into the source. Both are taken back together.
type Attach struct {
	Cell  event.CellID    `json:"cell"`
	Key   string          `json:"key"`
	Value json.RawMessage `json:"value"`
	At    int             `json:"at"` // UTF-16 code units from the start; what is beyond the end is the end
	Text  string          `json:"text"`
}

// SetTitle names the notebook.
type SetTitle struct {
	Title string `json:"title"`
}

// SetMetadata gives a key of the notebook's metadata, or of a cell's if one is
// named, a value. No value, or null, removes the key.
type SetMetadata struct {
	Cell  event.CellID    `json:"cell,omitempty"`
	Key   string          `json:"key"`
	Value json.RawMessage `json:"value,omitempty"`
}

// RunCells requests runs of cells, in this order; no cells means all code and SQL
// cells, and AI cells while an assistant is there to take their runs. A cell that is
// queued or running already is not requested again, and one that does not run is
// left out. Range says that the cells are a part of the notebook, none of which was
// chosen by itself: those are left out that do not run with all others. Of more than
// [event.MaxBatch] cells each such many are a batch.
type RunCells struct {
	Cells     []event.CellID `json:"cells,omitempty"`
	Range     bool           `json:"range,omitempty"`
	KeepGoing bool           `json:"keepGoing,omitempty"`
}

// CancelRuns cancels the runs of cells; no cells means all runs.
type CancelRuns struct {
	Cells []event.CellID `json:"cells,omitempty"`
}

// AnswerInput answers a program's question that is not secret.
type AnswerInput struct {
	Input event.InputID `json:"input"`
	Value string        `json:"value"`
}

// ClearOutputs takes the outputs of cells away, with the count and the mark of their
// last run; no cells means all. The result names those that had some.
type ClearOutputs struct {
	Cells []event.CellID `json:"cells,omitempty"`
}

// Undo takes back the last thing that was done at this desk; if a cell is named,
// the last that edited its source, and with outputs the last that took outputs away.
// The result names the cells that it changed, or if it deleted them, the one that
// takes their place. That there is nothing to take back is no error.
type Undo struct {
	Cell    event.CellID `json:"cell,omitempty"`
	Outputs bool         `json:"outputs,omitempty"`
	By      string       `json:"by,omitempty"` // names the edits of sources that come of it: see [By]
}

// Redo does again what the last [Undo] took back; if a cell is named, the last that
// edited its source.
type Redo struct {
	Cell event.CellID `json:"cell,omitempty"`
	By   string       `json:"by,omitempty"` // as of [Undo]
}

// By returns the name that a command gives the edits of sources that come of it, so
// that an editor which undoes knows them from those of others. It is empty for most.
func By(c Command) string {
	switch c := c.(type) {
	case *Undo:
		return c.By
	case *Redo:
		return c.By
	}
	return ""
}

func (*AddCell) command() string        { return "addCell" }
func (*DeleteCells) command() string    { return "deleteCells" }
func (*RestoreCells) command() string   { return "restoreCells" }
func (*MoveCells) command() string      { return "moveCells" }
func (*ChangeKind) command() string     { return "changeKind" }
func (*ChangeLanguage) command() string { return "changeLanguage" }
func (*SetVisibility) command() string  { return "setVisibility" }
func (*SplitCell) command() string      { return "splitCell" }
func (*MergeCells) command() string     { return "mergeCells" }
func (*PasteCells) command() string     { return "pasteCells" }
func (*ReplaceText) command() string    { return "replaceText" }
func (*Attach) command() string         { return "attach" }
func (*SetTitle) command() string       { return "setTitle" }
func (*SetMetadata) command() string    { return "setMetadata" }
func (*RunCells) command() string       { return "runCells" }
func (*CancelRuns) command() string     { return "cancelRuns" }
func (*AnswerInput) command() string    { return "answerInput" }
func (*ClearOutputs) command() string   { return "clearOutputs" }
func (*Undo) command() string           { return "undo" }
func (*Redo) command() string           { return "redo" }
