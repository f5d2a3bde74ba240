package runtime

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/order"
)

// desk is a shaper whose events are folded into a notebook with one run.
type desk struct {
	*shaper
	t      testing.TB
	book   *notebook.Notebook
	stated []event.Payload
	limit  int         // of the text in one event
	ended  *limitError // why the run was ended
}

func newDesk(t testing.TB, limits Limits) *desk {
	t.Helper()
	cfg := Config{Limits: limits}
	cfg.setDefaults()
	d := &desk{t: t, book: notebook.New(), limit: maxText}
	key, err := order.Between(order.Place{}, order.Place{})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []event.Payload{
		&event.CellCreated{Cell: "c", Kind: event.KindCode, Order: key},
		&event.RuntimeStarted{Runtime: "rt", Takes: event.TakesCode},
		&event.RunRequested{Runs: []event.RunOf{{Run: "r", Cell: "c"}}},
		&event.RunAssigned{Run: "r", Epoch: 1},
		&event.RunStarted{Run: "r", Epoch: 1},
	} {
		if err := d.fold(p); err != nil {
			t.Fatal(err)
		}
	}
	n := 0
	d.shaper = &shaper{
		emit: d.state, run: "r", epoch: 1, limits: cfg.Limits, measure: measure{limits: cfg.Limits},
		end: func(why *limitError) { d.ended = why },
		newID: func() event.OutputID {
			n++
			return event.OutputID(fmt.Sprintf("o%d", n))
		},
	}
	return d
}

func (d *desk) fold(p event.Payload) error {
	if err := p.Check(); err != nil {
		d.t.Errorf("%s: %v", p.Type(), err)
	}
	_, err := d.book.Apply(&event.Event{Payload: p}, nil)
	return err
}

func (d *desk) state(p event.Payload) error {
	err := d.fold(p)
	if err == nil {
		d.stated = append(d.stated, p)
	}
	if a, ok := p.(*event.OutputAppended); ok && len(a.Text) > d.limit {
		d.t.Errorf("got %d bytes in one event", len(a.Text))
	}
	return err
}

func (d *desk) outputs() (lines []string) {
	for _, id := range d.book.Cell("c").Outputs {
		lines = append(lines, outputLine(d.book.Output(id).Value()))
	}
	return lines
}

func (d *desk) want(want ...string) {
	d.t.Helper()
	if diff := cmp.Diff(want, d.outputs()); diff != "" {
		d.t.Errorf("outputs (-want +got):\n%s", diff)
	}
}

func plainText(text string) lang.Bundle { return lang.Text("text/plain", text) }

func TestAG24TextIsStatedInPiecesOf64KB(t *testing.T) {
	d := newDesk(t, Limits{})
	text := strings.Repeat("é", 100_000)
	d.write(lang.Stdout, text)
	d.flush()
	d.want("stdout: " + text)
	if len(d.stated) != 4 {
		t.Errorf("got %d events for 200 KB, want 4", len(d.stated))
	}
}

func TestAG25TextOfOneStreamIsOneOutputUntilSomethingElseComes(t *testing.T) {
	d := newDesk(t, Limits{})
	d.write("stdout", "a")
	d.flush()
	d.write("stdout", "b\n")
	d.write("stderr", "e")
	d.write("stdout", "c")
	d.display(plainText("d"), "")
	d.write("stdout", "f\rg")
	d.hold(plainText("1"), "")
	d.finish(7, &event.Error{Name: "E"})
	d.want("stdout: ab\n", "stderr: e", "stdout: c", `display: text/plain "d"`, "stdout: g", `result 7: text/plain "1"`, "error: E")
}

func TestAG30AResultHasTheCountIfItIsTheLast(t *testing.T) {
	d := newDesk(t, Limits{})
	d.hold(plainText("1"), "")
	d.write("stdout", "late")
	d.finish(7, nil)
	d.want(`result 0: text/plain "1"`, "stdout: late")
}

