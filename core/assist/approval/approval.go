// Package approval decides which tool calls of assistants a person is asked for, by the policy of a notebook and the
// answers that people gave for always. Who may answer is left to package access.
package approval

import (
	"encoding/json"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
)

// Rule says what happens when a model calls a tool of some class.
type Rule string

// The rules.
const (
	Allow Rule = "allow" // the call is made
	Ask   Rule = "ask"   // a person is asked first
	Deny  Rule = "deny"  // the call is not made
)

// Policy has the rules of a notebook by class. A class that it lacks has the rule of [DefaultPolicy].
type Policy map[event.ToolClass]Rule

// DefaultPolicy returns the rules of a notebook that has none: reading is allowed, and all else is asked for.
func DefaultPolicy() Policy {
	return Policy{event.ToolReads: Allow, event.ToolEdits: Ask, event.ToolRuns: Ask, event.ToolOutside: Ask}
}

// PolicyOf returns the policy of a notebook. Rules that are unknown or cannot be read count as the strictest that
// leaves the assistant usable: a person is asked.
func PolicyOf(n *notebook.Notebook) Policy {
	policy := DefaultPolicy()
	raw, ok := n.Metadata()[access.ApprovalsKey]
	if !ok {
		return policy
	}
	var own map[event.ToolClass]Rule
	broken := json.Unmarshal(raw, &own) != nil
	for class := range policy {
		rule, ok := own[class]
		switch {
		case broken, ok && rule != Allow && rule != Deny:
			policy[class] = Ask
		case ok:
			policy[class] = rule
		}
	}
	if policy[event.ToolOutside] == Allow {
		policy[event.ToolOutside] = Ask // nothing outside is allowed as a class
	}
	return policy
}

// RuleFor returns the rule for a call: that of its class, or what a person answered for this tool and class for always,
// unless the class is denied.
func RuleFor(n *notebook.Notebook, tool string, class event.ToolClass) Rule {
	rule, ok := PolicyOf(n)[class]
	if !ok {
		return Ask
	}
	if rule != Ask {
		return rule
	}
	for _, id := range n.Approvals() {
		a := n.Approval(id)
		if a.Tool == tool && a.Class == class && a.Answer == event.AnswerAlways {
			return Allow
		}
	}
	return Ask
}
