package tool_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/replica"
	"github.com/quirehq/quire/core/text"
	"github.com/quirehq/quire/core/tool"
	"github.com/quirehq/quire/core/tool/tooltest"
)

// agent is an agent outside, in a world.
type agent struct {
	*tooltest.World
	set     *tool.Set
	session *replica.Session
}

// inWorld runs a test with an agent outside that is an editor.
func inWorld(t *testing.T, f func(t *testing.T, w agent)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w, end := tooltest.Open(t)
		defer end()
		session := w.Join("bot", access.Editor)
		f(t, agent{w, tool.New(tool.Config{Session: session, NewID: w.NewID, Point: tool.PointBy(session, "Bot")}), session})
	})
}

// call calls a tool, and wants it to work.
func (w agent) call(name, arguments string) tool.Result {
	w.T.Helper()
	w.Sync(w.session)
	result, err := w.set.Call(w.Ctx, name, json.RawMessage(arguments))
	w.Sync(w.session)
	if err != nil || result.Failed {
		w.T.Fatalf("%s %s: got %q, %v", name, arguments, result.Text, err)
	}
	return result
}

// refused calls a tool, and wants it to fail with words.
func (w agent) refused(name, arguments, want string) {
	w.T.Helper()
	w.Sync(w.session)
	result, err := w.set.Call(w.Ctx, name, json.RawMessage(arguments))
	w.Sync(w.session)
	if err != nil || !result.Failed || !strings.Contains(result.Text, want) {
		w.T.Errorf("%s %s: got %v %q, %v, want a failure with %q", name, arguments, result.Failed, result.Text, err, want)
	}
}

func contains(t *testing.T, got string, want ...string) {
	t.Helper()
	for _, part := range want {
		if !strings.Contains(got, part) {
			t.Errorf("got %q, which lacks %q", got, part)
		}
	}
}

func TestAS1EachToolHasADescriptionAndAStrictSchema(t *testing.T) {
	for _, one := range tool.Tools() {
		var schema struct {
			Type       string
			Properties map[string]struct{ Description string }
			Additional *bool `json:"additionalProperties"`
		}
		if err := json.Unmarshal(one.Parameters, &schema); err != nil {
			t.Fatal(err)
		}
		if one.Description == "" || schema.Type != "object" || schema.Additional == nil || *schema.Additional {
			t.Errorf("%s: got the description %q and the schema %s", one.Name, one.Description, one.Parameters)
		}
		for name, p := range schema.Properties {
			if p.Description == "" {
				t.Errorf("%s: the argument %s has no description", one.Name, name)
			}
		}
	}
}

func TestAS2MalformedArgumentsAreNamedToTheModel(t *testing.T) {
	inWorld(t, func(_ *testing.T, w agent) {
		for _, test := range []struct{ name, arguments, want string }{
			{"create_cell", `{}`, `create_cell needs the argument "source"`},
			{"create_cell", `{"source":null}`, `create_cell needs the argument "source"`},
			{"create_cell", `{"source":"1","position":2}`, `create_cell has no argument "position"; it takes source (needed), kind, language, after`},
			{"create_cell", `{"source":1}`, `the argument "source" must be a text`},
			{"create_cell", `{"source":"1","kind":"ai"}`, `must be one of code, markdown, sql, raw`},
			{"create_cell", `{"source":"1`, `are not a JSON object`},
			{"create_cell", `{"source":"1"} x`, `are not a JSON object`},
			{"create_cell", `["source"]`, `are not a JSON object`},
			{"list_cells", `{"all":true}`, `list_cells has no argument "all"; it takes none`},
			{"run_cell", `{"cell":"x","timeout":1.5}`, `the argument "timeout" must be a whole number`},
			{"install_package", `{"packages":[]}`, `at least one`},
			{"format_disk", `{}`, `there is no tool "format_disk"; the tools are list_cells`},
		} {
			w.refused(test.name, test.arguments, test.want)
		}
		if got := len(w.call("list_cells", "").Text); got == 0 {
			w.T.Error("no arguments at all are an empty object")
		}
	})
}

func TestAS3CellsAreNamedByIDAndPlacedBehindOthers(t *testing.T) {
	inWorld(t, func(t *testing.T, w agent) {
		first, last := w.Cell(event.KindMarkdown, "# Tides"), w.Cell(event.KindCode, "print tide")
		contains(t, w.call("create_cell", `{"source":"print a","after":"`+string(first)+`"}`).Text, "created cell ")
		w.call("create_cell", `{"source":"print b"}`) // behind its own last
		w.call("create_cell", `{"source":"top","kind":"markdown","after":"start"}`)
		w.call("move_cell", `{"cell":"`+string(last)+`","after":"start"}`)
		w.refused("create_cell", `{"source":"x","after":"gone"}`, `there is no cell "gone"; list_cells has the ids`)
		var sources []string
		w.See(func(n *notebook.Notebook) {
			for _, id := range n.Cells() {
				sources = append(sources, n.Cell(id).Source())
			}
		})
		if got, want := strings.Join(sources, "|"), "print tide|top|# Tides|print a|print b"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		w.call("delete_cell", `{"cell":"`+string(first)+`"}`)
		w.refused("read_cell", `{"cell":"`+string(first)+`"}`, "was deleted")
		contains(t, w.call("list_cells", `{}`).Text, "4 cells", string(last)+" code python, 1 lines: print tide")
	})
}

