package launch

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTheLogOfARuntimeSaysWhyItsProcessCouldNotGoOn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "nb.log")
	if got := lastWords(path); got != "" {
		t.Errorf("got %q of a log that is not there", got)
	}
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
		if err := os.WriteFile(path, []byte(log), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := lastWords(path); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestOnlyTheLastRuntimeOfANotebookThatEndedIsExplained(t *testing.T) {
	l := &Launcher{Config: Config{Dir: t.TempDir()}}
	for _, r := range []processRecord{{Notebook: "nb", Runtime: "first"}, {Notebook: "nb", Runtime: "second"}} {
		l.noteEnd(r, nil)
	}
	if got := l.Gone("nb", "second"); !strings.HasPrefix(got, "its process") {
		t.Errorf("got %q, want that its process has ended", got)
	}
	if got := l.Gone("nb", "first") + l.Gone("other", "second"); got != "" {
		t.Errorf("got %q of others", got)
	}
}
