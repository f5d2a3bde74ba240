package langtest

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/core/lang"
)

func openScripted(t *testing.T) lang.Engine {
	t.Helper()
	engine := NewScripted()
	t.Cleanup(func() { _ = engine.Close() })
	return engine
}

func TestTheScriptedEngineKeepsTheContract(t *testing.T) {
	Suite(t, openScripted, Programs{
		Hello:    "print hello",
		Streams:  "print a\nwarn b\nprint c",
		Set:      "set kept 42",
		Get:      "get kept",
		Displays: "print a\ndisplay text/html <b>b</b>\nprint c",
		Updates:  "display-id d text/html 1\nupdate d text/html 2",
		Clears:   "print a\nclear-wait\nprint b",
		Fail:     "print before\nerror ValueError bad value",
		FailName: "ValueError", FailMessage: "bad value", FailLine: 2,
		Syntax: "# fine\nnonsense here", SyntaxLine: 2,
		Loop:        "print started\nloop",
		Sleep:       "print started\nwait nothing",
		Die:         "print last\ndie",
		Ask:         "print before\nask name? ",
		AskSecret:   "secret word? ",
		NoAnswer:    "EOFError",
		Name:        "kept",
		Lead:        "print 🐎\nget ",
		Define:      "set horse says what it does",
		Defined:     "horse",
		Comms:       "print a\ncomm-open w test {\"x\":1}\nprint b\ncomm-send w {\"y\":[2]} AP8=\ncomm-close w {}\nprint c",
		CommLater:   "comm-open w test {}\ncomm-later w {\"late\":true}",
		CommAnswers: "comm-open w test {}",
		CommWidget:  "comm-open w jupyter.widget {\"state\":{\"value\":1}}",
		AtClose:     "print in time\nat-close late",
		Packages:    []string{"pandas", "polars"},
		Installed:   "import pandas\nimport polars\nprint installed",
		Missing:     "no-pandas",
		Flood:       strings.Repeat("print "+strings.Repeat("x", 1023)+"\n", 1000),
		FloodSize:   1024 * 1000,
	})
}

func TestAReleasedWaitGoesOn(t *testing.T) {
	engine := NewScripted()
	done := start(t.Context(), t, engine, lang.Request{Source: "print started\nwait a\nwait b\nprint on"})
	engine.Release("a")
	engine.Release("b")
	end := <-done
	if diff := cmp.Diff([]string{"stdout: started\non\n"}, end.sink.Lines()); diff != "" || end.err != nil {
		t.Errorf("%v (-want +got):\n%s", end.err, diff)
	}
	expect(t, engine, "wait a", []string(nil)...)
}

func TestAStubbornRunIgnoresInterruptsUntilReleased(t *testing.T) {
	engine := NewScripted()
	done := start(t.Context(), t, engine, lang.Request{Source: "print started\nstubborn\nprint free"})
	if err := engine.Interrupt(); err != nil {
		t.Fatal(err)
	}
	engine.Release("stubborn")
	if end := <-done; end.err != nil || end.result.Err != nil || end.sink.Text(lang.Stdout) != "started\nfree\n" {
		t.Errorf("got %+v, %v, want it to run to its end", end.result, end.err)
	}
}

func TestClosingEndsAStubbornRun(t *testing.T) {
	engine := NewScripted()
	done := start(t.Context(), t, engine, lang.Request{Source: "print started\nstubborn"})
	if err := engine.Close(); err != nil {
		t.Fatal(err)
	}
	if end := <-done; !errors.Is(end.err, lang.ErrClosed) {
		t.Errorf("got %v, want ErrClosed", end.err)
	}
}
