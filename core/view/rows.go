package view

import (
	"encoding/json"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/text"
)

// Batch is what changed since the batch before, for a page to show at once. A part
// that is empty has not changed.
type Batch struct {
	// Reset says that these are all rows that there are: the page forgets the others.
	Reset bool `json:"reset,omitempty"`
	// First says that this is what the server shows until the page has a core.
	First bool `json:"first,omitempty"`
	// Partial says that cells are missing that Notebook names: the rest comes later.
	Partial  bool      `json:"partial,omitempty"`
	Notebook *Notebook `json:"notebook,omitempty"`
	Cells    []Cell    `json:"cells,omitempty"`
	// Texts are edits of sources, in the order in which they were made.
	Texts []TextUpdate `json:"texts,omitempty"`
	// Moved says which text went from one cell to another, in the order in which it did.
	Moved    []Moved      `json:"moved,omitempty"`
	Runs     []Run        `json:"runs,omitempty"`
	Outputs  []CellOutput `json:"outputs,omitempty"`
	Appended []Append     `json:"appended,omitempty"`
	Runtimes []Runtime    `json:"runtimes,omitempty"`
	Inputs   []Input      `json:"inputs,omitempty"`
	// Gone are the rows that there are no more.
	Gone *Gone `json:"gone,omitempty"`
	// Queue are the runs that are not finished, in their order.
	Queue *[]event.RunID `json:"queue,omitempty"`
	// Peers are all who are connected.
	Peers  *[]Peer `json:"peers,omitempty"`
	Status *Status `json:"status,omitempty"`
	// Refused are events of this replica that the room refused since the last batch.
	Refused []Refusal `json:"refused,omitempty"`
}

// Gone names rows that there are no more.
type Gone struct {
	Runs    []event.RunID    `json:"runs,omitempty"`
	Outputs []event.OutputID `json:"outputs,omitempty"`
	Inputs  []event.InputID  `json:"inputs,omitempty"`
}

// Notebook is the notebook's own row.
type Notebook struct {
	Title    string                     `json:"title"`
	Language string                     `json:"language"` // of cells that name none
	Metadata map[string]json.RawMessage `json:"metadata,omitempty"`
	Cells    []event.CellID             `json:"cells"` // that are not deleted, in their order
}

