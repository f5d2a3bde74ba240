//go:build linux

package faults_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/quirehq/quire/e2e/stage"
)

// patience is how long anything may take that must happen in the end. It is for a
// machine that has much else to do: nothing here is judged by how long it took.
const patience = 2 * time.Minute

// built is the program that is tested, built by the first who asks for it.
var built struct {
	once      sync.Once
	dir, path string
	python    string // the interpreter itself, and not what chooses one, which takes its time
	err       error
}

func buildProgram(t *testing.T) string {
	t.Helper()
	built.once.Do(func() {
		out, err := exec.Command("python3", "-c", "import sys; print(sys.executable)").Output()
		if built.python, built.err = strings.TrimSpace(string(out)), err; err != nil {
			return
		}
		if built.path = *program; built.path != "" {
			return
		}
		if built.dir, built.err = os.MkdirTemp("", "quire-faults-"); built.err != nil {
			return
		}
		built.path = filepath.Join(built.dir, "quire")
		if built.err = stage.NoteSources("../.."); built.err != nil {
			return
		}
		build := exec.Command("go", "build", "-tags", "faults", "-o", built.path, "../../cmd/quire")
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err = build.CombinedOutput(); err != nil {
			built.err = fmt.Errorf("build: %w\n%s", err, out)
		}
	})
	if built.err != nil {
		t.Fatal(built.err)
	}
	return built.path
}

// house is a data directory and the server of it, which is a process that is killed
// and started again at the same address.
type house struct {
	stage.Server
	binary, dir string
	environ     []string
	log         stage.Buffer // what the servers said

	replacing sync.Mutex // held by whoever ends the server and starts the next

	mu   sync.Mutex
	cmd  *exec.Cmd
	over chan struct{} // closed when it has ended
	told bool          // it was made to end
	own  []string      // ends of servers that were not
}

// start starts the server and waits until it answers. One that ends meanwhile, as it
// may on a full disk, is started again; while may says whether that is so.
func (h *house) start(may func() bool) error {
	began := time.Now()
	for time.Since(began) < patience {
		over, err := h.launch()
		if err != nil {
			return err
		}
		for ended := false; !ended && time.Since(began) < patience; {
			if h.isUp() {
				return nil
			}
			select {
			case <-over:
				ended = true
			case <-time.After(5 * time.Millisecond):
			}
		}
		if !may() {
			return fmt.Errorf("the server did not start:\n%s", end(h.log.String()))
		}
		time.Sleep(50 * time.Millisecond)
	}
	return fmt.Errorf("the server does not answer:\n%s", end(h.log.String()))
}

// launch starts the process.
func (h *house) launch() (over <-chan struct{}, err error) {
	cmd := exec.Command(h.binary, "serve", "--addr", h.Addr, "--data", h.dir, "--host", "127.0.0.1", "--keep-token", "--grace", "2s", "--python", built.python)
	cmd.Env, cmd.Stderr = h.environ, &h.log
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	done := make(chan struct{})
	h.mu.Lock()
	defer h.mu.Unlock()
	h.cmd, h.over, h.told = cmd, done, false
	go func() {
		err := cmd.Wait()
		h.mu.Lock()
		defer h.mu.Unlock()
		if !h.told {
			h.own = append(h.own, fmt.Sprintf("a server ended by itself: %v", err))
		}
		close(done)
	}()
	return done, nil
}

// isUp reports whether the server that was started last answers.
func (h *house) isUp() bool {
	data, err := os.ReadFile(filepath.Join(h.dir, "server.json"))
	var word struct {
		Token string
		PID   int
	}
	if err != nil || json.Unmarshal(data, &word) != nil || word.PID != h.process().Pid {
		return false
	}
	if h.Token == "" { // the owner's stays the same
		h.Token = word.Token
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	resp, err := h.Request(ctx, "GET", "/api/me", nil)
	return err == nil && resp.Body.Close() == nil
}

func (h *house) process() *os.Process {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.cmd.Process
}

// end sends the server a signal that ends it, and returns its exit code, -1 if a signal
// ended it at once.
func (h *house) end(ctx context.Context, signal syscall.Signal) (code int, err error) {
	h.mu.Lock()
	cmd, over := h.cmd, h.over
	h.told = true
	h.mu.Unlock()
	_ = cmd.Process.Signal(signal) // it may have ended
	select {
	case <-over:
		return cmd.ProcessState.ExitCode(), nil
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}

// logs returns what the server and the runtimes said, by name.
func (h *house) logs() map[string]string { return stage.Logs(h.log.String(), h.dir) }

// end returns the end of a text.
func end(s string) string { return s[max(len(s)-6_000, 0):] }
