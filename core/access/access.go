// Package access has the permissions in a notebook: roles, actions, and the one table that joins them. It decides
// nothing about a particular event's content; the room does, which also confines a runtime to its own runs.
package access

import (
	"slices"

	"github.com/quirehq/quire/core/event"
)

// Role is the permissions of a connection to a notebook. The empty role may do nothing.
type Role string

// The roles. Runtime and Assistant are not granted to people: a connection has one of them while it serves as a runtime,
// of code or of AI.
const (
	Owner     Role = "owner"
	Editor    Role = "editor"
	Runner    Role = "runner"
	Viewer    Role = "viewer"
	Runtime   Role = "runtime"
	Assistant Role = "assistant"
)

// Action is a class of operations on a notebook.
type Action string

// The actions.
const (
	Read    Action = "read"    // see the notebook and follow it
	Edit    Action = "edit"    // change cells, files and the notebook itself
	Run     Action = "run"     // request and cancel runs, answer a program's questions, call the runtime
	Approve Action = "approve" // answer an assistant's questions
	Execute Action = "execute" // append the events of a runtime
	Attach  Action = "attach"  // stop the runtime, and with Manage connect another
	Upload  Action = "upload"  // add artifacts
	Manage  Action = "manage"  // rename, share, delete and restore the notebook
)

// table has the actions of every role. No other rule grants any.
var table = map[Role][]Action{
	Owner:     {Read, Edit, Run, Approve, Attach, Upload, Manage},
	Editor:    {Read, Edit, Run, Approve, Attach, Upload},
	Runner:    {Read, Run, Upload},
	Viewer:    {Read},
	Runtime:   {Read, Execute, Upload},
	Assistant: {Read, Edit, Run, Execute, Upload},
}

// Actions returns the actions of a role.
func (r Role) Actions() []Action { return slices.Clone(table[r]) }

// May reports whether a role may do an action.
func (r Role) May(a Action) bool {
	return slices.Contains(table[r], a)
}

// AtLeast reports whether a role may see everything that the role least, one of people, may see. A runtime works for
// all of them, and may.
func (r Role) AtLeast(least Role) bool {
	of := slices.Index(Roles(), r)
	return r.Serves() || of >= 0 && of <= slices.Index(Roles(), least)
}

// Serves reports whether the role is that of a runtime, which no person has.
func (r Role) Serves() bool { return r == Runtime || r == Assistant }

// Serving returns the role of a connection that serves as a runtime of a kind.
func Serving(kind event.Takes) Role {
	if kind == event.TakesAI {
		return Assistant
	}
	return Runtime
}

// Valid reports whether r is a known role.
func (r Role) Valid() bool {
	_, ok := table[r]
	return ok
}

// Roles returns all roles: those of people, most permissions first, and those of runtimes.
func Roles() []Role { return []Role{Owner, Editor, Runner, Viewer, Runtime, Assistant} }

// ApprovalsKey is the key of a notebook's metadata that has the policy of its approvals.
const ApprovalsKey = "approvals"

// ActionFor returns the action that proposing an event needs: that of its type, but to approve, if it sets the policy of
// approvals. An assistant edits and does not approve, so it cannot change what it may do.
func ActionFor(p event.Payload) Action {
	if set, ok := p.(*event.NotebookMetadataSet); ok && set.Key == ApprovalsKey {
		return Approve
	}
	return ActionOf(p.Type())
}

// ActionOf returns the action that proposing an event of a type needs, empty if no member may propose it.
func ActionOf(t event.Type) Action {
	switch t {
	case "NotebookTitled":
		return Manage
	case "NotebookMetadataSet",
		"CellCreated", "SourceEdited", "CellKindChanged", "CellLanguageChanged", "CellMoved",
		"CellDeleted", "CellRestored", "CellVisibilitySet", "CellMetadataSet",
		"CellOutputsCleared", "OutputsImported", "FileAttached", "FileRemoved":
		return Edit
	case "RunRequested", "RunCancelled", "AllRunsCancelled", "InputAnswered":
		return Run
	case "ApprovalAnswered":
		return Approve
	case "RuntimeStarted", "RuntimeReady", "RuntimeStopped",
		"RunAssigned", "RunStarted", "RunFinished", "SourceOffered", "InputAsked", "InputClosed",
		"OutputAdded", "OutputAppended", "OutputStored", "DisplayUpdated", "OutputsCleared", "ApprovalAsked",
		"CommOpened", "CommUpdated", "CommSent", "CommClosed", "CommsLost":
		return Execute
	}
	return ""
}
