package notebook

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/text"
)

// Output is an output of a run of a cell. [Output.Value] returns its content.
type Output struct {
	ID   event.OutputID
	Cell event.CellID
	Run  event.RunID // empty for an imported output

	// Late says that it came after the end of its run.
	Late bool
	// After is the later run of the cell that had started when the output came, if any: this run then keeps it.
	After event.RunID

	value event.Output // without the text
	text  *text.Text   // of a stream or markdown, else nil

	token *token
}

// ShownOutputs returns the outputs of a cell to show. A cell that became text keeps the outputs of its code, and shows
// them again when it is code again.
func (c *Cell) ShownOutputs() []event.OutputID {
	if c.Kind == event.KindMarkdown || c.Kind == event.KindRaw {
		return nil
	}
	return c.Outputs
}

// Value returns the content of the output.
func (o *Output) Value() event.Output {
	v := o.value
	if o.text != nil {
		v.Text = o.text.String()
	}
	return v
}

// Len returns the length of a stream's or markdown's text in UTF-16 code units, without building the text.
func (o *Output) Len() int {
	if o.text == nil {
		return 0
	}
	return o.text.Len()
}

// Size returns about how many bytes of the log's state the output takes. Artifacts take none.
func (o *Output) Size() int { return int(o.size()) }

func (o *Output) size() int64 {
	n := int64(o.Len() + bundleSize(o.value.Data) + bundleSize(o.value.Metadata))
	if e := o.value.Error; e != nil {
		n += int64(len(e.Name) + len(e.Message))
		for _, line := range e.Trace {
			n += int64(len(line))
		}
	}
	return n
}

func bundleSize(m map[string]json.RawMessage) int {
	n := 0
	for key, raw := range m {
		n += len(key) + len(raw)
	}
	return n
}

// OutputSize returns about how many bytes of outputs the notebook holds in the memory of every replica, without those
// of the cell except, if that is not empty, and of deleted cells: no user can clear those.
func (n *Notebook) OutputSize(except event.CellID) int64 {
	size := n.outputSize
	for _, c := range n.cells {
		if !c.Deleted && c.ID != except {
			continue
		}
		for _, id := range c.Outputs {
			size -= n.outputs[id].size()
		}
	}
	return size
}

// Output returns an output, or nil if the notebook does not have it or dropped it.
func (n *Notebook) Output(id event.OutputID) *Output { return n.outputs[id] }

// ownOutput returns o if no clone shares it, else a copy in its place.
func (n *Notebook) ownOutput(o *Output) *Output {
	if o.token == n.token {
		return o
	}
	own := *o
	if o.text != nil {
		own.text = o.text.Clone()
	}
	own.token = n.token
	n.outputs[o.ID] = &own
	wrote(n, TableOutputs, o.ID)
	return &own
}

// foldOutputs folds an event of the family of outputs.
func (n *Notebook) foldOutputs(e *event.Event, dst []Change) (d []Change, known bool, err error) {
	switch p := e.Payload.(type) {
	case *event.OutputAppended:
		dst, err = n.outputAppended(p, dst)
	case *event.OutputAdded:
		dst, err = n.outputAdded(p, dst)
	case *event.OutputStored:
		dst, err = n.outputStored(p, dst)
	case *event.DisplayUpdated:
		dst, err = n.displayUpdated(p, dst)
	case *event.OutputsCleared:
		dst, err = n.outputsCleared(p, dst)
	case *event.CellOutputsCleared:
		dst, err = n.cellOutputsCleared(p, dst)
	case *event.OutputsImported:
		dst, err = n.outputsImported(p, e, dst)
	default:
		return dst, false, nil
	}
	return dst, true, err
}

func (n *Notebook) outputAdded(p *event.OutputAdded, dst []Change) ([]Change, error) {
	c, err := n.producingCell(p.Run, p.Epoch, p.Late)
	if err != nil {
		return dst, err
	}
	if n.outputs[p.Output] != nil {
		return dst, conflict("output %s exists already", p.Output)
	}
	c = n.ownCell(c)
	if c.clear != clearNone && p.Run == c.Began {
		dst = n.clearFor(p.Run, c, dst)
	}
	if id := p.Value.DisplayID; id != "" {
		dst = n.replaceDisplays(id, &p.Value, dst)
	}
	dst = n.addOutput(p.Output, p.Run, c, p.Value, dst)
	n.markLate(n.outputs[p.Output], c, p.Late != "")
	return dst, nil
}

