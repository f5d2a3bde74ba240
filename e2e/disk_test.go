package e2e_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/quirehq/quire/core/event"
)

// TestAFullDiskLosesNothingAcknowledged serves a data directory on a disk of 4 MiB
// until that is full: writing then fails with a clear message, reading goes on, and
// when there is space again so does writing, with all that had been acknowledged.
func TestAFullDiskLosesNothingAcknowledged(t *testing.T) {
	t.Parallel()
	disk := t.TempDir()
	if out, err := exec.CommandContext(t.Context(), "mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", disk).CombinedOutput(); err != nil {
		t.Skipf("a small disk cannot be mounted here, which needs root: %v: %s", err, out)
	}
	t.Cleanup(func() {
		if out, err := exec.Command("umount", disk).CombinedOutput(); err != nil {
			t.Errorf("umount: %v: %s", err, out)
		}
	})
	c := newCrash(t, 1)
	c.dir = filepath.Join(disk, "data")
	c.start(t)
	defer c.kill()
	c.notebook = c.Create(t)

	source := strings.Repeat("a line that is not like the others: 0123456789\n", 12_000)
	var acked []string
	for len(acked) < 20 {
		id, stderr, code := c.add(t, source)
		if code != 0 {
			if want := "could not be written"; code != 3 || !strings.Contains(stderr, want) {
				t.Fatalf("exit code %d and %q; want 3 and a message with %q", code, stderr, want)
			}
			break
		}
		acked = append(acked, id)
	}
	if len(acked) == 0 || len(acked) == 20 {
		t.Fatalf("%d cells of half a megabyte went onto a disk of 4 MiB", len(acked))
	}
	if got := c.last(t, c.notebook); got < event.Seq(len(acked)) {
		t.Errorf("the log ends at %d while the disk is full, after %d cells were acknowledged", got, len(acked))
	}
	if !strings.Contains(c.log.String(), "disk of data directory") {
		t.Errorf("the server's log does not say that the disk is full:\n%.500s", c.log.String())
	}

	if out, err := exec.CommandContext(t.Context(), "mount", "-o", "remount,size=64m", disk).CombinedOutput(); err != nil {
		t.Fatalf("remount: %v: %s", err, out)
	}
	id, stderr, code := c.add(t, "there is space again")
	if code != 0 {
		t.Fatalf("exit code %d and %q after there was space again", code, stderr)
	}
	c.kill()
	c.start(t)
	c.wantCells(t, append(acked, id))
}

// add adds a cell with the command, and returns its id, what it said and its exit code.
func (c *crash) add(t *testing.T, source string) (id, stderr string, code int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, c.binary, "add", c.notebook, "-", "--data", c.dir)
	cmd.Stdin = strings.NewReader(source)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if _, exited := err.(*exec.ExitError); err != nil && !exited {
		t.Fatal(err)
	}
	return strings.TrimSpace(out.String()), errs.String(), cmd.ProcessState.ExitCode()
}

// wantCells wants the notebook to have these cells, and no others.
func (c *crash) wantCells(t *testing.T, want []string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), c.binary, "show", c.notebook, "--json", "--data", c.dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var shown struct{ Cells []struct{ ID string } }
	if err := json.Unmarshal(out, &shown); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, cell := range shown.Cells {
		got = append(got, cell.ID)
	}
	if strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("the notebook has cells %v; want %v", got, want)
	}
}