func TestAG26UpdatesOfADisplayCoalesce(t *testing.T) {
	d := newDesk(t, Limits{})
	d.display(plainText("0"), "x")
	d.write("stdout", "a")
	for i := range 50 {
		d.update("x", plainText(fmt.Sprint(i)))
		d.update("unknown", plainText("?"))
	}
	d.write("stdout", "b")
	d.finish(1, nil)
	d.want(`display: text/plain "49"`, "stdout: ab")
	if got := len(d.stated); got != 3 {
		t.Errorf("got %d events, want the display, the text and one update", got)
	}
}

func TestAG26AnUpdateIsStatedBeforeADisplayWithTheSameID(t *testing.T) {
	d := newDesk(t, Limits{})
	d.display(plainText("0"), "x")
	d.update("x", plainText("1"))
	d.display(plainText("2"), "x")
	d.want(`display: text/plain "2"`, `display: text/plain "2"`)
}

func TestOU10AResultWithADisplayIDIsUpdated(t *testing.T) {
	d := newDesk(t, Limits{})
	d.hold(plainText("before"), "x")
	d.finish(1, nil)
	d.update("x", plainText("after"))
	d.flush()
	d.want(`result 1: text/plain "after"`)
}

func TestAG26UpdatesOfManyDisplaysAreNotKept(t *testing.T) {
	d := newDesk(t, Limits{})
	for i := range 10 * maxUpdates {
		d.update(fmt.Sprint(i), plainText("0"))
		if len(d.updates) > maxUpdates {
			t.Fatalf("got %d updates kept", len(d.updates))
		}
	}
}

