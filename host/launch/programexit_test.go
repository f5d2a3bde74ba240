//go:build unix

package launch

import (
	"strings"
	"testing"
)

func TestTheLogOfARuntimeSaysWhyItsProcessCouldNotGoOn(t *testing.T) {
	long := strings.Repeat("time=1 level=INFO msg=\"fatal error: said by a program\"\n", fatalTail/40)
	for log, want := range map[string]string{
		"": "",
		"time=1 level=INFO msg=x\nfatal error: runtime: out of memory\n\ngoroutine 1\n": "fatal error: runtime: out of memory",
		"fatal error: whole in the end":      "fatal error: whole in the end",
		long:                                 "",
		"fatal error: too far back\n" + long: "",
		long + "fatal error: a\nfatal error: b\n":              "fatal error: a",
		"fatal error: " + strings.Repeat("é", maxFatal) + "\n": "fatal error: " + strings.Repeat("é", (maxFatal-len("fatal error: "))/2),
	} {
		if got := lastWords(strings.NewReader(log)); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestOnlyTheLastRuntimeOfANotebookThatEndedIsExplained(t *testing.T) {
	dir := t.TempDir()
	l := &Launcher{Config: Config{Dir: dir, Environment: machine(t, dir)}}
	for _, r := range []record{{Notebook: "nb", Runtime: "first"}, {Notebook: "nb", Runtime: "second"}} {
		l.noteEnd(t.Context(), r, "")
	}
	if got := l.Gone("nb", "second"); !strings.HasPrefix(got, "its process") {
		t.Errorf("got %q, want that its process has ended", got)
	}
	if got := l.Gone("nb", "first") + l.Gone("other", "second"); got != "" {
		t.Errorf("got %q of others", got)
	}
}
