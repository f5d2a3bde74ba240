package notebook

import (
	"maps"
	"slices"

	"github.com/quirehq/quire/core/event"
)

// Input is a request of a running program for input. It is kept until the run is finished.
type Input struct {
	ID       event.InputID `json:"id"`
	Run      event.RunID   `json:"run"`
	Prompt   string        `json:"prompt,omitempty"`
	Secret   bool          `json:"secret,omitempty"`
	Answered bool          `json:"answered,omitempty"`
	Closed   bool          `json:"closed,omitempty"` // no event answers it any more
	Value    string        `json:"value,omitempty"`  // never that of a secret
}

// Open reports whether the program still waits for the answer.
func (in *Input) Open() bool { return !in.Answered && !in.Closed }

// Input returns a request for input, or nil.
func (n *Notebook) Input(id event.InputID) *Input { return n.inputs[id] }

// Inputs returns the ids of the requests for input, sorted.
func (n *Notebook) Inputs() []event.InputID { return slices.Sorted(maps.Keys(n.inputs)) }

// foldInputs folds an event of the family of requests for input.
func (n *Notebook) foldInputs(e *event.Event, dst []Change) (d []Change, known bool, err error) {
	switch p := e.Payload.(type) {
	case *event.InputAsked:
		dst, err = n.inputAsked(p, dst)
	case *event.InputAnswered:
		dst, err = n.inputAnswered(p, dst)
	case *event.InputClosed:
		dst, err = n.inputClosed(p, dst)
	default:
		return dst, false, nil
	}
	return dst, true, err
}

func (n *Notebook) inputAsked(p *event.InputAsked, dst []Change) ([]Change, error) {
	if _, err := n.heldRun(p.Run, p.Epoch, RunStarted); err != nil {
		return dst, err
	}
	if n.inputs[p.Input] != nil {
		return dst, conflict("input %s was asked already", p.Input)
	}
	n.inputs[p.Input] = &Input{ID: p.Input, Run: p.Run, Prompt: p.Prompt, Secret: p.Secret}
	return changed(dst, TableInputs, p.Input), nil
}

func (n *Notebook) inputAnswered(p *event.InputAnswered, dst []Change) ([]Change, error) {
	in, err := n.openInput(p.Input)
	if err != nil {
		return dst, err
	}
	if in.Secret {
		return dst, invalid("input %s is secret: its answer goes to the runtime in a call, and into no event", p.Input)
	}
	own := *in
	own.Answered, own.Value = true, p.Value
	n.inputs[p.Input] = &own
	return changed(dst, TableInputs, p.Input), nil
}

func (n *Notebook) inputClosed(p *event.InputClosed, dst []Change) ([]Change, error) {
	in, err := n.openInput(p.Input)
	if err != nil {
		return dst, err
	}
	if _, err := n.heldRun(in.Run, p.Epoch, RunStarted); err != nil {
		return dst, err
	}
	if p.Answered && !in.Secret {
		return dst, invalid("input %s is no secret: only an InputAnswered answers it", p.Input)
	}
	own := *in
	own.Answered, own.Closed = p.Answered, true
	n.inputs[p.Input] = &own
	return changed(dst, TableInputs, p.Input), nil
}

// openInput returns a request for input that the program still waits for. It may be shared with a clone.
func (n *Notebook) openInput(id event.InputID) (*Input, error) {
	in := n.inputs[id]
	switch {
	case in == nil:
		return nil, notFound("input that is waited for", id)
	case in.Answered:
		return nil, conflict("input %s was answered already", id)
	case in.Closed:
		return nil, conflict("input %s is not waited for any more", id)
	}
	return in, nil
}

// dropInputs drops the requests for input of a finished run.
func (n *Notebook) dropInputs(run event.RunID, dst []Change) []Change {
	if len(n.inputs) == 0 {
		return dst
	}
	for _, id := range n.Inputs() {
		if n.inputs[id].Run == run {
			delete(n.inputs, id)
			dst = changed(dst, TableInputs, id)
		}
	}
	return dst
}
