package access_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
)

// actions is every action, in the order of the columns of spec/access.md.
func actions() []access.Action {
	return []access.Action{
		access.Read, access.Edit, access.Run, access.Approve, access.Execute, access.Attach, access.Upload, access.Manage,
	}
}

// granted repeats the table of spec/access.md, so that a change of the table in the code must be deliberate.
func granted() map[access.Role]string {
	return map[access.Role]string{
		//             read edit run approve execute attach upload manage
		access.Owner:     "yes yes yes yes no yes yes yes",
		access.Editor:    "yes yes yes yes no yes yes no",
		access.Runner:    "yes no yes no no no yes no",
		access.Viewer:    "yes no no no no no no no",
		access.Runtime:   "yes no no no yes no yes no",
		access.Assistant: "yes yes yes no yes no yes no",
		"":               "no no no no no no no no",
		"admin":          "no no no no no no no no",
		"Owner":          "no no no no no no no no",
	}
}

// row returns the permissions of a role in the form of granted.
func row(r access.Role) string {
	var cells []byte
	for i, a := range actions() {
		if i > 0 {
			cells = append(cells, ' ')
		}
		if r.May(a) {
			cells = append(cells, "yes"...)
		} else {
			cells = append(cells, "no"...)
		}
	}
	return string(cells)
}

func TestAC2EveryRoleMayDoWhatTheTableSaysAndNothingElse(t *testing.T) {
	for role, want := range granted() {
		if got := row(role); got != want {
			t.Errorf("%q: got %s, want %s", role, got, want)
		}
	}
}

func TestAC1NoRoleMayDoAnActionThatIsNone(t *testing.T) {
	for role := range granted() {
		for _, a := range []access.Action{"", "Read", "delete"} {
			if role.May(a) {
				t.Errorf("%q may %q, want not", role, a)
			}
		}
	}
}

func TestAC1OnlyTheRolesAreRoles(t *testing.T) {
	want := []access.Role{access.Owner, access.Editor, access.Runner, access.Viewer, access.Runtime, access.Assistant}
	if diff := cmp.Diff(want, access.Roles()); diff != "" {
		t.Errorf("Roles (-want +got):\n%s", diff)
	}
	for role := range granted() {
		if got, want := role.Valid(), slices.Contains(want, role); got != want {
			t.Errorf("%q: got valid %t, want %t", role, got, want)
		}
	}
}

func TestAC2TheActionsOfARoleAreThoseThatItMay(t *testing.T) {
	for _, r := range append(access.Roles(), "", "admin") {
		var want []access.Action
		for _, a := range actions() {
			if r.May(a) {
				want = append(want, a)
			}
		}
		if diff := cmp.Diff(want, r.Actions(), cmpopts.SortSlices(strings.Compare), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%q (-want +got):\n%s", r, diff)
		}
	}
}

// statedWith has the action that each type of event needs, as in spec/access.md.
func statedWith() map[access.Action][]event.Type {
	return map[access.Action][]event.Type{
		access.Manage: {"NotebookTitled"},
		access.Edit: {
			"NotebookMetadataSet", "CellCreated", "SourceEdited", "CellKindChanged", "CellLanguageChanged", "CellMoved",
			"CellDeleted", "CellRestored", "CellVisibilitySet", "CellMetadataSet", "CellOutputsCleared", "OutputsImported",
			"FileAttached", "FileRemoved",
		},
		access.Run:     {"RunRequested", "RunCancelled", "AllRunsCancelled", "InputAnswered"},
		access.Approve: {"ApprovalAnswered"},
		access.Execute: {
			"RuntimeStarted", "RuntimeReady", "RuntimeStopped", "RunAssigned", "RunStarted", "RunFinished", "SourceOffered", "InputAsked", "InputClosed",
			"OutputAdded", "OutputAppended", "OutputStored", "DisplayUpdated", "OutputsCleared", "ApprovalAsked",
			"CommOpened", "CommUpdated", "CommSent", "CommClosed", "CommsLost",
		},
	}
}

func TestAC3EveryEventTypeNeedsTheActionOfTheTable(t *testing.T) {
	want := map[event.Type]access.Action{}
	for action, types := range statedWith() {
		for _, typ := range types {
			want[typ] = action
		}
	}
	got := map[event.Type]access.Action{}
	for _, typ := range event.Types() {
		if got[typ] = access.ActionOf(typ); got[typ] == "" {
			t.Errorf("%s: nobody may state it", typ)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAC4NobodyMayStateATypeThatIsUnknown(t *testing.T) {
	for _, typ := range []event.Type{"", "CellPainted", "cellCreated", "CellCreated "} {
		if got := access.ActionOf(typ); got != "" {
			t.Errorf("%q: got action %q, want none", typ, got)
		}
		for _, role := range access.Roles() {
			if role.May(access.ActionOf(typ)) {
				t.Errorf("%s may state %q, want nobody to", role, typ)
			}
		}
	}
}

func TestAC5AViewerCanStateNothing(t *testing.T) {
	for _, typ := range event.Types() {
		if access.Viewer.May(access.ActionOf(typ)) {
			t.Errorf("a viewer may state %s", typ)
		}
	}
}

func TestAC6PeopleCannotStateWhatARuntimeStatesNorItWhatTheyDo(t *testing.T) {
	for _, typ := range event.Types() {
		action := access.ActionOf(typ)
		runtime := access.Runtime.May(action)
		for _, role := range []access.Role{access.Owner, access.Editor, access.Runner} {
			if role.May(action) && runtime {
				t.Errorf("%s: both %s and runtime may state it", typ, role)
			}
		}
	}
}

func TestAC2AskingForPermissionAllocatesNothing(t *testing.T) {
	got := testing.AllocsPerRun(100, func() {
		if !access.Editor.May(access.ActionOf("SourceEdited")) {
			t.Fatal("an editor may not edit")
		}
	})
	if got != 0 {
		t.Errorf("got %v allocations, want none", got)
	}
}

func TestAC63ARoleSeesWhatOneThatMayDoLessDoes(t *testing.T) {
	people := []access.Role{access.Viewer, access.Runner, access.Editor, access.Owner}
	for i, role := range people {
		for j, least := range people {
			if got := role.AtLeast(least); got != (i >= j) {
				t.Errorf("%s at least %s: got %v", role, least, got)
			}
			if !access.Runtime.AtLeast(least) || !access.Assistant.AtLeast(least) || access.Role("").AtLeast(least) || access.Role("admin").AtLeast(least) {
				t.Errorf("at least %s: a runtime is not, or what is no role is", least)
			}
		}
	}
}

func TestAC9EachKindOfRuntimesHasARoleThatNoPersonHas(t *testing.T) {
	roles := map[event.Takes]access.Role{event.TakesCode: access.Runtime, event.TakesAI: access.Assistant, "": access.Runtime}
	for kind, want := range roles {
		if got := access.Serving(kind); got != want {
			t.Errorf("%q: got %s, want %s", kind, got, want)
		}
	}
	for _, role := range access.Roles() {
		if got, want := role.Serves(), role == access.Runtime || role == access.Assistant; got != want {
			t.Errorf("%s: got that it serves %t, want %t", role, got, want)
		}
	}
}

func TestAS33ThePolicyOfApprovalsIsSetByWhomMayApprove(t *testing.T) {
	for key, want := range map[string]access.Action{access.ApprovalsKey: access.Approve, "kernelspec": access.Edit} {
		if got := access.ActionFor(&event.NotebookMetadataSet{Key: key}); got != want {
			t.Errorf("%s: got %s, want %s", key, got, want)
		}
	}
}