func TestAS4AnEditReplacesATextThatIsThereOnce(t *testing.T) {
	inWorld(t, func(t *testing.T, w agent) {
		cell := w.Cell(event.KindCode, "a = 1 # 🌊", "b = 1")
		at := `{"cell":"` + string(cell) + `",`
		w.refused("edit_cell", at+`"old":"c","new":"d"}`, "is not in the source, which is now:\na = 1")
		w.refused("edit_cell", at+`"old":"= 1","new":"d"}`, "2 times")
		w.refused("edit_cell", at+`"old":"","new":"d"}`, "is empty")
		w.refused("edit_cell", at+`"old":"b = 1","new":"b = 1"}`, "are equal")
		w.call("edit_cell", at+`"old":"b = 1","new":"b = 2"}`)
		if got, want := w.Source(cell), "a = 1 # 🌊\nb = 2"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		err := w.Person.Wait(w.Ctx, func(r *replica.Replica) bool {
			for _, p := range r.Peers() {
				if p.Presence.Name == "Bot" && p.Presence.Cell == cell && p.Presence.Head == text.UTF16Len("a = 1 # 🌊\nb = 2") {
					return true
				}
			}
			return false
		})
		if err != nil {
			t.Errorf("the agent's caret never stood behind its edit: %v", err)
		}
	})
}

