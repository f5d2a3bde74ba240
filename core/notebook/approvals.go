package notebook

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/quirehq/quire/core/event"
)

// Approval is the question of an assistant whether it may call a tool.
type Approval struct {
	ID        event.ApprovalID `json:"id"`
	Run       event.RunID      `json:"run"`
	Tool      string           `json:"tool"`
	Class     event.ToolClass  `json:"class"`
	Arguments json.RawMessage  `json:"arguments,omitempty"`
	Diff      string           `json:"diff,omitempty"`
	Wait      int64            `json:"wait,omitempty"` // milliseconds from Asked, 0 if unknown
	Asked     event.Time       `json:"asked,omitempty"`
	Answer    event.Answer     `json:"answer,omitempty"` // empty until a person answers
	Reason    string           `json:"reason,omitempty"` // of a denial
	Actor     event.Actor      `json:"actor,omitempty"`  // who answered
}

// Approval returns a question of an assistant, or nil.
func (n *Notebook) Approval(id event.ApprovalID) *Approval { return n.approvals[id] }

// Approvals returns the ids of all questions of assistants, sorted.
func (n *Notebook) Approvals() []event.ApprovalID { return slices.Sorted(maps.Keys(n.approvals)) }

// foldApprovals folds an event of the family of approvals.
func (n *Notebook) foldApprovals(e *event.Event, dst []Change) (d []Change, known bool, err error) {
	switch p := e.Payload.(type) {
	case *event.ApprovalAsked:
		dst, err = n.approvalAsked(p, e, dst)
	case *event.ApprovalAnswered:
		dst, err = n.approvalAnswered(p, e, dst)
	default:
		return dst, false, nil
	}
	return dst, true, err
}

func (n *Notebook) approvalAsked(p *event.ApprovalAsked, e *event.Event, dst []Change) ([]Change, error) {
	if _, err := n.heldRun(p.Run, p.Epoch, RunStarted); err != nil {
		return dst, err
	}
	if n.approvals[p.Approval] != nil {
		return dst, conflict("approval %s was asked already", p.Approval)
	}
	n.approvals[p.Approval] = &Approval{
		ID: p.Approval, Run: p.Run, Tool: p.Tool, Class: p.Class, Arguments: p.Arguments, Diff: p.Diff, Wait: p.Wait, Asked: e.Time,
	}
	return changed(dst, TableApprovals, p.Approval), nil
}

func (n *Notebook) approvalAnswered(p *event.ApprovalAnswered, e *event.Event, dst []Change) ([]Change, error) {
	a := n.approvals[p.Approval]
	if a == nil {
		return dst, notFound("approval", p.Approval)
	}
	if a.Answer != "" {
		return dst, conflict("approval %s was answered already", p.Approval)
	}
	own := *a
	own.Answer, own.Reason, own.Actor = p.Answer, p.Reason, e.Actor
	n.approvals[p.Approval] = &own
	return changed(dst, TableApprovals, p.Approval), nil
}