func TestAG27ABundleHasWhatItsTypesSay(t *testing.T) {
	raw := func(s string) json.RawMessage { return json.RawMessage(s) }
	for _, c := range []struct{ name, mime, value, want string }{
		{"text stays", "text/html", `"<b>"`, `"<b>"`},
		{"null is nothing", "text/html", `null`, ``},
		{"what is no JSON is nothing", "text/html", `<b>`, ``},
		{"lines are joined", "text/plain", `["a\n","b"]`, `"a\nb"`},
		{"a number becomes text", "text/plain", `42`, `"42"`},
		{"an object becomes text", "image/svg+xml", `{"a":1}`, `"{\"a\":1}"`},
		{"JSON stays", "application/json", `[1,"a"]`, `[1,"a"]`},
		{"JSON in a string is read", "application/vnd.x+json", `"{\"a\":1}"`, `{"a":1}`},
		{"a string may be the JSON", "application/json; v=2", `"a"`, `"a"`},
		{"a custom type is text", "application/x-own", `"x"`, `"x"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := shapeBundle(lang.Bundle{Data: map[string]json.RawMessage{c.mime: raw(c.value)}}, 1000)
			if got := string(b.data[c.mime]); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func TestAG27AnEmptyBundleIsNoOutput(t *testing.T) {
	d := newDesk(t, Limits{})
	d.display(lang.Bundle{Data: map[string]json.RawMessage{"text/plain": json.RawMessage("null")}}, "")
	d.hold(lang.Bundle{}, "")
	d.finish(1, nil)
	d.want()
}

func TestAG27MetadataIsKept(t *testing.T) {
	d := newDesk(t, Limits{})
	b := plainText("a")
	b.Metadata = map[string]json.RawMessage{"isolated": json.RawMessage("true"), "gone": json.RawMessage("null")}
	d.display(b, "")
	got := d.stated[0].(*event.OutputAdded).Value.Metadata
	if diff := cmp.Diff(map[string]json.RawMessage{"isolated": json.RawMessage("true")}, got); diff != "" {
		t.Errorf("metadata (-want +got):\n%s", diff)
	}
}

func TestAG27ABundleThatIsTooLargeSaysSo(t *testing.T) {
	d := newDesk(t, Limits{Output: 100})
	d.display(lang.Text("image/png", strings.Repeat("A", 200)), "")
	d.want(`display: text/plain "[image/png: 215 bytes are not shown, because at most 100 fit into one output]"`)
}

func TestAG28BeyondTheLimitTheHeadAndTheTailAreKept(t *testing.T) {
	d := newDesk(t, Limits{Stream: 10, Tail: 5})
	d.write("stdout", "0123456789abc")
	notice := "… the run has printed 10 bytes; of what follows the last lines are shown …\n"
	d.want("stdout: 0123456789\n" + notice)
	d.write("stdout", strings.Repeat("x", 20)+"\rlast")
	d.display(plainText("d"), "")
	d.finish(1, nil)
	d.want("stdout: 0123456789\n… 23 bytes not shown …\nlast", `display: text/plain "d"`)
}

func TestAG28ATailThatFitsIsWhole(t *testing.T) {
	d := newDesk(t, Limits{Stream: 4, Tail: 10})
	d.write("stdout", "a\n🐎bc")
	d.write("stderr", "err")
	d.finish(1, nil)
	d.want("stdout: a\n🐎bc", "stderr: err")
}

func TestAG28TheHeadAndTheTailHaveWholeLines(t *testing.T) {
	d := newDesk(t, Limits{Stream: 50, Tail: 30})
	for i := range 100 {
		for _, part := range []string{"line ", fmt.Sprint(i), "\n"} {
			d.write("stdout", part)
			d.flush()
		}
		if i == 50 {
			d.showFreshTails()
			lines := strings.Split(d.outputs()[0], "\n")
			if lines[6] != "line 6" || !strings.HasPrefix(lines[7], "… the run has printed 5") || lines[8] != "line 44" {
				t.Errorf("while it goes on got %q", lines)
			}
		}
	}
	d.finish(1, nil)
	d.want("stdout: line 0\nline 1\nline 2\nline 3\nline 4\nline 5\nline 6\n… 717 bytes not shown …\nline 97\nline 98\nline 99\n")
}

func TestAG28AProgressBarDoesNotReachTheLimit(t *testing.T) {
	d := newDesk(t, Limits{Stream: 1000})
	for i := range 1000 {
		d.write("stderr", fmt.Sprintf("\r%3d of 1000", i))
	}
	d.finish(1, nil)
	d.want("stderr: 999 of 1000")
}

func TestAG28MemoryIsBoundedBeyondTheLimit(t *testing.T) {
	d := newDesk(t, Limits{Stream: 1000, Tail: 1000})
	for range 1000 {
		d.write("stdout", strings.Repeat("x", 1000))
		if n := len(d.tails); n > 0 && cap(d.tails[0].kept) > 8000 {
			t.Fatalf("got %d bytes kept", cap(d.tails[0].kept))
		}
	}
	d.finish(1, nil)
	if got := d.outputs()[0]; len(got) > 2200 || !strings.Contains(got, "\n… 998000 bytes not shown …\n") {
		t.Errorf("got %.60q", got)
	}
}

func TestAG29TextThatCanBeExtendedNoMoreBeginsAnew(t *testing.T) {
	d := newDesk(t, Limits{})
	d.write("stdout", "a\n1%")
	d.flush()
	if err := d.fold(&event.CellOutputsCleared{}); err != nil {
		t.Fatal(err)
	}
	d.write("stdout", "\r2%")
	d.flush()
	d.write("stdout", "\r30%\nb")
	d.finish(1, nil)
	d.want("stdout: 30%\nb")
}

func TestAG29ARunThatIsOverStatesNothing(t *testing.T) {
	d := newDesk(t, Limits{})
	n := 0
	d.emit = func(event.Payload) error {
		n++
		return errors.New("no")
	}
	for range 100 {
		d.write("stdout", "a\rb")
		d.flush()
	}
	d.finish(1, nil)
	if n != 100 || len(d.stated) > 0 {
		t.Errorf("got %d attempts, want one each time", n)
	}
}

func TestAG31ClearingIsStatedInItsPlaceAndBeginsTheLimitAnew(t *testing.T) {
	d := newDesk(t, Limits{Stream: 4, Tail: 4})
	for i := range 100 {
		d.clear(i%2 == 0)
		d.write("stdout", fmt.Sprint(i))
	}
	d.clear(true)
	d.want("stdout: 99")
	d.write("stdout", "abc")
	d.finish(1, nil)
	d.want("stdout: abc")
}

func TestAG32EmptyTextIsNothingAndSpaceIsSomething(t *testing.T) {
	d := newDesk(t, Limits{})
	d.write("stdout", "")
	d.write("stderr", "\x1b[?25l")
	d.finish(1, nil)
	d.want()
	d.write("stdout", " ")
	d.finish(1, nil)
	d.want("stdout:  ")
}

func TestAG33AnErrorFitsIntoAnEvent(t *testing.T) {
	trace := make([]string, 100_000)
	for i := range trace {
		trace[i] = fmt.Sprintf("line %d", i)
	}
	got := failure(&lang.Error{
		Name: "E", Message: strings.Repeat("é", maxMessage) + "\xff", Line: 2, Column: 3, Trace: trace,
	})
	if len(got.Message) != maxMessage || len(got.Trace) != maxTrace+1 || got.Line != 2 || got.Column != 3 {
		t.Errorf("got %d bytes and %d lines", len(got.Message), len(got.Trace))
	}
	same(t, []string{got.Trace[0][:len("E: é")], got.Trace[1], got.Trace[maxTrace/2], got.Trace[maxTrace]},
		[]string{"E: é", "line 0", "… 99501 lines not shown …", "line 99999"})
	if got := failure(&lang.Error{Name: "\xff"}); got.Name != "\uFFFD" {
		t.Errorf("got %q, want valid UTF-8", got.Name)
	}
}

func TestAnErrorHasItsCauseInTheLogUnderTheNameOfItsLanguage(t *testing.T) {
	for cause, want := range map[lang.Cause]event.ErrorCause{
		lang.CauseInterrupted: "interrupted", lang.CauseTimedOut: "timed-out", lang.CauseLimit: "limit", "": "", "other": "",
	} {
		got := failure(&lang.Error{Name: "Interrupt", Cause: cause})
		if got.Name != "Interrupt" || got.Cause != want {
			t.Errorf("%q: got %+v, want the cause %q", cause, got, want)
		}
	}
}

func TestATraceHasTheMessageOfTheError(t *testing.T) {
	const stopped = "TimeoutError: the run was stopped after 1s"
	timedOut := lang.Error{Name: "TimeoutError", Message: "the run was stopped after 1s", Cause: lang.CauseTimedOut}
	own := lang.Error{Name: "Oops", Message: "it failed\nin two lines"}
	for _, c := range []struct {
		err         lang.Error
		trace, want []string
	}{
		{timedOut, []string{"in line 1", "KeyboardInterrupt"}, []string{"in line 1", "KeyboardInterrupt", stopped}},
		{timedOut, []string{stopped}, []string{stopped}},
		{timedOut, nil, nil},
		{own, []string{"at In[1]:2"}, []string{"Oops: it failed", "in two lines", "at In[1]:2"}},
		{own, []string{"Oops: it failed", "in two lines", "at In[1]:2"}, []string{"Oops: it failed", "in two lines", "at In[1]:2"}},
		{own, []string{"at In[1]:2", "it failed (Oops)"}, []string{"at In[1]:2", "it failed (Oops)"}},
		{own, nil, nil},
		{lang.Error{Name: "Interrupt"}, []string{"x"}, []string{"x"}},
	} {
		c.err.Trace = c.trace
		same(t, failure(&c.err).Trace, c.want)
	}
}