func TestAS5AWholeSourceIsMergedWithWhatOthersTyped(t *testing.T) {
	inWorld(t, func(t *testing.T, w agent) {
		cell := w.Cell(event.KindCode, "one", "two", "three")
		write := `{"cell":"` + string(cell) + `","source":"one\ntwo\nTHREE"}`
		w.refused("write_cell", write, "read cell")
		w.call("read_cell", `{"cell":"`+string(cell)+`"}`)
		_ = w.Person.With(func(r *replica.Replica) error {
			_, _, err := r.Edit(cell, text.Insert(0, "zero\n"))
			return err
		})
		_ = w.session.Wait(w.Ctx, func(r *replica.Replica) bool { return strings.HasPrefix(r.Confirmed().Cell(cell).Source(), "zero") })
		contains(t, w.call("write_cell", write).Text, "others have changed it too", "zero\none\ntwo\nTHREE")
		if got, want := w.Source(cell), "zero\none\ntwo\nTHREE"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

func TestAS6ARunIsWaitedForAndHasAllOutputs(t *testing.T) {
	inWorld(t, func(t *testing.T, w agent) {
		cell := w.Cell(event.KindCode, "print \x1b[31mred\x1b[0m", "display text/html <table><tr><th>a</th><td>1</td></tr></table>", "error ValueError too deep")
		busy := w.Run(w.Cell(event.KindCode, "wait tide")) // of another, first in the queue
		go func() {
			time.Sleep(time.Second)
			w.Engine.Release("tide")
		}()
		w.Sync(w.session)
		result, err := w.set.Call(w.Ctx, "run_cell", json.RawMessage(`{"cell":"`+string(cell)+`"}`))
		if err != nil || !result.Failed {
			t.Fatalf("got %+v, %v, want that the failed run counts as a failure", result, err)
		}
		contains(t, result.Text, "the run ended: error", "red\n", "a | 1", "ValueError", "too deep")
		if strings.Contains(result.Text, "\x1b") {
			t.Errorf("got control sequences in %q", result.Text)
		}
		if got := w.Finished(busy).Status; got != event.StatusOK {
			t.Errorf("the run of another: got %s, want ok", got)
		}
		w.refused("run_cell", `{"cell":"`+string(w.Cell(event.KindMarkdown, "x"))+`"}`, "does not run")
	})
}

func TestAS7ARunOfAToolEndsWithItsCall(t *testing.T) {
	inWorld(t, func(t *testing.T, w agent) {
		cell := w.Cell(event.KindCode, "print before", "loop")
		w.Sync(w.session)
		slow, err := w.set.Call(w.Ctx, "run_cell", json.RawMessage(`{"cell":"`+string(cell)+`","timeout":2}`))
		if err != nil || !slow.Failed {
			t.Fatalf("got %+v, %v", slow, err)
		}
		contains(t, slow.Text, "took more than 2s and was cancelled", "before")

		ctx, stop := context.WithCancelCause(w.Ctx)
		go func() {
			w.Until(func(n *notebook.Notebook) bool {
				r := n.Run(n.Cell(cell).Run)
				return r != nil && r.State == notebook.RunStarted
			})
			stop(errStopped)
		}()
		if _, err := w.set.Call(ctx, "run_cell", json.RawMessage(`{"cell":"`+string(cell)+`"}`)); err != errStopped {
			t.Errorf("got %v, want the cause of the context", err)
		}
		w.Until(func(n *notebook.Notebook) bool {
			r := n.Run(n.Cell(cell).Run)
			return r != nil && r.State == notebook.RunFinished && r.Status == event.StatusCancelled
		})
	})
}

var errStopped = context.DeadlineExceeded

func TestAS7InterruptCancelsRunsOfOthers(t *testing.T) {
	inWorld(t, func(t *testing.T, w agent) {
		contains(t, w.call("interrupt", `{}`).Text, "no run waits")
		id := w.Run(w.Cell(event.KindCode, "loop"))
		_ = w.session.Wait(w.Ctx, func(r *replica.Replica) bool { return r.Confirmed().Run(id) != nil })
		contains(t, w.call("interrupt", `{}`).Text, "cancelled 1 runs")
		if got := w.Finished(id).Status; got != event.StatusCancelled {
			t.Errorf("got %s, want cancelled", got)
		}
	})
}

func TestAS8AHiddenCellIsNeitherReadNorFoundNorChanged(t *testing.T) {
	inWorld(t, func(t *testing.T, w agent) {
		cell := w.Cell(event.KindCode, "print the password")
		w.Do(&event.CellVisibilitySet{Cell: cell, Context: new(false)})
		_ = w.session.Wait(w.Ctx, func(r *replica.Replica) bool {
			return r.Confirmed().Cell(cell) != nil && r.Confirmed().Cell(cell).HideContext
		})
		at := `{"cell":"` + string(cell) + `"`
		w.refused("read_cell", at+`}`, "is hidden from assistants")
		w.refused("edit_cell", at+`,"old":"print","new":"p"}`, "is hidden from assistants")
		w.refused("run_cell", at+`}`, "is hidden from assistants")
		contains(t, w.call("search", `{"text":"password"}`).Text, "is in no cell")
		if got := w.call("list_cells", `{}`).Text; strings.Contains(got, "password") {
			t.Errorf("got %q", got)
		}
	})
}

func TestAS1ReadingSearchingAndVariables(t *testing.T) {
	inWorld(t, func(t *testing.T, w agent) {
		cell := w.Cell(event.KindCode, "set depth 12", "print Tide is high")
		w.Finished(w.Run(cell))
		contains(t, w.call("read_cell", `{"cell":"`+string(cell)+`"}`).Text, `state="ok"`, "set depth 12", "<outputs>\nTide is high\n</outputs>")
		contains(t, w.call("search", `{"text":"tide"}`).Text, string(cell)+":2: print Tide is high", string(cell)+" output:1: Tide is high")
		contains(t, w.call("variables", `{}`).Text, "depth")
	})
}

func TestAS9PackagesAreInstalledByACellThatSaysSo(t *testing.T) {
	inWorld(t, func(t *testing.T, w agent) {
		w.refused("install_package", `{"packages":["--index-url=http://evil"]}`, "is not the name of a package")
		w.refused("install_package", `{"packages":["a;b"]}`, "is not the name of a package")
		result, err := w.set.Call(w.Ctx, "install_package", json.RawMessage(`{"packages":["tides==1.2","moons"]}`))
		w.Sync(w.session)
		if err != nil {
			t.Fatal(err)
		}
		contains(t, result.Text, "the run ended: ") // the scripted language has no magics
		sources := ""
		w.See(func(n *notebook.Notebook) { sources = n.Cell(n.Cells()[0]).Source() })
		if want := "%pip install tides==1.2 moons"; sources != want {
			t.Errorf("got %q, want %q", sources, want)
		}
	})
}

func TestAS10AnAgentMayDoWhatItsRoleMay(t *testing.T) {
	inWorld(t, func(t *testing.T, w agent) {
		cell := w.Cell(event.KindCode, "print a")
		guest := w.Join("guest", access.Viewer)
		set := tool.New(tool.Config{Session: guest, NewID: w.NewID})
		for name, arguments := range map[string]string{
			"create_cell": `{"source":"x"}`, "run_cell": `{"cell":"` + string(cell) + `"}`,
			"edit_cell": `{"cell":"` + string(cell) + `","old":"a","new":"b"}`,
		} {
			w.Sync(guest)
			result, err := set.Call(w.Ctx, name, json.RawMessage(arguments))
			if err != nil || !result.Failed || !strings.Contains(result.Text, "viewer") && !strings.Contains(result.Text, "role") {
				t.Errorf("%s: got %+v, %v, want that a viewer may not", name, result, err)
			}
		}
	})
}