// producingCell returns the cell of a run that may produce output: a run that goes on or, with the name of its cell, one
// that has ended and whose runtime still runs. The cell may be shared with a clone.
func (n *Notebook) producingCell(run event.RunID, epoch event.Epoch, late event.CellID) (*Cell, error) {
	if late == "" {
		r, err := n.heldRun(run, epoch, RunStarted)
		if err != nil {
			return nil, err
		}
		return n.cells[r.Cell], nil
	}
	c, r := n.cells[late], n.runs[run]
	switch {
	case c == nil:
		return nil, notFound("cell", late)
	case !n.isLive(epoch):
		return nil, conflict("epoch %d is that of no running runtime", epoch)
	case r != nil && r.Cell != late:
		return nil, invalid("run %s is of cell %s, not of %s", run, r.Cell, late)
	case r != nil && (r.State != RunFinished || r.Epoch != epoch):
		return nil, conflict("run %s has not ended under epoch %d", run, epoch)
	}
	return c, nil
}

// markLate records the lateness of an output that was added at the end of a cell. Late outputs of an earlier run come
// after those of the run that began last.
func (n *Notebook) markLate(o *Output, c *Cell, late bool) {
	if o.Late = late; late && c.Began != o.Run {
		o.After = c.Began
		return
	}
	last := len(c.Outputs) - 1
	at := last
	for at > 0 && n.outputs[c.Outputs[at-1]].After == c.Began && c.Began != "" {
		at--
	}
	copy(c.Outputs[at+1:], c.Outputs[at:last])
	c.Outputs[at] = o.ID
}

// addOutput appends an output to a cell.
func (n *Notebook) addOutput(id event.OutputID, run event.RunID, c *Cell, v event.Output, dst []Change) []Change {
	n.putOutput(id, run, c, &v)
	return changed(changed(dst, TableOutputs, id), TableCells, c.ID)
}

func (n *Notebook) putOutput(id event.OutputID, run event.RunID, c *Cell, v *event.Output) {
	o := &Output{ID: id, Cell: c.ID, Run: run, value: *v, token: n.token}
	if v.Kind == event.OutputStream || v.Kind == event.OutputMarkdown {
		o.text, o.value.Text = text.NewText(v.Text), ""
	}
	n.outputs[id] = o
	wrote(n, TableOutputs, id)
	n.outputSize += o.size()
	c.Outputs = append(c.Outputs, id)
	n.comms.addView(viewOf(v))
	if v.DisplayID != "" {
		n.displays[v.DisplayID] = append(slices.Clone(n.displays[v.DisplayID]), id)
	}
}

func (n *Notebook) outputAppended(p *event.OutputAppended, dst []Change) ([]Change, error) {
	c, err := n.producingCell(p.Run, p.Epoch, p.Late)
	if err != nil {
		return dst, err
	}
	o := n.outputs[p.Output]
	if o == nil || o.Run != p.Run {
		return dst, notFound("output of run "+string(p.Run)+" with the id", p.Output)
	}
	if c.isStale(o) {
		return dst, conflict("output %s is about to be replaced", p.Output)
	}
	if o.text == nil {
		return dst, invalid("output %s is %s, which has no text to append to", p.Output, o.value.Kind)
	}
	if p.Drop > o.text.Len() {
		return dst, invalid("output %s is shorter than the %d units to drop", p.Output, p.Drop)
	}
	o = n.ownOutput(o)
	before := o.Len()
	if err := o.text.Append(p.Drop, p.Text); err != nil {
		return dst, invalid("append to output %s: %v", p.Output, err)
	}
	n.outputSize += int64(o.Len() - before)
	return changed(dst, TableOutputs, o.ID), nil
}

// isStale reports whether the first output of the executing run removes an output of the cell.
func (c *Cell) isStale(o *Output) bool { return c.clear == clearRunEnd && o.After != c.Began }

func (n *Notebook) outputStored(p *event.OutputStored, dst []Change) ([]Change, error) {
	if _, err := n.producingCell(p.Run, p.Epoch, p.Late); err != nil {
		return dst, err
	}
	o := n.outputs[p.Output]
	if o == nil || o.Run != p.Run {
		return dst, notFound("output of run "+string(p.Run)+" with the id", p.Output)
	}
	o = n.ownOutput(o)
	artifacts := maps.Clone(o.value.Artifacts) // may be shared with a clone
	if artifacts == nil {
		artifacts = make(map[string]event.Artifact, len(p.Artifacts))
	}
	maps.Copy(artifacts, p.Artifacts)
	o.value.Artifacts = artifacts
	return changed(dst, TableOutputs, o.ID), nil
}

func (n *Notebook) displayUpdated(p *event.DisplayUpdated, dst []Change) ([]Change, error) {
	if _, err := n.producingCell(p.Run, p.Epoch, p.Late); err != nil {
		return dst, err
	}
	if len(n.displays[p.DisplayID]) == 0 {
		return dst, notFound("display", p.DisplayID)
	}
	v := event.Output{Data: p.Data, Artifacts: p.Artifacts, Metadata: p.Metadata}
	return n.replaceDisplays(p.DisplayID, &v, dst), nil
}