// Cell is a cell's row.
type Cell struct {
	ID          event.CellID               `json:"id"`
	Kind        event.CellKind             `json:"kind"`
	Language    string                     `json:"language,omitempty"` // empty for the notebook's own
	Author      event.Actor                `json:"author,omitempty"`
	Deleted     bool                       `json:"deleted,omitempty"`
	Deleter     event.Actor                `json:"deleter,omitempty"` // who deleted it, if that is known
	HideSource  bool                       `json:"hideSource,omitempty"`
	HideOutputs bool                       `json:"hideOutputs,omitempty"`
	HideContext bool                       `json:"hideContext,omitempty"`
	Metadata    map[string]json.RawMessage `json:"metadata,omitempty"`
	Outputs     []event.OutputID           `json:"outputs,omitempty"`
	Stale       bool                       `json:"stale,omitempty"` // the outputs are of an earlier run than the one that executes
	Run         event.RunID                `json:"run,omitempty"`   // the latest that was requested
	Count       int                        `json:"count,omitempty"` // the execution count, 0 for none
	// Text is the source, in the first row of the cell that a page gets. Later it
	// changes by Texts alone.
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

// Moved is text that went from one cell to others as a person split, merged or undid, for
// carets and what is typed meanwhile to follow it.
type Moved struct {
	// At is how many of the batch's Texts come before it. The text is taken by the next
	// of them, which deletes it from Cell; or Cell was deleted, and all of its text went.
	At      int          `json:"at"`
	Cell    event.CellID `json:"cell"`
	Deleted bool         `json:"deleted,omitempty"`
	// Parts are where the text is, from its start to its end.
	Parts []MovedPart `json:"parts"`
	// Joined is what the merge of which this is a part inserted at the end of a text. What
	// stands behind it was typed meanwhile, before it.
	Joined *Joined `json:"joined,omitempty"`
}

// MovedPart is a piece of text that went to another cell. Lengths are UTF-16 code units.
type MovedPart struct {
	Skip   int          `json:"skip,omitempty"` // line ends before it, which went nowhere
	Length int          `json:"length"`
	Cell   event.CellID `json:"cell"`
	At     int          `json:"at"` // where it is in the source of Cell
	// Edit makes the piece of what Cell has there, if that is not the same: who moved it
	// did not know of the last changes.
	Edit *text.Edit `json:"edit,omitempty"`
}

// Joined is a text that was inserted at the end of a source.
type Joined struct {
	Cell   event.CellID `json:"cell"`
	At     int          `json:"at"`
	Length int          `json:"length"`
}

// TextPush proposes edits of a source that follow each other, the first of which
// was made on a version. They are taken only if that is still the latest one.
type TextPush struct {
	Cell    event.CellID `json:"cell"`
	Version int          `json:"version"`
	By      string       `json:"by"` // names the editor
	Edits   []text.Edit  `json:"edits"`
	// Join says that undo takes them back together with the push before.
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
	Count     int               `json:"count,omitempty"`
	Took      int64             `json:"took,omitempty"` // milliseconds
	Requested event.Time        `json:"requested,omitempty"`
	Started   event.Time        `json:"started,omitempty"`
	Finished  event.Time        `json:"finished,omitempty"`
}

// CellOutput is an output's row: an output with its name and its cell.
type CellOutput struct {
	ID   event.OutputID `json:"id"`
	Cell event.CellID   `json:"cell"`
	Run  event.RunID    `json:"run,omitempty"`
	// Late says that it came when its run had ended, and Earlier that a later run of the
	// cell had started by then.
	Late    bool         `json:"late,omitempty"`
	Earlier bool         `json:"earlier,omitempty"`
	Value   event.Output `json:"value"`
}

// Append is text at the end of a stream or markdown output, after the last Drop
// UTF-16 code units of it are taken away.
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
	// Brought is who connected it, missing if the server did.
	Brought event.Actor           `json:"brought,omitempty"`
	State   notebook.RuntimeState `json:"state"`
	// Away says that it has not stopped and is not connected: the room does not reach it.
	Away    bool             `json:"away,omitempty"`
	Reason  event.StopReason `json:"reason,omitempty"`
	Detail  string           `json:"detail,omitempty"`
	Started event.Time       `json:"started,omitempty"`
	Stopped event.Time       `json:"stopped,omitempty"`
}

// Input is a question of a running program.
type Input struct {
	ID       event.InputID `json:"id"`
	Run      event.RunID   `json:"run"`
	Prompt   string        `json:"prompt,omitempty"`
	Secret   bool          `json:"secret,omitempty"`
	Open     bool          `json:"open,omitempty"` // the program still waits
	Answered bool          `json:"answered,omitempty"`
	Value    string        `json:"value,omitempty"`
}

// Peer is a connection to the notebook's room.
type Peer struct {
	Client   event.ClientID    `json:"client"`
	Actor    event.Actor       `json:"actor"`
	Presence protocol.Presence `json:"presence"`
	Self     bool              `json:"self,omitempty"` // it is this browser's
}

// Status says how this replica stands to its room.
type Status struct {
	Seq     event.Seq `json:"seq"`     // the last number that is confirmed
	Pending int       `json:"pending"` // events that wait to be acknowledged
	// Online says that the replica is connected and has all that the log had then.
	Online bool        `json:"online"`
	Actor  event.Actor `json:"actor,omitempty"`
	Role   access.Role `json:"role,omitempty"`
	// Closed says why the server ended the connection for good.
	Closed *protocol.Closed `json:"closed,omitempty"`
	// Trouble says why there is no connection now, for people.
	Trouble string `json:"trouble,omitempty"`
	// Unstored says why the browser does not keep what is pending, for people.
	Unstored string `json:"unstored,omitempty"`
}

// Refusal is an event that the room refused.
type Refusal struct {
	ID      event.ID      `json:"id"` // of the event, the first of several that are one
	Type    event.Type    `json:"type"`
	Code    protocol.Code `json:"code"`
	Message string        `json:"message"`
	// Source is what an edit that was refused would have inserted, so that it is not lost.
	Source string `json:"source,omitempty"`
}
