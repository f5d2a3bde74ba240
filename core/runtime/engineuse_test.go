package runtime

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/core/lang/langtest"
	"github.com/quirehq/quire/core/protocol"
)

// weighed is an engine whose processes have 7 bytes of memory.
type weighed struct{ *langtest.Scripted }

func (w weighed) Abilities() lang.Abilities {
	a := w.Scripted.Abilities()
	a.Meter = w
	return a
}

func (weighed) Memory() int64 { return 7 }

// addTwo starts a runtime with engines of two languages, a notebook in the first.
func (w *world) addTwo(more ...func(*Config)) *made {
	one := lang.Spec{Language: "scripted", New: func() (lang.Engine, error) { return weighed{langtest.NewScripted()}, nil }}
	two := lang.Spec{Language: "other", Aliases: []string{"also"}, New: func() (lang.Engine, error) { return langtest.NewScripted(), nil }}
	return w.add("rt", append([]func(*Config){func(c *Config) { c.Engines = lang.NewSet([]lang.Spec{one, two}) }}, more...)...)
}

// outputsOf runs a source in a language, and returns what its outputs print.
func (w *world) outputsOf(language, source string) string {
	cell := w.cellOf(event.KindCode, language, source)
	w.ended(w.request(cell)[0])
	return strings.Join(w.outputs(cell), "|")
}

func TestAG90AnEngineThatIsUnloadedLosesItsVariablesAndTheNextRunSaysIt(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.addTwo()
		for _, language := range []string{"scripted", "other"} {
			w.outputsOf(language, "set x 1")
		}
		got, err := w.call(protocol.MethodEngines, nil)
		want := `{"engines":[{"language":"scripted","version":"1","memory":7,"idle":0},{"language":"other","version":"1","idle":0}]}`
		if got != want || err != nil {
			t.Errorf("got %s, %v, want %s", got, err, want)
		}
		if _, err := w.call(protocol.MethodUnload, protocol.Unload{Language: "Also"}); err != nil {
			t.Fatal(err)
		}
		if got, _ := w.call(protocol.MethodEngines, nil); strings.Contains(got, "other") {
			t.Errorf("got %s, want the engine to be unloaded", got)
		}
		const note = "stderr: The variables of other were dropped: its engine was ended by a user.\n"
		if got := w.outputsOf("also", "print a"); got != note+"|stdout: a\n" {
			t.Errorf("got %q, want the note and a", got)
		}
		if got := w.outputsOf("other", "print a"); got != "stdout: a\n" {
			t.Errorf("got %q, want the note once", got)
		}
		if got := w.outputsOf("scripted", "get x"); !strings.Contains(got, "1") {
			t.Errorf("got %q, want the other engine to have its variables", got)
		}
		if _, err := w.call(protocol.MethodUnload, protocol.Unload{Reload: true}); err != nil {
			t.Fatal(err)
		}
		if got, _ := w.call(protocol.MethodEngines, nil); !strings.Contains(got, `"scripted"`) {
			t.Errorf("got %s, want an engine to be loaded again", got)
		}
		_, err = w.call(protocol.MethodUnload, protocol.Unload{Language: "cobol"})
		wantCode(t, err, protocol.CodeNotFound)
	})
}

func TestAG91ARunIsNotCutOffByAnUnload(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.addTwo()
		cell := w.cellOf(event.KindCode, "other", "print a", "loop")
		id := w.request(cell)[0]
		w.printed(cell)
		_, err := w.call(protocol.MethodUnload, protocol.Unload{Language: "other"})
		wantCode(t, err, protocol.CodeUnavailable)
		w.do(&event.RunCancelled{Run: id})
		w.wantStatus(id, event.StatusCancelled)
	})
}

func TestAG92AnEngineOfAnotherLanguageIsUnloadedWhenItIsIdle(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.addTwo(func(c *Config) { c.EngineIdle = time.Hour })
		w.outputsOf("scripted", "set x 1")
		w.outputsOf("other", "set x 1")
		time.Sleep(50 * time.Minute)
		w.outputsOf("other", "print still here")
		time.Sleep(50 * time.Minute)
		synctest.Wait()
		if got, _ := w.call(protocol.MethodEngines, nil); !strings.Contains(got, "other") {
			t.Errorf("got %s, want an engine that was used to be there", got)
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		if got, _ := w.call(protocol.MethodEngines, nil); !strings.Contains(got, "scripted") || strings.Contains(got, "other") {
			t.Errorf("got %s, want the engine of the notebook's language alone", got)
		}
		const note = "stderr: The variables of other were dropped: its engine was not used for 1h0m0s.\n"
		if got := w.outputsOf("other", "print a"); got != note+"|stdout: a\n" {
			t.Errorf("got %q, want the note and a", got)
		}
	})
}
