package event

import "encoding/json"

// ApprovalID names one question whether a tool may be called.
type ApprovalID string

// ToolClass classifies tools by their effect, which decides whether a person is asked first.
type ToolClass string

// The classes of tools.
const (
	ToolReads   ToolClass = "reads"   // looks at the notebook
	ToolEdits   ToolClass = "edits"   // changes cells
	ToolRuns    ToolClass = "runs"    // executes code
	ToolOutside ToolClass = "outside" // acts on anything else
)

// ApprovalAsked says that an assistant asks to call a tool and waits for a
// person's answer.
type ApprovalAsked struct {
	Approval  ApprovalID      `json:"approval"`
	Run       RunID           `json:"run"`
	Epoch     Epoch           `json:"epoch"`
	Tool      string          `json:"tool"`
	Class     ToolClass       `json:"class"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
}

// Type returns ApprovalAsked.
func (*ApprovalAsked) Type() Type { return "ApprovalAsked" }

// Check requires ids, an epoch, a tool with its class and arguments in JSON.
func (e *ApprovalAsked) Check() error {
	return firstError(checkName("approval", string(e.Approval)), checkRunEpoch(e.Run, e.Epoch),
		checkText("tool", e.Tool, 1, MaxKey), checkJSON("arguments", e.Arguments),
		checkOneOf("class", e.Class, ToolReads, ToolEdits, ToolRuns, ToolOutside))
}

// Answer is the answer of a person to an [ApprovalAsked].
type Answer string

// The answers. AnswerAlways holds for the same tool in this notebook from then on.
const (
	AnswerOnce   Answer = "once"
	AnswerAlways Answer = "always"
	AnswerDenied Answer = "denied"
)

// ApprovalAnswered says how a person answered an approval. The first answer counts.
type ApprovalAnswered struct {
	Approval ApprovalID `json:"approval"`
	Answer   Answer     `json:"answer"`
}

// Type returns ApprovalAnswered.
func (*ApprovalAnswered) Type() Type { return "ApprovalAnswered" }

// Check requires an approval and one of the answers.
func (e *ApprovalAnswered) Check() error {
	return firstError(checkName("approval", string(e.Approval)),
		checkOneOf("answer", e.Answer, AnswerOnce, AnswerAlways, AnswerDenied))
}
