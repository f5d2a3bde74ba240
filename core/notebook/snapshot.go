package notebook

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/order"
)

// snapshot is the JSON form of a notebook. The state alone decides the order of its lists, so equal notebooks have
// equal snapshots.
type snapshot struct {
	Seq      event.Seq                  `json:"seq"`
	Title    string                     `json:"title,omitempty"`
	Metadata map[string]json.RawMessage `json:"metadata,omitempty"`
	Cells    []snapCell                 `json:"cells,omitempty"`
	Runs     []snapRun                  `json:"runs,omitempty"`
	snapshotTail
}

// snapshotTail has the members of a snapshot that do not grow with the number of cells.
type snapshotTail struct {
	Epoch     event.Epoch               `json:"epoch,omitempty"`
	Runtimes  []Runtime                 `json:"runtimes,omitempty"`
	Inputs    []Input                   `json:"inputs,omitempty"`
	Approvals []Approval                `json:"approvals,omitempty"`
	Files     map[string]File           `json:"files,omitempty"`
	Comms     []Comm                    `json:"comms,omitempty"`
	Clients   map[event.ClientID]uint64 `json:"clients,omitempty"`
	// Owners has the clients of each actor.
	Owners map[event.Actor][]event.ClientID `json:"owners,omitempty"`
}

// snapCell is a cell with its outputs.
type snapCell struct {
	ID          event.CellID               `json:"id"`
	Kind        event.CellKind             `json:"kind"`
	Language    string                     `json:"language,omitempty"`
	Order       order.Key                  `json:"order"`
	Author      event.Actor                `json:"author,omitempty"`
	Deleted     bool                       `json:"deleted,omitempty"`
	Source      string                     `json:"source,omitempty"`
	Rev         event.Rev                  `json:"rev,omitempty"`
	HideSource  bool                       `json:"hideSource,omitempty"`
	HideOutputs bool                       `json:"hideOutputs,omitempty"`
	HideContext bool                       `json:"hideContext,omitempty"`
	Metadata    map[string]json.RawMessage `json:"metadata,omitempty"`
	Outputs     []snapOutput               `json:"outputs,omitempty"`
	Run         event.RunID                `json:"run,omitempty"`
	Began       event.RunID                `json:"began,omitempty"`
	Count       int                        `json:"count,omitempty"`
	Clear       clearing                   `json:"clear,omitempty"`
}

// snapOutput is an output of a cell.
type snapOutput struct {
	ID    event.OutputID `json:"id"`
	Run   event.RunID    `json:"run,omitempty"`
	Late  bool           `json:"late,omitempty"`
	After event.RunID    `json:"after,omitempty"`
	Value event.Output   `json:"value"`
}

// snapRun is a run. Those that are not finished come first, in their order.
type snapRun struct {
	ID        event.RunID     `json:"id"`
	Cell      event.CellID    `json:"cell"`
	Batch     event.ID        `json:"batch"`
	KeepGoing bool            `json:"keepGoing,omitempty"`
	MayFail   bool            `json:"mayFail,omitempty"`
	Allow     []string        `json:"allow,omitempty"`
	Actor     event.Actor     `json:"actor,omitempty"`
	Source    string          `json:"source,omitempty"`
	Rev       event.Rev       `json:"rev,omitempty"`
	Language  string          `json:"language,omitempty"`
	Takes     event.Takes     `json:"takes"`
	State     RunState        `json:"state"`
	Epoch     event.Epoch     `json:"epoch,omitempty"`
	Cancelled bool            `json:"cancelled,omitempty"`
	Status    event.RunStatus `json:"status,omitempty"`
	Exited    bool            `json:"exited,omitempty"`
	Offered   bool            `json:"offered,omitempty"`
	Reason    string          `json:"reason,omitempty"`
	Cause     event.Cause     `json:"cause,omitempty"`
	Count     int             `json:"count,omitempty"`
	Took      int64           `json:"took,omitempty"`
	Requested event.Time      `json:"requested,omitempty"`
	Started   event.Time      `json:"started,omitempty"`
	Finished  event.Time      `json:"finished,omitempty"`
}

