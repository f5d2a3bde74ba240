package event

import (
	"encoding/json"
	"fmt"
)

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
	// Diff is what the call would change in a source, as lines that begin with a space, a minus or a plus.
	Diff string `json:"diff,omitempty"`
	// Wait is how long the assistant waits for the answer, in milliseconds from the time of this event; 0 if it does not
	// say. After that the call is not made.
	Wait int64 `json:"wait,omitempty"`
}

// Type returns ApprovalAsked.
func (*ApprovalAsked) Type() Type { return "ApprovalAsked" }

// Check requires ids, an epoch, a tool with its class, arguments in JSON and no negative wait.
func (e *ApprovalAsked) Check() error {
	if e.Wait < 0 {
		return fmt.Errorf("wait: want no negative number, got %d", e.Wait)
	}
	return firstError(checkName("approval", string(e.Approval)), checkRunEpoch(e.Run, e.Epoch),
		checkText("tool", e.Tool, 1, MaxKey), checkText("diff", e.Diff, 0, len(e.Diff)), checkJSON("arguments", e.Arguments),
		checkOneOf("class", e.Class, ToolReads, ToolEdits, ToolRuns, ToolOutside))
}

// Answer is the answer of a person to an [ApprovalAsked].
type Answer string

// The answers. AnswerAlways holds for the same tool of the same class in this notebook from then on.
const (
	AnswerOnce   Answer = "once"
	AnswerAlways Answer = "always"
	AnswerDenied Answer = "denied"
)

// MaxReason is the longest reason of a denial, in bytes.
const MaxReason = 4_000

// ApprovalAnswered says how a person answered an approval. The first answer counts.
type ApprovalAnswered struct {
	Approval ApprovalID `json:"approval"`
	Answer   Answer     `json:"answer"`
	// Reason says why a person denied it; the model gets it.
	Reason string `json:"reason,omitempty"`
}

// Type returns ApprovalAnswered.
func (*ApprovalAnswered) Type() Type { return "ApprovalAnswered" }

// Check requires an approval and one of the answers, and allows a reason of up to [MaxReason] bytes only of a denial.
func (e *ApprovalAnswered) Check() error {
	if e.Reason != "" && e.Answer != AnswerDenied {
		return fmt.Errorf("reason: it is said of a denial, and this answer is %s", e.Answer)
	}
	return firstError(checkName("approval", string(e.Approval)), checkText("reason", e.Reason, 0, MaxReason),
		checkOneOf("answer", e.Answer, AnswerOnce, AnswerAlways, AnswerDenied))
}
