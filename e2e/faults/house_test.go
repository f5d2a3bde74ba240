//go:build linux

package faults_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
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
		if built.err = noteSources(); built.err != nil {
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

// noteSources looks at all that the program is built from. The go command keeps the
// results of tests, and would not know else that they depend on it.
func noteSources() error {
	var errs []error
	for _, dir := range []string{"cmd", "core", "host", "internal"} {
		err := filepath.WalkDir(filepath.Join("../..", dir), func(_ string, _ fs.DirEntry, err error) error { return err })
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// house is a data directory and the server of it, which is a process that is killed
// and started again at the same address.
type house struct {
	binary, dir, addr string
	environ           []string
	log               lockedBuffer // what the servers said
	token             string       // the owner's

	replacing sync.Mutex // held by whoever ends the server and starts the next

	mu   sync.Mutex
	cmd  *exec.Cmd
	over chan struct{} // closed when it has ended
	told bool          // it was made to end
	own  []string      // ends of servers that were not
}

// freeAddr returns an address where nothing listens. Its port is none of those that
// outgoing connections get, one of which may else have it while the server is away.
func freeAddr(t *testing.T) string {
	t.Helper()
	for range 100 {
		addr := fmt.Sprintf("127.0.0.1:%d", 10_000+rand.IntN(20_000))
		if l, err := net.Listen("tcp", addr); err == nil {
			_ = l.Close() // it was only to see
			return addr
		}
	}
	t.Fatal("found no free port")
	return ""
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
	cmd := exec.Command(h.binary, "serve", "--addr", h.addr, "--data", h.dir, "--host", "127.0.0.1", "--grace", "2s", "--python", built.python)
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
	if h.token == "" { // the owner's stays the same
		h.token = word.Token
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	resp, err := h.request(ctx, "GET", "/api/me", nil)
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

// request asks the server itself, whatever is in front of it.
func (h *house) request(ctx context.Context, method, path string, body []byte) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, "http://"+h.addr+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+h.token)
	req.Header.Set("Content-Type", "application/json")
	req.Close = true // the next server must not be asked on a connection to this one
	resp, err := http.DefaultClient.Do(req)
	if err == nil && resp.StatusCode >= 300 {
		_ = resp.Body.Close() // the status is what counts
		return nil, fmt.Errorf("%s %s: %s", method, path, resp.Status)
	}
	return resp, err
}

// create makes a notebook.
func (h *house) create(t *testing.T) string {
	t.Helper()
	resp, err := h.request(t.Context(), "POST", "/api/notebooks", []byte(`{"title":"test"}`))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var made struct{ ID string }
	if err := json.NewDecoder(resp.Body).Decode(&made); err != nil {
		t.Fatal(err)
	}
	return made.ID
}

// logs returns what the server and the runtimes said, by name.
func (h *house) logs() map[string]string {
	logs := map[string]string{"server": h.log.String()}
	names, _ := filepath.Glob(filepath.Join(h.dir, "runtimes", "*.log*")) // the pattern is good
	for _, name := range names {
		if data, err := os.ReadFile(name); err == nil {
			logs[filepath.Base(name)] = string(data)
		}
	}
	return logs
}

// crashes returns what the logs say of programs that are broken.
func (h *house) crashes() (found []string) {
	for name, log := range h.logs() {
		for line := range strings.Lines(log) {
			for _, sign := range []string{"panic:", "fatal error:", "DATA RACE"} {
				if strings.Contains(line, sign) {
					found = append(found, name+": "+line)
				}
			}
		}
	}
	return found
}

// end returns the end of a text.
func end(s string) string { return s[max(len(s)-6_000, 0):] }

// lockedBuffer is a buffer that a process writes while a test reads it.
type lockedBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}