// Snapshot returns the notebook in a JSON form that [Restore] reads. Equal
// notebooks have equal snapshots.
func (n *Notebook) Snapshot() ([]byte, error) {
	s := snapshot{
		Seq: n.seq, Title: n.title, Metadata: n.metadata, Cells: n.snapCells(), Runs: n.snapRuns(),
		snapshotTail: snapshotTail{Epoch: n.epoch, Files: n.files, Clients: n.clients.counters(), Owners: n.clients.owners()},
	}
	for _, t := range slices.Sorted(maps.Keys(n.runtimes)) {
		s.Runtimes = append(s.Runtimes, *n.runtimes[t])
	}
	for _, id := range n.Inputs() {
		s.Inputs = append(s.Inputs, *n.inputs[id])
	}
	for _, id := range n.Approvals() {
		s.Approvals = append(s.Approvals, *n.approvals[id])
	}
	for _, id := range n.Comms() {
		s.Comms = append(s.Comms, *n.comms.rows[id])
	}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		return nil, fmt.Errorf("snapshot: %w", err)
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), nil
}

// snapCells returns the cells in their order, and then the deleted ones by id.
func (n *Notebook) snapCells() []snapCell {
	ids := slices.Clone(n.order)
	var deleted []event.CellID
	for id, c := range n.cells {
		if c.Deleted {
			deleted = append(deleted, id)
		}
	}
	slices.Sort(deleted)
	cells := make([]snapCell, 0, len(n.cells))
	for _, id := range append(ids, deleted...) {
		cells = append(cells, n.snapCell(n.cells[id]))
	}
	return cells
}

func (n *Notebook) snapCell(c *Cell) snapCell {
	s := snapCell{
		ID: c.ID, Kind: c.Kind, Language: c.Language, Order: c.Order, Author: c.Author,
		Deleted: c.Deleted, Source: c.Source(), Rev: c.Rev,
		HideSource: c.HideSource, HideOutputs: c.HideOutputs, HideContext: c.HideContext,
		Metadata: c.Metadata, Run: c.Run, Began: c.Began, Count: c.Count, Clear: c.clear,
	}
	for _, id := range c.Outputs {
		o := n.outputs[id]
		s.Outputs = append(s.Outputs, snapOutput{ID: id, Run: o.Run, Late: o.Late, After: o.After, Value: o.Value()})
	}
	return s
}

func (n *Notebook) snapRuns() []snapRun {
	rest := make([]event.RunID, 0, len(n.runs))
	for id, r := range n.runs {
		if r.State == RunFinished {
			rest = append(rest, id)
		}
	}
	slices.Sort(rest)
	runs := make([]snapRun, 0, len(n.runs))
	for _, id := range append(slices.Clone(n.queue), rest...) {
		r := n.runs[id]
		runs = append(runs, snapRun{
			ID: r.ID, Cell: r.Cell, Batch: r.Batch, KeepGoing: r.KeepGoing, MayFail: r.MayFail, Allow: r.Allow, Actor: r.Actor,
			Source: r.Source, Rev: r.Rev, Language: r.Language, Takes: r.Takes, State: r.State, Epoch: r.Epoch,
			Cancelled: r.Cancelled, Status: r.Status, Exited: r.Exited, Offered: r.Offered, Reason: r.Reason, Cause: r.Cause, Count: r.Count, Took: r.Took,
			Requested: r.Requested, Started: r.Started, Finished: r.Finished,
		})
	}
	return runs
}

// Hash returns a digest of the state, FNV-1a of 128 bits, by which replicas compare their notebooks. It does not
// withstand an adversary.
func (n *Notebook) Hash() ([16]byte, error) {
	data, err := n.Snapshot()
	if err != nil {
		return [16]byte{}, err
	}
	var sum [16]byte
	h := fnv.New128a()
	_, _ = h.Write(data) // writing to a hash cannot fail
	h.Sum(sum[:0])
	return sum, nil
}

// Equal reports whether two notebooks are in the same state.
func Equal(a, b *Notebook) bool {
	x, errX := a.Hash()
	y, errY := b.Hash()
	return cmp.Or(errX, errY) == nil && x == y
}
