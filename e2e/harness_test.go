package e2e_test

import (
	"bufio"
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
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/quirehq/quire/core/event"
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
		if program.err = noteSources(); program.err != nil {
			return
		}
		out, err := exec.Command("go", "build", "-o", program.path, "../cmd/quire").CombinedOutput()
		if err != nil {
			program.err = fmt.Errorf("build: %w\n%s", err, out)
		}
	})
	if program.err != nil {
		t.Fatal(program.err)
	}
	return program.path
}

// noteSources looks at all that the program is built from. The go command keeps the
// results of tests, and would not know else that they depend on it.
func noteSources() error {
	var errs []error
	for _, dir := range []string{"cmd", "core", "host", "internal", "runner", "web"} {
		err := filepath.WalkDir(filepath.Join("..", dir), func(_ string, _ fs.DirEntry, err error) error { return err })
		if !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
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
	binary, dir string
	addr        string
	log         lockedBuffer // what the processes said
	token       string
	cmd         *exec.Cmd
}

// newServer returns a server that does not run yet.
func newServer(t *testing.T) *server {
	t.Helper()
	return &server{binary: buildProgram(t), dir: t.TempDir(), addr: freeAddr(t)}
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

// start starts the server and waits until it answers.
func (s *server) start(t *testing.T) {
	t.Helper()
	s.cmd = exec.Command(s.binary, "serve", "--addr", s.addr, "--data", s.dir, "--host", "127.0.0.1")
	s.cmd.Env, s.cmd.Stderr = environ(), &s.log
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		word, err := s.find()
		if err != nil || word.PID != s.cmd.Process.Pid {
			continue
		}
		if s.token == "" {
			s.token = word.Token
		}
		if s.get(t.Context(), "/api/me") == nil {
			return
		}
	}
	t.Fatalf("the server does not answer:\n%s", s.log.String())
}

// environ returns our environment without what would lead to another server.
func environ() (kept []string) {
	for _, entry := range os.Environ() {
		switch name, _, _ := strings.Cut(entry, "="); name {
		case "QUIRE_SERVER", "QUIRE_TOKEN", "QUIRE_DATA", "QUIRE_NOTEBOOK", "QUIRE_ADDR":
		default:
			kept = append(kept, entry)
		}
	}
	return kept
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
	resp, err := s.request(ctx, "GET", path, nil)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// request asks the server itself, whatever is in front of it.
func (s *server) request(ctx context.Context, method, path string, body []byte) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, "http://"+s.addr+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+s.token)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err == nil && resp.StatusCode >= 300 {
		_ = resp.Body.Close() // the status is what counts
		return nil, fmt.Errorf("%s %s: %s", method, path, resp.Status)
	}
	return resp, err
}

// create makes a notebook.
func (s *server) create(t *testing.T) string {
	t.Helper()
	resp, err := s.request(t.Context(), "POST", "/api/notebooks", []byte(`{"title":"test"}`))
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
	resp, err := s.request(t.Context(), "GET", fmt.Sprintf("/api/notebooks/%s/log?after=%d", notebook, after), nil)
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

// crashes returns what the logs of the server and of runtimes say of programs that
// are broken.
func (s *server) crashes(t *testing.T) (found []string) {
	t.Helper()
	logs := []string{s.log.String()}
	names, err := filepath.Glob(filepath.Join(s.dir, "runtimes", "*.log*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		logs = append(logs, string(data))
	}
	for line := range strings.Lines(strings.Join(logs, "\n")) {
		for _, sign := range []string{"panic:", "fatal error:", "DATA RACE"} {
			if strings.Contains(line, sign) {
				found = append(found, line)
			}
		}
	}
	return found
}
