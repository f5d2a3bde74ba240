package view

import (
	"encoding/json"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/text"
)

// Batch has the changes since the previous batch, for a page to show at once. An empty part has not changed.
type Batch struct {
	// Reset says that these are all rows: the page drops the others.
	Reset bool `json:"reset,omitempty"`
	// First says that the server sent this for the time until the page has a core.
	First bool `json:"first,omitempty"`
	// Partial says that some cells of Notebook are missing, and come later.
	Partial  bool      `json:"partial,omitempty"`
	Notebook *Notebook `json:"notebook,omitempty"`
	Cells    []Cell    `json:"cells,omitempty"`
	// Texts are edits of sources, in order.
	Texts []TextUpdate `json:"texts,omitempty"`
	// Moved has the texts that moved between cells, in order.
	Moved     []Moved      `json:"moved,omitempty"`
	Runs      []Run        `json:"runs,omitempty"`
	Outputs   []CellOutput `json:"outputs,omitempty"`
	Appended  []Append     `json:"appended,omitempty"`
	Runtimes  []Runtime    `json:"runtimes,omitempty"`
	Inputs    []Input      `json:"inputs,omitempty"`
	Approvals []Approval   `json:"approvals,omitempty"`
	// Gone names removed rows.
	Gone *Gone `json:"gone,omitempty"`
	// Queue are the runs that are not finished, in order.
	Queue *[]event.RunID `json:"queue,omitempty"`
	// Peers are all connected members.
	Peers  *[]Peer `json:"peers,omitempty"`
	Status *Status `json:"status,omitempty"`
	// Refused are events of this replica that the room refused since the last batch.
	Refused []Refusal `json:"refused,omitempty"`
}

// Gone names removed rows.
type Gone struct {
	Runs      []event.RunID      `json:"runs,omitempty"`
	Outputs   []event.OutputID   `json:"outputs,omitempty"`
	Inputs    []event.InputID    `json:"inputs,omitempty"`
	Approvals []event.ApprovalID `json:"approvals,omitempty"`
}

// Notebook is the notebook's own row.
type Notebook struct {
	Title    string                     `json:"title"`
	Language string                     `json:"language"` // of cells that name none
	Metadata map[string]json.RawMessage `json:"metadata,omitempty"`
	Cells    []event.CellID             `json:"cells"` // those that are not deleted, in order
}

// Cell is a cell's row.
type Cell struct {
	ID          event.CellID               `json:"id"`
	Kind        event.CellKind             `json:"kind"`
	Language    string                     `json:"language,omitempty"` // empty for the notebook's language
	Author      event.Actor                `json:"author,omitempty"`
	Deleted     bool                       `json:"deleted,omitempty"`
	Deleter     event.Actor                `json:"deleter,omitempty"` // who deleted it, if known
	HideSource  bool                       `json:"hideSource,omitempty"`
	HideOutputs bool                       `json:"hideOutputs,omitempty"`
	HideContext bool                       `json:"hideContext,omitempty"`
	Metadata    map[string]json.RawMessage `json:"metadata,omitempty"`
	Outputs     []event.OutputID           `json:"outputs,omitempty"`
	Stale       bool                       `json:"stale,omitempty"` // the outputs are of an earlier run than the one that executes
	Run         event.RunID                `json:"run,omitempty"`   // the latest that was requested
	Count       int                        `json:"count,omitempty"` // the execution count, 0 for none
	// Text is the source, in the first row of the cell that a page gets. Later only Texts change it.
	Text *Text `json:"text,omitempty"`
}

// Text is a source at a version.
type Text struct {
	Version int    `json:"version"`
	Source  string `json:"source"`
}

// TextUpdate is one edit of a source. It makes version Version+1 of it.
type TextUpdate struct {
	Cell    event.CellID `json:"cell"`
	Version int          `json:"version"`
	Edit    text.Edit    `json:"edit"`
	// By is the editor that pushed it, empty if none of this browser did.
	By string `json:"by,omitempty"`
}

// Moved is text that moved from one cell to others by a split, a merge or an undo; carets and concurrent typing follow
// it.
type Moved struct {
	// At is the number of the batch's Texts that come before it. The next of them deletes the text from Cell; or Cell
	// was deleted, with all of its text.
	At      int          `json:"at"`
	Cell    event.CellID `json:"cell"`
	Deleted bool         `json:"deleted,omitempty"`
	// Parts are the new positions of the text, from its start to its end.
	Parts []MovedPart `json:"parts"`
	// Joined is the insertion of the merge that this belongs to, at the end of a text. Text behind it was typed
	// concurrently.
	Joined *Joined `json:"joined,omitempty"`
}

// MovedPart is a piece of text that went to another cell. Lengths are UTF-16 code units.
type MovedPart struct {
	Skip   int          `json:"skip,omitempty"` // line ends before it, which did not move
	Length int          `json:"length"`
	Cell   event.CellID `json:"cell"`
	At     int          `json:"at"` // its position in the source of Cell
	// Edit turns the text at that position into the piece, if they differ: the author of the move did not know the last
	// changes.
	Edit *text.Edit `json:"edit,omitempty"`
}

// Joined is a text that was inserted at the end of a source.
type Joined struct {
	Cell   event.CellID `json:"cell"`
	At     int          `json:"at"`
	Length int          `json:"length"`
}

// TextPush proposes consecutive edits of a source, the first of them made on a version. They are applied only if that
// is still the latest one.
type TextPush struct {
	Cell    event.CellID `json:"cell"`
	Version int          `json:"version"`
	By      string       `json:"by"` // names the editor
	Edits   []text.Edit  `json:"edits"`
	// Join says that they are undone together with the previous push.
	Join bool `json:"join,omitempty"`
}

