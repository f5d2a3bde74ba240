package server_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/quirehq/quire/core/event"
)

// logged returns the lines of the log that are of level INFO, without their times.
func (w *world) logged() (lines []string) {
	for line := range strings.Lines(w.log.String()) {
		if _, rest, ok := strings.Cut(strings.TrimSpace(line), " level=INFO "); ok {
			lines = append(lines, rest)
		}
	}
	return lines
}

// wantLogged waits until there are lines that begin so among those of the log, in that order:
// the line of an event may come a moment after the event itself.
func (w *world) wantLogged(t *testing.T, want ...string) {
	t.Helper()
	for late := soon(t); ; {
		missing := notIn(w.logged(), want)
		if missing == "" {
			return
		}
		select {
		case <-late.Done():
			t.Fatalf("the log has no line %q in its place:\n%s", missing, strings.Join(w.logged(), "\n"))
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// notIn returns the first of some beginnings that no line has in its place, empty if there is none.
func notIn(lines, beginnings []string) string {
	for _, prefix := range beginnings {
		at := slices.IndexFunc(lines, func(line string) bool { return strings.HasPrefix(line, prefix) })
		if at < 0 {
			return prefix
		}
		lines = lines[at+1:]
	}
	return ""
}

func TestRuntimesThatComeAndGoAreLogged(t *testing.T) {
	l := newLauncher()
	w, p := launchWorld(t, l)
	p.committed(p.push(runOf("run1"))[0])
	what := l.next(t)
	rt := w.runtimeOf(t, what)
	rt.committed(rt.push(&event.RuntimeStopped{Runtime: what.Runtime, Epoch: 1, Reason: event.StopIdle, Detail: "nobody came"})[0])
	id := string(what.Runtime)
	w.wantLogged(t, `msg="runtime launched" notebook=b1 runtime=`+id) // before or after it has attached
	w.wantLogged(t,
		`msg="runtime attached" notebook=b1 runtime=`+id+` by=runtime:`+id,
		`msg="runtime ended" notebook=b1 runtime=`+id+` reason=idle detail="nobody came"`,
	)
	for _, line := range w.logged() {
		if strings.Contains(line, what.Token) {
			t.Errorf("a token is in the log: %s", line)
		}
	}
}

func TestARunThatIsLostIsLogged(t *testing.T) {
	l := newLauncher()
	w, p := launchWorld(t, l)
	p.committed(p.push(runOf("run1"))[0])
	what := l.next(t)
	rt := w.runtimeOf(t, what)
	rt.committed(rt.push(&event.RunAssigned{Run: "run1", Epoch: 1})[0])
	rt.committed(rt.push(&event.RunStarted{Run: "run1", Epoch: 1})[0])
	rt.committed(rt.push(&event.RunFinished{Run: "run1", Epoch: 1, Status: event.StatusLost, Reason: "it used more memory than it may"})[0])
	w.wantLogged(t, `msg="run lost" notebook=b1 run=run1 reason="it used more memory than it may"`)
}

func TestARuntimeThatIsDisplacedIsLogged(t *testing.T) {
	w := newWorld(t)
	w.book("b1")
	for _, id := range []event.RuntimeID{"r1", "r2"} {
		rt := w.joinAs(t, "b1", ownerToken, helloOf(event.ClientID("runtime-"+id), id))
		rt.committed(rt.push(&event.RuntimeStarted{Runtime: id, Takes: event.TakesCode})[0])
	}
	w.wantLogged(t, `msg="runtime attached" notebook=b1 runtime=r1`,
		`msg="runtime ended" notebook=b1 runtime=r1 reason="another has taken its place"`, `msg="runtime attached" notebook=b1 runtime=r2`)
}

func TestAFailedSignInIsLoggedWithoutWhatWasShown(t *testing.T) {
	w := newWorld(t)
	link := w.Link()
	w.do(t, request{method: "POST", path: link}).want(t, 200)
	w.do(t, request{method: "POST", path: link}).want(t, 403)
	w.do(t, request{method: "POST", path: "/login?token=precious"}).want(t, 403)
	w.do(t, request{method: "GET", path: "/api/me", token: "qt_precious"}).want(t, 401)
	w.wantLogged(t, `msg="sign-in failed" from=127.0.0.1 reason="a link that was used`,
		`msg="sign-in failed" from=127.0.0.1 reason="an unknown link"`, `msg="sign-in failed" from=127.0.0.1 reason="the token is not valid"`)
	for _, line := range w.logged() {
		if strings.Contains(line, "precious") {
			t.Errorf("a secret is in the log: %s", line)
		}
	}
}
