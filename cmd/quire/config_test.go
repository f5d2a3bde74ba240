package main

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/cmd/quire/internal/client"
	"github.com/quirehq/quire/cmd/quire/internal/settings"
)

func env(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}
}

func home() (string, error) { return "/home/ada", nil }

func TestEverythingThatIsWrongIsSaidAtOnceWithItsFlagAndVariable(t *testing.T) {
	a, _, stderr := offline()
	a.config = settings.Read(env("QUIRE_MEMORY", "much", "QUIRE_IDLE", "soon", "QUIRE_TOKEN", "a b", "XDG_DATA_HOME", t.TempDir()), home, settings.File{})
	got := a.execute(t.Context(), []string{"runtime", "--server", "nonsense", "--log-level", "loud", "--log-format", "x", "--cpu", "-1s", "--files", "0", "--runtime", "a b"})
	want := `quire: runtime: 10 settings are missing or wrong:
  --log-level: "loud" is none of debug, info, warn, error and off
  --log-format: "x" is neither text nor json
  --notebook or QUIRE_NOTEBOOK: it says whose runs to execute
  --server: "nonsense" is not a URL: want one such as http://127.0.0.1:8642
  QUIRE_TOKEN: it has characters that no token has
`
	if got != exitUsage || !strings.HasPrefix(stderr.String(), want) {
		t.Errorf("got %d and\n%s\nwant %d and\n%s", got, stderr, exitUsage, want)
	}
	for _, flag := range []string{"--runtime: ", "QUIRE_IDLE: ", "QUIRE_MEMORY: ", "--cpu: ", "--files: "} {
		if !strings.Contains(stderr.String(), "\n  "+flag) {
			t.Errorf("got %s, want %s in it", stderr, flag)
		}
	}
}

func TestEachRuntimeHasAnIDOfItsOwnThatSaysWhatItTakes(t *testing.T) {
	a, _, _ := offline()
	var wrong settings.Errors
	one, two := a.runtimeConfig(runtimeOptions{}, &wrong), a.runtimeConfig(runtimeOptions{}, &wrong)
	if !strings.HasPrefix(string(one.Runtime), "code-") || one.Runtime == two.Runtime {
		t.Errorf("got %s and %s, want two that begin with code-", one.Runtime, two.Runtime)
	}
	if named := a.runtimeConfig(runtimeOptions{runtime: "mine"}, &wrong); named.Runtime != "mine" {
		t.Errorf("got %s, want the one that was asked for", named.Runtime)
	}
}

func TestTheLogKeepsToItsLevelAndCanBeOff(t *testing.T) {
	a, _, stderr := offline()
	var wrong settings.Errors
	for _, level := range []string{"off", "warn", "off", "debug"} {
		a.config.LogLevel = level
		logger := a.logger(&wrong)
		logger.Debug("debug at " + level)
		logger.Error("error at " + level)
	}
	var got []string
	for line := range strings.Lines(stderr.String()) {
		_, message, _ := strings.Cut(strings.TrimSpace(line), "msg=")
		got = append(got, message)
	}
	want := []string{`"error at warn"`, `"debug at debug"`, `"error at debug"`}
	if diff := cmp.Diff(want, got); diff != "" || wrong != nil {
		t.Errorf("log (-want +got), faults %v:\n%s", wrong, diff)
	}
}

func TestARuntimeThatIsStoppedBeforeItHasAServerEndsWell(t *testing.T) {
	a, _, stderr := offline()
	a.config.LogLevel = "off"
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	args := []string{"runtime", "--server", "http://127.0.0.1:1", "--token", "t", "--notebook", strings.Repeat("n", client.FullID)}
	if got := a.execute(ctx, args); got != exitOK || stderr.Len() > 0 {
		t.Errorf("got exit code %d and %q, want none", got, stderr)
	}
}
