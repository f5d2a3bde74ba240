package notebook

import (
	"testing"

	"github.com/quirehq/quire/core/event"
)

func TestRN30TheFirstAnswerToAnInputCounts(t *testing.T) {
	ask := &event.InputAsked{Input: "i", Run: "r", Epoch: 1, Prompt: "name?"}
	sc := running(t, "a").add(ask)
	sc.moot(MootConflict, ask)
	sc.moot(MootNotFound, &event.InputAnswered{Input: "none", Value: "x"})
	check(t, "input", *sc.n.Input("i"), Input{ID: "i", Run: "r", Prompt: "name?"})
	sc.add(&event.InputAnswered{Input: "i", Value: "ada"})
	sc.moot(MootConflict, &event.InputAnswered{Input: "i", Value: "bob"})
	check(t, "input", *sc.n.Input("i"), Input{ID: "i", Run: "r", Prompt: "name?", Answered: true, Value: "ada"})
	sc.moot(MootConflict, &event.InputClosed{Input: "i", Epoch: 1})
}

func TestRN32NoEventAnswersASecretInput(t *testing.T) {
	sc := running(t, "a").add(&event.InputAsked{Input: "i", Run: "r", Epoch: 1, Secret: true})
	for _, value := range []string{"hunter2", ""} {
		sc.moot(MootInvalid, &event.InputAnswered{Input: "i", Value: value})
	}
	check(t, "input", *sc.n.Input("i"), Input{ID: "i", Run: "r", Secret: true})
	if !sc.n.Input("i").Open() {
		t.Error("the input is not open, want it to wait for a call")
	}
}

func TestRN33AnInputIsClosedOnceByTheEpochThatHasItsRun(t *testing.T) {
	sc := running(t, "a").add(
		&event.InputAsked{Input: "i", Run: "r", Epoch: 1}, &event.InputAsked{Input: "s", Run: "r", Epoch: 1, Secret: true},
	)
	sc.moot(MootNotFound, &event.InputClosed{Input: "none", Epoch: 1})
	sc.moot(MootConflict, &event.InputClosed{Input: "i", Epoch: 2})
	sc.moot(MootInvalid, &event.InputClosed{Input: "i", Epoch: 1, Answered: true})
	sc.add(&event.InputClosed{Input: "i", Epoch: 1}, &event.InputClosed{Input: "s", Epoch: 1, Answered: true})
	check(t, "input", *sc.n.Input("i"), Input{ID: "i", Run: "r", Closed: true})
	check(t, "secret", *sc.n.Input("s"), Input{ID: "s", Run: "r", Secret: true, Answered: true, Closed: true})
	for _, id := range []event.InputID{"i", "s"} {
		if sc.n.Input(id).Open() {
			t.Errorf("input %s is open, want it closed", id)
		}
		sc.moot(MootConflict, &event.InputAnswered{Input: id, Value: "late"})
		sc.moot(MootConflict, &event.InputClosed{Input: id, Epoch: 1})
	}
}

func TestRN30InputsOfAFinishedRunAreForgotten(t *testing.T) {
	sc := running(t, "a", "b").add(&event.InputAsked{Input: "i", Run: "r", Epoch: 1}).rerun("s", "b")
	sc.add(&event.InputAsked{Input: "j", Run: "s", Epoch: 1}, finished("r", 1, event.StatusOK))
	check(t, "inputs", sc.n.Inputs(), []event.InputID{"j"})
	sc.moot(MootNotFound, &event.InputAnswered{Input: "i", Value: "late"})
}
