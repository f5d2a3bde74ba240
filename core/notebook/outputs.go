package notebook

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/text"
)

// Output is something that a run of a cell produced. Use [Output.Value] for what.
type Output struct {
	ID   event.OutputID
	Cell event.CellID
	Run  event.RunID // empty for an output that came with a file

	value event.Output // without the text
	text  *text.Text   // of a stream or markdown, else nil

	token *token
}

// Value returns the output itself.
func (o *Output) Value() event.Output {
	v := o.value
	if o.text != nil {
		v.Text = o.text.String()
	}
	return v
}

// Len returns the length of a stream's or markdown's text in UTF-16 code units,
// without the price of the text.
func (o *Output) Len() int {
	if o.text == nil {
		return 0
	}
	return o.text.Len()
}

// size returns about how many bytes of the log's state the output takes: what lies in
// artifacts takes none.
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

// OutputSize returns about how many bytes of outputs the notebook itself holds, in the
// log's state and in everybody's memory, without those of one cell, if it is named, and of
// cells that are deleted: those nobody can clear.
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

// Output returns an output, or nil if the notebook has it no more.
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
	return &own
}

func (n *Notebook) outputAdded(p *event.OutputAdded, dst []Change) ([]Change, error) {
	r, err := n.heldRun(p.Run, p.Epoch, RunStarted)
	if err != nil {
		return dst, err
	}
	if n.outputs[p.Output] != nil {
		return dst, conflict("output %s exists already", p.Output)
	}
	c := n.ownCell(n.cells[r.Cell])
	if c.clear != clearNone {
		dst = n.clearOutputs(c, dst)
	}
	if id := p.Value.DisplayID; id != "" {
		dst = n.replaceDisplays(id, &p.Value, dst)
	}
	return n.addOutput(p.Output, p.Run, c, p.Value, dst), nil
}

// addOutput puts an output at the end of a cell's.
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
	n.outputSize += o.size()
	c.Outputs = append(c.Outputs, id)
	n.comms.showView(viewOf(v))
	if v.DisplayID != "" {
		n.displays[v.DisplayID] = append(slices.Clone(n.displays[v.DisplayID]), id)
	}
}

func (n *Notebook) outputAppended(p *event.OutputAppended, dst []Change) ([]Change, error) {
	if _, err := n.heldRun(p.Run, p.Epoch, RunStarted); err != nil {
		return dst, err
	}
	o := n.outputs[p.Output]
	if o == nil || o.Run != p.Run {
		return dst, notFound("output of run "+string(p.Run)+" with the id", p.Output)
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

func (n *Notebook) outputStored(p *event.OutputStored, dst []Change) ([]Change, error) {
	if _, err := n.heldRun(p.Run, p.Epoch, RunStarted); err != nil {
		return dst, err
	}
	o := n.outputs[p.Output]
	if o == nil || o.Run != p.Run {
		return dst, notFound("output of run "+string(p.Run)+" with the id", p.Output)
	}
	o = n.ownOutput(o)
	artifacts := maps.Clone(o.value.Artifacts) // which a clone may have too
	if artifacts == nil {
		artifacts = make(map[string]event.Artifact, len(p.Artifacts))
	}
	maps.Copy(artifacts, p.Artifacts)
	o.value.Artifacts = artifacts
	return changed(dst, TableOutputs, o.ID), nil
}

func (n *Notebook) displayUpdated(p *event.DisplayUpdated, dst []Change) ([]Change, error) {
	if _, err := n.heldRun(p.Run, p.Epoch, RunStarted); err != nil {
		return dst, err
	}
	if len(n.displays[p.DisplayID]) == 0 {
		return dst, notFound("display", p.DisplayID)
	}
	v := event.Output{Data: p.Data, Artifacts: p.Artifacts, Metadata: p.Metadata}
	return n.replaceDisplays(p.DisplayID, &v, dst), nil
}

// replaceDisplays gives every output with a display id the content of v, in
// whichever cell it is.
func (n *Notebook) replaceDisplays(display string, v *event.Output, dst []Change) []Change {
	for _, id := range n.displays[display] {
		o := n.ownOutput(n.outputs[id])
		n.outputSize -= o.size()
		n.comms.hideView(viewOf(&o.value))
		n.comms.showView(viewOf(v))
		o.value.Data, o.value.Artifacts, o.value.Metadata = v.Data, v.Artifacts, v.Metadata
		n.outputSize += o.size()
		dst = changed(dst, TableOutputs, id)
	}
	return dst
}

func (n *Notebook) outputsCleared(p *event.OutputsCleared, dst []Change) ([]Change, error) {
	r, err := n.heldRun(p.Run, p.Epoch, RunStarted)
	if err != nil {
		return dst, err
	}
	c := n.ownCell(n.cells[r.Cell])
	if !p.Wait {
		return n.clearOutputs(c, dst), nil
	}
	if c.clear != clearNone || len(c.Outputs) == 0 {
		return dst, nil
	}
	c.clear = clearWait
	return changed(dst, TableCells, c.ID), nil
}

func (n *Notebook) cellOutputsCleared(p *event.CellOutputsCleared, dst []Change) ([]Change, error) {
	cells := p.Cells
	if len(cells) == 0 {
		cells = n.order
	}
	found := false
	for _, id := range cells {
		if c := n.cells[id]; c != nil {
			dst, found = n.clearOutputs(n.ownCell(c), dst), true
		}
	}
	if !found && len(cells) > 0 {
		return dst, notFound("cell", cells[0])
	}
	return dst, nil
}

// clearOutputs takes a cell's outputs away now.
func (n *Notebook) clearOutputs(c *Cell, dst []Change) []Change {
	if len(c.Outputs) == 0 {
		return dst
	}
	for _, id := range c.Outputs {
		n.dropOutput(id)
		dst = changed(dst, TableOutputs, id)
	}
	c.Outputs, c.clear = nil, clearNone
	return changed(dst, TableCells, c.ID)
}

func (n *Notebook) dropOutput(id event.OutputID) {
	n.outputSize -= n.outputs[id].size()
	display := n.outputs[id].value.DisplayID
	n.comms.hideView(viewOf(&n.outputs[id].value))
	delete(n.outputs, id)
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
