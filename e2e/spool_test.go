//go:build linux

package e2e_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/replica"
	"github.com/quirehq/quire/e2e/stage"
	"github.com/quirehq/quire/host/native"
)

// TestWhatAKilledRuntimeCouldNotDeliverIsDelivered kills the server in the middle of
// a run, lets the program print on, and kills the runtime before the server is back.
func TestWhatAKilledRuntimeCouldNotDeliverIsDelivered(t *testing.T) {
	if testing.Short() {
		t.Skip("takes 20 s, for as long as a runtime may be away")
	}
	t.Parallel()
	s := newServer(t)
	t.Cleanup(func() { s.kill() })
	s.start(t)
	b := s.pair(t)
	want := "first\n"
	for i := range 100 {
		want += fmt.Sprintf("line %d\n", i)
	}
	files := filepath.Join(s.dir, "files", b.notebook)
	b.cell, b.until = "cell", "first"
	err := b.request("cell", `import os, time
print('first', flush=True)
while not os.path.exists('go'): time.sleep(.01)
for i in range(100): print('line', i, flush=True)
time.sleep(600)`)
	if err == nil {
		err = b.watcher.Wait(t.Context(), b.hasFound)
	}
	if err != nil {
		t.Fatal(err)
	}
	s.kill()
	if err := os.WriteFile(filepath.Join(files, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	runtime := stage.Runtimes(s.dir, b.notebook)[0]
	waitForSpool(t, filepath.Join(s.dir, "runtimes", b.notebook+"."+runtime.ID+".spool"), "line 99\n")
	if err := runtime.Kill(); err != nil {
		t.Fatal(err)
	}
	s.start(t)
	var run notebook.Run
	var got string
	err = b.watcher.Wait(t.Context(), func(r *replica.Replica) bool {
		if now := r.Confirmed().Run("cell"); now != nil {
			run = *now
		}
		got = textOf(r, "cell")
		return run.State == notebook.RunFinished
	})
	if err != nil {
		t.Fatal(err)
	}
	if got != want {
		t.Errorf("got output %q, want %q", got, want)
	}
	if run.Status != event.StatusLost || run.Reason == "" {
		t.Errorf("the run ended as %s (%q), want it lost, and why", run.Status, run.Reason)
	}
	if err := b.hangUp(); err != nil {
		t.Error(err)
	}
}

// waitForSpool waits until an event that ends with some text is spooled.
func waitForSpool(t *testing.T, dir, text string) {
	t.Helper()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		drafts, err := native.ReadSpool(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range drafts {
			if e, ok := d.Payload.(*event.OutputAppended); ok && strings.HasSuffix(e.Text, text) {
				return
			}
		}
	}
	t.Fatalf("nothing with %q was spooled in %s", text, dir)
}
