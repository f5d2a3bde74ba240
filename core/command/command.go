package command

import (
	"encoding/json"

	"github.com/quirehq/quire/core/event"
)

// Command is an order of a user. Its position, where it has one, is before or after a cell; if neither is named, at the
// end. A position beside a deleted cell is the old one of that cell. Named cells that are deleted are left out, since
// another user may have deleted them just now; a cell that never existed is an error.
type Command interface{ command() string }

// Result is the result of a command.
type Result struct {
	// Cells are the cells that a page should select afterwards, in order.
	Cells []event.CellID `json:"cells,omitempty"`
	// Runs are the requested runs.
	Runs []event.RunID `json:"runs,omitempty"`
	// Skipped counts the parts left out because others have changed their subject: entries of an undo or redo, and
	// pieces of text to replace.
	Skipped int `json:"skipped,omitempty"`
}

// AddCell creates a cell. The result names it.
type AddCell struct {
	CellKind event.CellKind `json:"cellKind"`
	Language string         `json:"language,omitempty"`
	Source   string         `json:"source,omitempty"`
	After    event.CellID   `json:"after,omitempty"`
	Before   event.CellID   `json:"before,omitempty"`
}

// DeleteCells deletes cells. The result names the cell that takes the position of the first, or the last cell.
type DeleteCells struct {
	Cells []event.CellID `json:"cells"`
}

// RestoreCells restores deleted cells.
type RestoreCells struct {
	Cells []event.CellID `json:"cells"`
}

// MoveCells moves cells, in the notebook's order, to a position. The result names them.
type MoveCells struct {
	Cells  []event.CellID `json:"cells"`
	After  event.CellID   `json:"after,omitempty"`
	Before event.CellID   `json:"before,omitempty"`
}

// ChangeKind changes the kind of cells.
type ChangeKind struct {
	Cells    []event.CellID `json:"cells"`
	CellKind event.CellKind `json:"cellKind"`
}

// ChangeLanguage changes the language of cells; empty is the notebook's.
type ChangeLanguage struct {
	Cells    []event.CellID `json:"cells"`
	Language string         `json:"language"`
}

// SetVisibility shows or hides parts of cells. A nil part is unchanged.
type SetVisibility struct {
	Cells   []event.CellID `json:"cells"`
	Source  *bool          `json:"source,omitempty"`
	Outputs *bool          `json:"outputs,omitempty"`
	Context *bool          `json:"context,omitempty"`
}

// SplitCell splits a cell at positions in its source, in UTF-16 code units; line ends at these positions are dropped.
// The first part stays in the cell, with the outputs. The other parts get its kind, language, visibility and metadata.
// The result names all parts.
type SplitCell struct {
	Cell event.CellID `json:"cell"`
	At   []int        `json:"at"`
}

// MergeCells joins the sources of cells, in order, with an empty line between those that are not empty. The first cell
// stays, with the current outputs of the last one, and the others are deleted. The result names the first.
type MergeCells struct {
	Cells []event.CellID `json:"cells"`
}

// PasteCells creates cells from copies. The result names them.
type PasteCells struct {
	Items  []Copied     `json:"items"`
	After  event.CellID `json:"after,omitempty"`
	Before event.CellID `json:"before,omitempty"`
}

// Copied is a cell in a page's clipboard.
type Copied struct {
	CellKind event.CellKind             `json:"cellKind"`
	Language string                     `json:"language,omitempty"`
	Source   string                     `json:"source,omitempty"`
	Metadata map[string]json.RawMessage `json:"metadata,omitempty"`
	Outputs  []event.Output             `json:"outputs,omitempty"`
	Count    int                        `json:"count,omitempty"`
}

// ReplaceText replaces pieces of sources, in any number of cells, and is undone as a whole. A piece that has changed is
// left out and counted as skipped: another user has just edited it. The result names the changed cells.
type ReplaceText struct {
	Pieces []Piece `json:"pieces"` // those of a cell in order
}

// Piece is a piece of a cell's source, and its replacement.
type Piece struct {
	Cell event.CellID `json:"cell"`
	At   int          `json:"at"` // UTF-16 code units from the start
	Was  string       `json:"was"`
	Text string       `json:"text"`
}

// Attach sets a key of a cell's metadata, as [SetMetadata] does, and inserts text that refers to it into the source.
// Both are undone together.
type Attach struct {
	Cell  event.CellID    `json:"cell"`
	Key   string          `json:"key"`
	Value json.RawMessage `json:"value"`
	At    int             `json:"at"` // UTF-16 code units from the start; a position after the end means the end
	Text  string          `json:"text"`
}

// SetTitle sets the title of the notebook.
type SetTitle struct {
	Title string `json:"title"`
}

// SetMetadata sets a key of the notebook's metadata, or of a cell's if one is named. No value, or null, removes the
// key.
type SetMetadata struct {
	Cell  event.CellID    `json:"cell,omitempty"`
	Key   string          `json:"key"`
	Value json.RawMessage `json:"value,omitempty"`
}

// RunCells requests runs of cells, in this order; no cells means all code and SQL cells, and AI cells while an
// assistant is present. A cell that is queued or running is not requested again, and one that does not run is left out.
// Range says that the cells are a part of the notebook, and none was chosen by itself: cells that are excluded from
// running all are left out. More than [event.MaxBatch] cells become several batches.
type RunCells struct {
	Cells     []event.CellID `json:"cells,omitempty"`
	Range     bool           `json:"range,omitempty"`
	KeepGoing bool           `json:"keepGoing,omitempty"`
}

// CancelRuns cancels the runs of cells; no cells means all runs.
type CancelRuns struct {
	Cells []event.CellID `json:"cells,omitempty"`
}

// AnswerInput answers a request for input that is not secret.
type AnswerInput struct {
	Input event.InputID `json:"input"`
	Value string        `json:"value"`
}

// AnswerApproval answers an assistant that asks whether it may call a tool. The reason of a denial goes to the model.
type AnswerApproval struct {
	Approval event.ApprovalID `json:"approval"`
	Answer   event.Answer     `json:"answer"`
	Reason   string           `json:"reason,omitempty"`
}

// ClearOutputs removes the outputs of cells, with the count and the state of their last run; no cells means all. The
// result names the cells that had some.
type ClearOutputs struct {
	Cells []event.CellID `json:"cells,omitempty"`
}

// Undo undoes the last change of this user; if a cell is named, the last edit of its source, and with outputs the last
// removal of outputs. The result names the changed cells, or if they are deleted, the cell that takes their position.
// Nothing to undo is not an error.
type Undo struct {
	Cell    event.CellID `json:"cell,omitempty"`
	Outputs bool         `json:"outputs,omitempty"`
	By      string       `json:"by,omitempty"` // names the resulting edits of sources: see [By]
}

// Redo repeats the change that the last [Undo] undid; if a cell is named, the last edit of its source.
type Redo struct {
	Cell event.CellID `json:"cell,omitempty"`
	By   string       `json:"by,omitempty"` // as in [Undo]
}

// By returns the name that a command gives its edits of sources, by which the editor that undoes recognises them. It is
// empty for most commands.
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
func (*AnswerApproval) command() string { return "answerApproval" }
func (*ClearOutputs) command() string   { return "clearOutputs" }
func (*Undo) command() string           { return "undo" }
func (*Redo) command() string           { return "redo" }