// Run is a run's row.
type Run struct {
	ID        event.RunID       `json:"id"`
	Cell      event.CellID      `json:"cell"`
	Actor     event.Actor       `json:"actor,omitempty"`
	Takes     event.Takes       `json:"takes,omitempty"`
	Epoch     event.Epoch       `json:"epoch,omitempty"` // of the runtime that has or had it
	State     notebook.RunState `json:"state"`
	Cancelled bool              `json:"cancelled,omitempty"`
	Status    event.RunStatus   `json:"status,omitempty"`
	Exited    bool              `json:"exited,omitempty"` // the program ended itself
	Reason    string            `json:"reason,omitempty"`
	Cause     event.Cause       `json:"cause,omitempty"` // why it ended, for programs
	Count     int               `json:"count,omitempty"`
	Took      int64             `json:"took,omitempty"` // milliseconds
	Requested event.Time        `json:"requested,omitempty"`
	Started   event.Time        `json:"started,omitempty"`
	Finished  event.Time        `json:"finished,omitempty"`
}

// CellOutput is an output's row: an output with its id and its cell.
type CellOutput struct {
	ID   event.OutputID `json:"id"`
	Cell event.CellID   `json:"cell"`
	Run  event.RunID    `json:"run,omitempty"`
	// Late says that it came after the end of its run, and Earlier that a later run of the cell had started by then.
	Late    bool         `json:"late,omitempty"`
	Earlier bool         `json:"earlier,omitempty"`
	Value   event.Output `json:"value"`
}

// Append is text at the end of a stream or markdown output, after its last Drop UTF-16 code units are removed.
type Append struct {
	Output event.OutputID `json:"output"`
	Drop   int            `json:"drop,omitempty"`
	Text   string         `json:"text"`
}

// Runtime is the row of the latest runtime of a kind.
type Runtime struct {
	ID        event.RuntimeID `json:"id"`
	Epoch     event.Epoch     `json:"epoch"`
	Name      string          `json:"name,omitempty"`
	Takes     event.Takes     `json:"takes"`
	Languages []string        `json:"languages,omitempty"`
	Actor     event.Actor     `json:"actor,omitempty"`
	// Brought is the actor that connected it, missing if the server did.
	Brought event.Actor           `json:"brought,omitempty"`
	State   notebook.RuntimeState `json:"state"`
	// Away says that it has not stopped but is not connected to the room.
	Away    bool             `json:"away,omitempty"`
	Reason  event.StopReason `json:"reason,omitempty"`
	Detail  string           `json:"detail,omitempty"`
	Cause   event.Cause      `json:"cause,omitempty"` // the same as Reason, or more exact
	Started event.Time       `json:"started,omitempty"`
	Stopped event.Time       `json:"stopped,omitempty"`
}

// Input is a request of a running program for input.
type Input struct {
	ID       event.InputID `json:"id"`
	Run      event.RunID   `json:"run"`
	Prompt   string        `json:"prompt,omitempty"`
	Secret   bool          `json:"secret,omitempty"`
	Open     bool          `json:"open,omitempty"` // the program still waits
	Answered bool          `json:"answered,omitempty"`
	Value    string        `json:"value,omitempty"`
}

// Approval is the question of an assistant whether it may call a tool.
type Approval struct {
	ID    event.ApprovalID `json:"id"`
	Run   event.RunID      `json:"run"`
	Tool  string           `json:"tool"`
	Class event.ToolClass  `json:"class"`
	// Arguments and Diff are of an open question alone: the output of the call keeps the arguments.
	Arguments json.RawMessage `json:"arguments,omitempty"`
	Diff      string          `json:"diff,omitempty"`
	Wait      int64           `json:"wait,omitempty"` // milliseconds from Asked, 0 if unknown
	Asked     event.Time      `json:"asked,omitempty"`
	Answer    event.Answer    `json:"answer,omitempty"` // empty until a person answers
	Reason    string          `json:"reason,omitempty"` // of a denial
	Actor     event.Actor     `json:"actor,omitempty"`  // who answered
}

// Peer is a connection to the notebook's room.
type Peer struct {
	Client   event.ClientID    `json:"client"`
	Actor    event.Actor       `json:"actor"`
	Presence protocol.Presence `json:"presence"`
	Self     bool              `json:"self,omitempty"` // it belongs to this browser
}

// Status is the state of this replica towards its room.
type Status struct {
	Seq     event.Seq `json:"seq"`     // the last confirmed number
	Pending int       `json:"pending"` // events that are not acknowledged
	// Online says that the replica is connected and has the log up to that time.
	Online bool        `json:"online"`
	Actor  event.Actor `json:"actor,omitempty"`
	Role   access.Role `json:"role,omitempty"`
	// Closed says why the server ended the connection for good.
	Closed *protocol.Closed `json:"closed,omitempty"`
	// Trouble says why there is no connection now, for people.
	Trouble string `json:"trouble,omitempty"`
	// Unstored says why the browser does not persist pending events, for people.
	Unstored string `json:"unstored,omitempty"`
}

// Refusal is an event that the room refused.
type Refusal struct {
	ID      event.ID      `json:"id"` // of the event, the first of several joined ones
	Type    event.Type    `json:"type"`
	Code    protocol.Code `json:"code"`
	Message string        `json:"message"`
	// Source is the text that a refused edit would have inserted, so it is not lost.
	Source string `json:"source,omitempty"`
}
