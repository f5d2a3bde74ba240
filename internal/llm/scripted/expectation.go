package scripted

import (
	"fmt"
	"slices"
	"strings"

	"github.com/quirehq/quire/core/assist"
)

// Expectation is what a request must have. A member that is empty expects nothing.
type Expectation struct {
	Model  string     `json:"model"`  // its name
	System string     `json:"system"` // a part of the instructions
	Tools  []string   `json:"tools"`  // names that are among those of the tools
	Any    string     `json:"any"`    // a part of the text of any message
	Last   *LastMatch `json:"last"`   // the last message
}

// LastMatch is what the last message of a request must be.
type LastMatch struct {
	Role   assist.Role `json:"role"`
	Text   string      `json:"text"`   // a part of it
	Failed *bool       `json:"failed"` // of a tool
	CallID string      `json:"callId"` // of a tool
	Images *int        `json:"images"` // their number
}

// fault says what a request lacks, empty if it has all.
func (e Expectation) fault(r assist.Request) string {
	if e.Model != "" && e.Model != r.Model {
		return fmt.Sprintf("its model is %q, not %q", r.Model, e.Model)
	}
	if !strings.Contains(r.System, e.System) {
		return fmt.Sprintf("its instructions lack %q: %s", e.System, shown(r.System))
	}
	for _, name := range e.Tools {
		if !slices.ContainsFunc(r.Tools, func(t assist.Tool) bool { return t.Name == name }) {
			return fmt.Sprintf("it has no tool %q", name)
		}
	}
	if e.Any != "" && !slices.ContainsFunc(r.Messages, func(m assist.Message) bool { return strings.Contains(m.Text, e.Any) }) {
		return fmt.Sprintf("none of its messages has %q", e.Any)
	}
	if e.Last == nil {
		return ""
	}
	if len(r.Messages) == 0 {
		return "it has no messages"
	}
	return e.Last.fault(r.Messages[len(r.Messages)-1])
}

func (l LastMatch) fault(m assist.Message) string {
	switch {
	case l.Role != "" && l.Role != m.Role:
		return fmt.Sprintf("its last message is of the %s, not of the %s", m.Role, l.Role)
	case !strings.Contains(m.Text, l.Text):
		return fmt.Sprintf("its last message lacks %q: %s", l.Text, shown(m.Text))
	case l.Failed != nil && *l.Failed != m.Failed:
		return fmt.Sprintf("failed is %v in its last message: %s", m.Failed, shown(m.Text))
	case l.CallID != "" && l.CallID != m.CallID:
		return fmt.Sprintf("its last message answers the call %q, not %q", m.CallID, l.CallID)
	case l.Images != nil && *l.Images != len(m.Images):
		return fmt.Sprintf("its last message has %d images, not %d", len(m.Images), *l.Images)
	}
	return ""
}

// shown returns a text for a failure, shortened.
func shown(text string) string {
	const most = 300 // letters
	if runes := []rune(text); len(runes) > most {
		text = string(runes[:most]) + "…"
	}
	return fmt.Sprintf("%q", text)
}
