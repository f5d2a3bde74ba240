package quire_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A cause that nothing gives, or that a program does not word, is a cause that no user learns of.
func TestEachCauseIsGivenByAProgram(t *testing.T) {
	declared := regexp.MustCompile(`(?m)^\tCause(\w+) +Cause = "`).FindAllStringSubmatch(text(t, "core/event/causes.go"), -1)
	if len(declared) == 0 {
		t.Fatal("found no causes")
	}
	given := production(t, "core/notebook", "core/room", "core/runtime", "host/server")
	stops := text(t, "core/event/runtimes.go")
	for _, c := range declared {
		// A stopped runtime gives its reason as the cause.
		name := "event.Cause" + c[1]
		if regexp.MustCompile(`\tStop` + c[1] + ` `).MatchString(stops) {
			name = "event.Stop" + c[1]
		}
		if !regexp.MustCompile(regexp.QuoteMeta(name) + `\b`).MatchString(given) {
			t.Errorf("no program gives %s", name)
		}
	}
}

// production returns the Go code of folders without their tests.
func production(t *testing.T, folders ...string) string {
	t.Helper()
	var all strings.Builder
	for _, folder := range folders {
		files, err := filepath.Glob(folder + "/*.go")
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range files {
			if !strings.HasSuffix(name, "_test.go") {
				all.WriteString(text(t, name))
			}
		}
	}
	return all.String()
}

func text(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
