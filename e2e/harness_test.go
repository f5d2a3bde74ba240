package e2e_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/e2e/stage"
)

// patience is how long anything may take that must happen in the end. It is for a
// machine that has much else to do: nothing here is judged by how long it took.
const patience = 5 * time.Minute

// program is the binary that is tested, built by the first who asks for it.
var program struct {
	once      sync.Once
	dir, path string
	err       error
}

func TestMain(m *testing.M) {
	code := m.Run()
	if program.dir != "" {
		_ = os.RemoveAll(program.dir) // it is a directory for what may be removed
	}
	os.Exit(code)
}

func buildProgram(t *testing.T) string {
	t.Helper()
	program.once.Do(func() {
		program.dir, program.err = os.MkdirTemp("", "quire-e2e-")
		if program.err != nil {
			return
		}
		program.path = filepath.Join(program.dir, "quire")
		if program.err = stage.NoteSources(".."); program.err != nil {
			return
		}
		build := exec.Command("go", "build", "-o", program.path, "../cmd/quire")
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		out, err := build.CombinedOutput()
		if err != nil {
			program.err = fmt.Errorf("build: %w\n%s", err, out)
		}
	})
	if program.err != nil {
		t.Fatal(program.err)
	}
	return program.path
}

// newSeed returns the seed of a test that chooses at random, and has it printed.
func newSeed(t *testing.T) uint64 {
	t.Helper()
	seed := uint64(time.Now().UnixNano())
	if s := os.Getenv("QUIRE_TEST_SEED"); s != "" {
		var err error
		if seed, err = strconv.ParseUint(s, 10, 64); err != nil {
			t.Fatalf("QUIRE_TEST_SEED: %v", err)
		}
	}
	t.Logf("seed %d (the machine has a say in the order of things too; set QUIRE_TEST_SEED to choose it)", seed)
	return seed
}

// ignoreEnd returns the error of something that was told to end.
func ignoreEnd(err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return nil
	}
	return err
}

// server is a real server on a data directory, which is killed and started again
// at the same address.
type server struct {
	stage.Server
	binary, dir string
	log         stage.Buffer // what the processes said
	cmd         *exec.Cmd
}

// newServer returns a server that does not run yet.
func newServer(t *testing.T) *server {
	t.Helper()
	return &server{binary: buildProgram(t), dir: t.TempDir(), Server: stage.Server{Addr: stage.FreeAddr(t)}}
}

// start starts the server and waits until it answers.
func (s *server) start(t *testing.T) {
	t.Helper()
	s.cmd = exec.Command(s.binary, "serve", "--addr", s.Addr, "--data", s.dir, "--host", "127.0.0.1", "--keep-token")
	s.cmd.Env, s.cmd.Stderr = stage.Environ(), &s.log
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		word, err := s.find()
		if err != nil || word.PID != s.cmd.Process.Pid {
			continue
		}
		if s.Token == "" {
			s.Token = word.Token
		}
		if s.get(t.Context(), "/api/me") == nil {
			return
		}
	}
	t.Fatalf("the server does not answer:\n%s", s.log.String())
}

// word is what a server leaves in its data directory for programs to find it.
type word struct {
	URL   string `json:"url"`
	Token string `json:"token"`
	PID   int    `json:"pid"`
}

// find reads where the server listens.
func (s *server) find() (w word, err error) {
	data, err := os.ReadFile(filepath.Join(s.dir, "server.json"))
	if err != nil {
		return word{}, err
	}
	err = json.Unmarshal(data, &w)
	return w, err
}

func (s *server) kill() {
	if s.cmd == nil || s.cmd.Process == nil {
		return
	}
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait() // its state says no more than that it was killed
}

func (s *server) get(ctx context.Context, path string) error {
	resp, err := s.Request(ctx, "GET", path, nil)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// readLog returns the events of a notebook's log.
func (s *server) readLog(t *testing.T, notebook string) (events []event.Event) {
	t.Helper()
	for after := event.Seq(0); ; {
		n := len(events)
		events = s.readPage(t, notebook, after, events)
		if len(events) == n {
			return events
		}
		after = events[len(events)-1].Seq
	}
}

func (s *server) readPage(t *testing.T, notebook string, after event.Seq, to []event.Event) []event.Event {
	t.Helper()
	resp, err := s.Request(t.Context(), "GET", fmt.Sprintf("/api/notebooks/%s/log?after=%d", notebook, after), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		e, err := event.Decode(bytes.Clone(lines.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		to = append(to, e)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return to
}

// last returns the number of a log's last event.
func (s *server) last(t *testing.T, notebook string) event.Seq {
	t.Helper()
	return event.Seq(len(s.readLog(t, notebook)))
}

// crashes returns what the logs of the server and of runtimes say of programs that
// are broken.
func (s *server) crashes() []string { return stage.Crashes(stage.Logs(s.log.String(), s.dir)) }
