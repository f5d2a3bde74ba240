package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/quirehq/quire/cmd/quire/internal/settings"
)

// lines is a log that tells of each line.
type lines struct {
	mu   sync.Mutex
	all  []string
	news chan string // has space for all
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, string(p))
	l.news <- string(p)
	return len(p), nil
}

// serveLog serves until the server says that it listens, and returns its log.
func serveLog(t *testing.T, format string) []string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "data")
	log := &lines{news: make(chan string, 100)}
	a := &app{config: settings.Read(env(), home, settings.File{}), environ: os.Environ(), stdin: strings.NewReader(""), stdout: new(strings.Builder), stderr: log}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	go func() {
		for line := range log.news {
			if strings.Contains(line, "server listens") {
				stop()
			}
		}
	}()
	code := a.execute(ctx, []string{"serve", "--addr", "127.0.0.1:0", "--data", dir, "--log-format", format})
	close(log.news)
	if code != exitOK && code != exitInterrupted {
		t.Fatalf("it ended with %d: %v", code, log.all)
	}
	return log.all
}

func TestAServerSaysThatItListensStopsAndHasStopped(t *testing.T) {
	all := serveLog(t, "text")
	want := [][]string{
		{"level=INFO", `msg="server listens"`, "address=http://127.0.0.1:", "version=", "data=", "sandbox=off"},
		{"level=INFO", `msg="server stops"`},
		{"level=INFO", `msg="server stopped"`},
	}
	if len(all) != len(want) {
		t.Fatalf("got %d lines, want %d:\n%s", len(all), len(want), strings.Join(all, ""))
	}
	for i, parts := range want {
		for _, part := range parts {
			if !strings.Contains(all[i], part) {
				t.Errorf("line %d is %q, want it to have %q", i, all[i], part)
			}
		}
	}
}

func TestTheLogOfAServerIsJSONIfThatIsAskedFor(t *testing.T) {
	for _, line := range serveLog(t, "json") {
		var entry struct{ Level, Msg string }
		if err := json.Unmarshal([]byte(line), &entry); err != nil || entry.Level != "INFO" || entry.Msg == "" {
			t.Errorf("line %q is %+v, %v", line, entry, err)
		}
	}
}
