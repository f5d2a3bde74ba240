//go:build linux

package faults_test

import (
	"bytes"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"github.com/quirehq/quire/core/event"
)

// command is a client that is a process of its own: it adds a cell and says so, or is
// killed before.
type command struct {
	source string
	cell   event.CellID // that it said it had added
	killed bool
}

// run runs the command, and kills it if it takes longer than it may. It returns when
// the process has ended.
func (b *book) run(n int, may time.Duration) error {
	c := &command{source: fmt.Sprintf("a cell of command %d", n)}
	cmd := exec.Command(b.play.house.binary, "add", b.id, c.source, "--server", b.play.people.url(), "--token", b.play.house.Token)
	cmd.Env = b.play.house.environ
	var out bytes.Buffer
	cmd.Stdout = &out
	if err := cmd.Start(); err != nil {
		return err
	}
	late := time.AfterFunc(may, func() { _ = cmd.Process.Kill() }) // it may have ended
	err := cmd.Wait()
	c.killed = !late.Stop()
	if err == nil {
		c.cell = event.CellID(strings.TrimSpace(out.String()))
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.added = append(b.added, c)
	return nil
}

// fault says what is wrong with what the log has of the command, if anything: what it
// has said to be there is there once, and what it has not is there once at most.
func (c *command) fault(cells map[event.CellID]string) string {
	n := 0
	for id, source := range cells {
		if source != c.source {
			continue
		}
		if n++; c.cell != "" && c.cell != id {
			return fmt.Sprintf("a command said that it had added %s, and added %s", c.cell, id)
		}
	}
	if n > 1 || n == 0 && c.cell != "" {
		return fmt.Sprintf("a command that said it had added cell %q has added %d", c.cell, n)
	}
	return ""
}
