package server_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/quirehq/quire/core/event"
)

// meanwhile makes a request, and returns a channel with its answer.
func (w *world) meanwhile(t *testing.T, q request) <-chan answer {
	answers := make(chan answer, 1)
	go func() { answers <- w.do(t, q) }()
	return answers
}

func restart(token string) request {
	return request{method: http.MethodPost, path: "/api/notebooks/b1/runtime/restart", token: token}
}

// running returns a world with a runtime that was launched for a run.
func running(t *testing.T, l *launcher) (*world, *peer, event.RuntimeID) {
	t.Helper()
	w, p := launchWorld(t, l)
	p.committed(p.push(runOf("run1"))[0])
	what := l.next(t)
	w.runtimeOf(t, what)
	return w, p, what.Runtime
}

func TestARestartEndsTheRuntimeAndAnswersOnceAnotherIsThere(t *testing.T) {
	l := newLauncher()
	w, p, first := running(t, l)
	answers := w.meanwhile(t, restart(person(t, "runner")))
	stopped := waitFor[*event.RuntimeStopped](p)
	if stopped.Runtime != first || stopped.Reason != event.StopRestart {
		t.Errorf("got %+v, want that %s stops to be started anew", *stopped, first)
	}
	l.wantEnded(t, first)
	second := l.next(t)
	select {
	case a := <-answers:
		t.Errorf("got the answer %d before the runtime is there", a.status)
	default:
	}
	w.runtimeOf(t, second)
	if a := <-answers; a.status != http.StatusNoContent || second.Runtime == first {
		t.Errorf("got %d %s and runtime %s, want 204 and another than %s", a.status, a.body, second.Runtime, first)
	}
	l.none(t)
}

func TestARestartWithoutARuntimeStartsOne(t *testing.T) {
	l := newLauncher()
	w, _ := launchWorld(t, l)
	answers := w.meanwhile(t, restart(ownerToken))
	w.runtimeOf(t, l.next(t))
	if a := <-answers; a.status != http.StatusNoContent {
		t.Errorf("got %d %s, want 204", a.status, a.body)
	}
}

func TestARestartThatFailsSaysWhy(t *testing.T) {
	l := newLauncher()
	w, _ := launchWorld(t, l)
	l.answer(errors.New("python3 is not installed"))
	a := w.do(t, restart(ownerToken)).want(t, http.StatusServiceUnavailable)
	if p := a.problem(t); !strings.Contains(p.Detail, "python3 is not installed") {
		t.Errorf("got %q, want why", p.Detail)
	}
}

func TestAStopAnswersOnceTheRuntimeIsGone(t *testing.T) {
	l := newLauncher()
	w, _, id := running(t, l)
	w.do(t, request{method: http.MethodDelete, path: "/api/notebooks/b1/runtime", token: ownerToken}).want(t, http.StatusNoContent)
	l.wantEnded(t, id)
}

func TestARuntimeThatTheLogHasOverIsEnded(t *testing.T) {
	l := newLauncher()
	w, _, first := running(t, l)
	mine := w.joinAs(t, "b1", ownerToken, helloOf("mine", "mine"))
	mine.committed(mine.push(&event.RuntimeStarted{Runtime: "mine", Takes: event.TakesCode})[0])
	l.wantEnded(t, first)
}

func TestWhatIsLeftOfARuntimeThatHasStoppedIsEnded(t *testing.T) {
	l := newLauncher()
	l.alive = []event.RuntimeID{"left"} // an earlier server started it
	w, _ := launchWorld(t, l)
	left := w.joinAs(t, "b1", ownerToken, helloOf("left", "left"))
	left.committed(left.push(&event.RuntimeStarted{Runtime: "left", Takes: event.TakesCode})[0])
	left.push(&event.RuntimeStopped{Runtime: "left", Epoch: 1, Reason: event.StopShutdown})
	l.wantEnded(t, "left")
}
