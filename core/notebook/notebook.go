// Package notebook folds a log of events into a notebook.
//
// The fold is pure and total. [Notebook.Apply] changes the notebook in place and reports the rows that changed; it
// reads no clock and no randomness, so equal logs give equal notebooks wherever they are folded. An event that lost a
// race, such as an edit of a past revision or the end of a run that had ended, changes nothing in any replica; Apply
// then returns the reason, and a room can refuse the event instead of appending it.
//
// Permissions and the storage of the log are left to others.
package notebook

import (
	"encoding/json"

	"github.com/quirehq/quire/core/event"
)

// Version is the version of the fold. It grows when the same log gives a different notebook, and a [Notebook.Snapshot]
// of another version is not used.
const Version = 7

// Notebook is the state that a log folds to. It has one owner: no two goroutines may use it at once, but a
// [Notebook.Clone] is independent. The rows that its methods return must not be changed, and are valid until the next
// Apply.
type Notebook struct {
	seq      event.Seq
	title    string
	metadata map[string]json.RawMessage

	cells map[event.CellID]*Cell
	order []event.CellID // cells that are not deleted, by place

	runs  map[event.RunID]*Run
	queue []event.RunID // runs that are not finished, in the order requested

	outputs    map[event.OutputID]*Output
	displays   map[string][]event.OutputID // by display id
	outputSize int64                       // see OutputSize

	epoch    event.Epoch
	runtimes map[event.Takes]*Runtime

	inputs    map[event.InputID]*Input
	approvals map[event.ApprovalID]*Approval
	files     map[string]File

	comms   commRows
	clients clients

	token   *token
	pair    *token  // names the notebook and its latest clone; nil if there is none
	written written // the difference between the two
}

// New returns the notebook of an empty log.
func New() *Notebook {
	return &Notebook{
		metadata:  map[string]json.RawMessage{},
		cells:     map[event.CellID]*Cell{},
		runs:      map[event.RunID]*Run{},
		outputs:   map[event.OutputID]*Output{},
		displays:  map[string][]event.OutputID{},
		runtimes:  map[event.Takes]*Runtime{},
		inputs:    map[event.InputID]*Input{},
		approvals: map[event.ApprovalID]*Approval{},
		files:     map[string]File{},
		comms:     newComms(),
		clients:   newClients(),
		token:     new(token),
	}
}

// Apply folds e into the notebook and appends the rows that it changed to dst, some of them maybe twice. When the event
// is moot and changes nothing, the error is a *[Moot] with the reason; only the notebook's number and the row of
// the event's client change then.
//
// An event without a number is one that its author applies ahead of the room: it is not recorded as seen.
func (n *Notebook) Apply(e *event.Event, dst []Change) ([]Change, error) {
	if e.Seq != 0 {
		n.seq = e.Seq
		if !n.clients.record(e.ID, e.Actor) {
			return dst, conflict("event %s is in the log already", e.ID)
		}
	}
	return n.fold(e, dst)
}

// Admit folds an event that will be the next of the log, numbered one after [Notebook.Seq]. It is [Notebook.Apply] for
// a room: an event that is moot, or that is in the log already, leaves no trace.
func (n *Notebook) Admit(e *event.Event, dst []Change) ([]Change, error) {
	if n.clients.lookup(e.ID.Client).n >= e.ID.N {
		return dst, conflict("event %s is in the log already", e.ID)
	}
	dst, err := n.fold(e, dst)
	if err != nil {
		return dst, err
	}
	n.seq = e.Seq
	n.clients.record(e.ID, e.Actor)
	return dst, nil
}

// fold folds an event by the rule of its type, and then drops the comms that no output shows any more. An event of a
// newer build folds to nothing.
func (n *Notebook) fold(e *event.Event, dst []Change) ([]Change, error) {
	var err error
	for _, family := range families {
		var known bool
		if dst, known, err = family(n, e, dst); known {
			break
		}
	}
	if n.comms.sweepNeeded {
		dst = n.sweepComms(dst)
	}
	return dst, err
}

// families fold the events of a family each, and report whether the event is one of them. Those whose events are frequent in
// logs come first.
var families = [...]func(n *Notebook, e *event.Event, dst []Change) (changed []Change, known bool, err error){
	(*Notebook).foldCells,
	(*Notebook).foldOutputs,
	(*Notebook).foldRuns,
	(*Notebook).foldOwn,
	(*Notebook).foldInputs,
	(*Notebook).foldApprovals,
	(*Notebook).foldRuntimes,
	(*Notebook).foldFiles,
	(*Notebook).foldComms,
}

// Seq returns the number of the last event that was folded.
func (n *Notebook) Seq() event.Seq { return n.seq }

// Title returns the notebook's title, empty if it has none.
func (n *Notebook) Title() string { return n.title }

// Metadata returns the notebook's metadata by key.
func (n *Notebook) Metadata() map[string]json.RawMessage { return n.metadata }

// Seen returns the counter of the last event of a client that was folded.
func (n *Notebook) Seen(c event.ClientID) uint64 { return n.clients.lookup(c).n }

// Owner returns the actor of the first folded event of a client, to whom the client's id belongs, or none.
func (n *Notebook) Owner(c event.ClientID) event.Actor { return n.clients.lookup(c).first }

// foldOwn folds an event of the family of the notebook itself.
func (n *Notebook) foldOwn(e *event.Event, dst []Change) (d []Change, known bool, err error) {
	switch p := e.Payload.(type) {
	case *event.NotebookTitled:
		dst, err = n.titled(p, dst)
	case *event.NotebookMetadataSet:
		dst, err = n.metadataSet(p, dst)
	default:
		return dst, false, nil
	}
	return dst, true, err
}

func (n *Notebook) titled(p *event.NotebookTitled, dst []Change) ([]Change, error) {
	n.title = p.Title
	return append(dst, Change{Table: TableNotebook}), nil
}

func (n *Notebook) metadataSet(p *event.NotebookMetadataSet, dst []Change) ([]Change, error) {
	setMetadata(n.metadata, p.Key, p.Value)
	return append(dst, Change{Table: TableNotebook}), nil
}

// setMetadata sets a key, or removes it when the value is missing or null.
func setMetadata(m map[string]json.RawMessage, key string, value json.RawMessage) {
	if len(value) == 0 || string(value) == "null" {
		delete(m, key)
		return
	}
	m[key] = value
}

// Size returns about how many bytes the notebook holds: sources, metadata, outputs and the state of widgets. A
// snapshot, an answer or a file with all of it is a few times larger at most. It reads every row.
func (n *Notebook) Size() int64 {
	size := n.outputSize + int64(len(n.title)+bundleSize(n.metadata)+n.comms.bytes)
	for id, c := range n.cells {
		size += int64(len(id) + c.source.Bytes() + bundleSize(c.Metadata))
	}
	for id, r := range n.runs {
		size += int64(len(id) + len(r.Source) + len(r.Reason))
	}
	for id, in := range n.inputs {
		size += int64(len(id) + len(in.Prompt) + len(in.Value))
	}
	for id, a := range n.approvals {
		size += int64(len(id) + len(a.Arguments))
	}
	return size
}