// replaceDisplays gives every output with a display id the content of v, in any cell.
func (n *Notebook) replaceDisplays(display string, v *event.Output, dst []Change) []Change {
	for _, id := range n.displays[display] {
		o := n.ownOutput(n.outputs[id])
		n.outputSize -= o.size()
		n.comms.removeView(viewOf(&o.value))
		n.comms.addView(viewOf(v))
		o.value.Data, o.value.Artifacts, o.value.Metadata = v.Data, v.Artifacts, v.Metadata
		n.outputSize += o.size()
		dst = changed(dst, TableOutputs, id)
	}
	return dst
}

func (n *Notebook) outputsCleared(p *event.OutputsCleared, dst []Change) ([]Change, error) {
	c, err := n.producingCell(p.Run, p.Epoch, p.Late)
	if err != nil {
		return dst, err
	}
	c = n.ownCell(c)
	switch {
	case p.Run != c.Began:
		return n.removeOutputs(c, func(o *Output) bool { return o.Run == p.Run && o.After == c.Began }, dst), nil
	case !p.Wait:
		return n.clearFor(p.Run, c, dst), nil
	case c.clear != clearNone || !n.hasClearable(c):
		return dst, nil
	}
	c.clear = clearWait
	return changed(dst, TableCells, c.ID), nil
}

// hasClearable reports whether a cell has outputs that the run which began last may remove.
func (n *Notebook) hasClearable(c *Cell) bool {
	return len(c.Outputs) > 0 && (c.Began == "" || n.outputs[c.Outputs[0]].After != c.Began)
}

func (n *Notebook) cellOutputsCleared(p *event.CellOutputsCleared, dst []Change) ([]Change, error) {
	cells := p.Cells
	if len(cells) == 0 {
		cells = n.order
	}
	found := false
	for _, id := range cells {
		if c := n.cells[id]; c != nil {
			c = n.ownCell(c)
			dst, found = n.clearOutputs(c, dst), true
			if p.Reset {
				dst = n.resetRun(c, dst)
			}
		}
	}
	if !found && len(cells) > 0 {
		return dst, notFound("cell", cells[0])
	}
	return dst, nil
}

// resetRun drops the count of a cell and its last run, unless that goes on.
func (n *Notebook) resetRun(c *Cell, dst []Change) []Change {
	c.Count = 0
	if r := n.runs[c.Run]; r != nil && r.State == RunFinished {
		dst = n.dropFinished(c.Run, dst)
		c.Run = ""
	}
	return changed(dst, TableCells, c.ID)
}

// clearOutputs removes all outputs of a cell now.
func (n *Notebook) clearOutputs(c *Cell, dst []Change) []Change {
	return n.removeOutputs(c, func(*Output) bool { return true }, dst)
}

// clearFor removes a cell's outputs for the run that began last, except late outputs of earlier runs that came since.
func (n *Notebook) clearFor(run event.RunID, c *Cell, dst []Change) []Change {
	return n.removeOutputs(c, func(o *Output) bool { return o.After != run }, dst)
}

// removeOutputs removes some of a cell's outputs, and any pending clearing.
func (n *Notebook) removeOutputs(c *Cell, which func(*Output) bool, dst []Change) []Change {
	var kept []event.OutputID
	for _, id := range c.Outputs {
		if !which(n.outputs[id]) {
			kept = append(kept, id)
			continue
		}
		n.dropOutput(id)
		dst = changed(dst, TableOutputs, id)
	}
	if len(kept) == len(c.Outputs) && c.clear == clearNone {
		return dst
	}
	c.Outputs, c.clear = kept, clearNone
	return changed(dst, TableCells, c.ID)
}

func (n *Notebook) dropOutput(id event.OutputID) {
	n.outputSize -= n.outputs[id].size()
	display := n.outputs[id].value.DisplayID
	n.comms.removeView(viewOf(&n.outputs[id].value))
	delete(n.outputs, id)
	wrote(n, TableOutputs, id)
	if display == "" {
		return
	}
	rest := slices.DeleteFunc(slices.Clone(n.displays[display]), func(o event.OutputID) bool { return o == id })
	if len(rest) == 0 {
		delete(n.displays, display)
		return
	}
	n.displays[display] = rest
}

func (n *Notebook) outputsImported(p *event.OutputsImported, e *event.Event, dst []Change) ([]Change, error) {
	c, err := n.cell(p.Cell)
	if err != nil {
		return dst, err
	}
	dst = n.clearOutputs(c, dst)
	c.Count = p.Count
	for i, v := range p.Outputs {
		id := event.OutputID(fmt.Sprintf("%s-%d-%d", e.ID.Client, e.ID.N, i))
		if n.outputs[id] == nil {
			dst = n.addOutput(id, "", c, v, dst)
		}
	}
	return changed(dst, TableCells, c.ID), nil
}
