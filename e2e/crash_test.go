package e2e_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/replica"
	"github.com/quirehq/quire/core/text"
	"github.com/quirehq/quire/internal/ws"
)

// The size of the test of crashes.
const (
	crashWriters = 8
	crashKills   = 10
	crashTime    = 20 * time.Second
)

// TestNothingAcknowledgedIsLostOrRepeated has eight clients write into one notebook
// of a real server that is killed ten times, over connections that are cut at
// random. Afterwards every event that any client saw acknowledged must be in the log
// once, the numbers must have no gaps, and everybody must have the same notebook.
func TestNothingAcknowledgedIsLostOrRepeated(t *testing.T) {
	if testing.Short() {
		t.Skip("takes 20 s")
	}
	t.Parallel()
	seed := uint64(time.Now().UnixNano())
	if s := os.Getenv("QUIRE_TEST_SEED"); s != "" {
		seed, _ = strconv.ParseUint(s, 10, 64)
	}
	t.Logf("seed %d (times of kills are the machine's; set QUIRE_TEST_SEED to choose it)", seed)
	c := newCrash(t, seed)
	defer c.kill()
	c.start(t)
	c.notebook = c.create(t)
	writing, stopWriting := context.WithTimeout(t.Context(), crashTime)
	defer stopWriting()
	living, stopLiving := context.WithCancel(t.Context())
	defer stopLiving()
	var clients errgroup.Group
	for i := range crashWriters {
		w := c.writer(i)
		clients.Go(func() error { return ignoreEnd(w.session.Run(living)) })
		clients.Go(func() error { return ignoreEnd(w.write(writing)) })
	}
	c.killAtRandom(t, writing)
	<-writing.Done()
	c.settle(t)
	c.verify(t)
	stopLiving()
	if err := clients.Wait(); err != nil {
		t.Error(err)
	}
}

func ignoreEnd(err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return nil
	}
	return err
}

// crash is a server that is killed, and those who write meanwhile.
type crash struct {
	binary, dir, notebook string
	addr                  string
	rand                  *rand.Rand
	cmd                   *exec.Cmd
	log                   lockedBuffer // what the servers said
	writers               []*crashWriter

	mu    sync.Mutex
	acked map[event.ID]event.Seq
	twice []string // events that were acknowledged with two numbers
	kills int
	cuts  int
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

func newCrash(t *testing.T, seed uint64) *crash {
	t.Helper()
	c := &crash{
		binary: filepath.Join(t.TempDir(), "quire"), dir: t.TempDir(), addr: "127.0.0.1:0",
		rand: rand.New(rand.NewPCG(seed, 0)), acked: map[event.ID]event.Seq{},
	}
	build := exec.CommandContext(t.Context(), "go", "build", "-o", c.binary, "../cmd/quire")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	return c
}

// start starts the server and waits until it answers, at the address that it had
// before.
func (c *crash) start(t *testing.T) {
	t.Helper()
	c.cmd = exec.Command(c.binary, "serve", "--addr", c.addr, "--data", c.dir)
	c.cmd.Stderr = &c.log
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		url, token, pid, err := c.find()
		if err != nil || pid != c.cmd.Process.Pid {
			continue
		}
		if _, err := c.request(t.Context(), "GET", url+"/api/me", token, nil); err == nil {
			c.addr = url[len("http://"):]
			return
		}
	}
	t.Fatalf("the server does not answer:\n%s", c.log.String())
}

// find reads where the server listens.
func (c *crash) find() (url, token string, pid int, err error) {
	data, err := os.ReadFile(filepath.Join(c.dir, "server.json"))
	if err != nil {
		return "", "", 0, err
	}
	var f struct {
		URL, Token string
		PID        int
	}
	err = json.Unmarshal(data, &f)
	return f.URL, f.Token, f.PID, err
}

func (c *crash) request(ctx context.Context, method, url, token string, body []byte) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err == nil && resp.StatusCode >= 300 {
		resp.Body.Close()
		return nil, fmt.Errorf("%s %s: %s", method, url, resp.Status)
	}
	return resp, err
}

func (c *crash) create(t *testing.T) string {
	t.Helper()
	url, token, _, err := c.find()
	if err != nil {
		t.Fatal(err)
	}
	resp, err := c.request(t.Context(), "POST", url+"/api/notebooks", token, []byte(`{"title":"crash"}`))
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

func (c *crash) kill() {
	_ = c.cmd.Process.Kill()
	_ = c.cmd.Wait() // its state says no more than that it was killed
}

// killAtRandom kills the server and starts it again until it was killed as often as
// it should be, spread over the time of writing.
func (c *crash) killAtRandom(t *testing.T, ctx context.Context) {
	t.Helper()
	for c.kills < crashKills && ctx.Err() == nil {
		wait := time.Duration((0.5 + c.rand.Float64()) * float64(crashTime) / (crashKills + 3))
		select {
		case <-time.After(wait):
		case <-ctx.Done():
		}
		c.kill()
		c.kills++
		c.start(t)
	}
	for ; c.kills < crashKills; c.kills++ { // a slow machine kills the rest at the end
		c.kill()
		c.start(t)
	}
}

// crashWriter is a client that writes.
type crashWriter struct {
	crash   *crash
	session *replica.Session
	rand    *rand.Rand
	index   int
	made    int
}

func (c *crash) writer(i int) *crashWriter {
	w := &crashWriter{crash: c, index: i, rand: rand.New(rand.NewPCG(c.rand.Uint64(), uint64(i)))}
	cuts := rand.New(rand.NewPCG(c.rand.Uint64(), uint64(i)))
	w.session = replica.NewSession(replica.SessionConfig{
		Replica: replica.New(event.ClientID(fmt.Sprintf("writer%d", i))),
		Dial: func(ctx context.Context) (replica.Conn, error) {
			url, token, _, err := c.find()
			if err != nil {
				return nil, err
			}
			conn, err := ws.Dial(ctx, url+"/api/notebooks/"+c.notebook+"/sync", token, ws.Options{})
			if err != nil {
				return nil, err
			}
			life := time.Duration(200+cuts.IntN(4_000)) * time.Millisecond
			return &cutConn{Conn: conn, cut: time.AfterFunc(life, func() { c.note(func() { c.cuts++ }); _ = conn.Close() })}, nil
		},
		Updated: func(_ *replica.Replica, up replica.Update) { c.acknowledge(up.Committed) },
	})
	c.writers = append(c.writers, w)
	return w
}

// cutConn is a connection that somebody pulls the plug of.
type cutConn struct {
	replica.Conn
	cut *time.Timer
}

func (c *cutConn) Close() error {
	c.cut.Stop()
	return c.Conn.Close()
}

func (c *crash) note(f func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f()
}

// acknowledge remembers events that a client was shown.
func (c *crash) acknowledge(events []event.Event) {
	c.note(func() {
		for _, e := range events {
			if seq, ok := c.acked[e.ID]; ok && seq != e.Seq {
				c.twice = append(c.twice, fmt.Sprintf("%s as %d and %d", e.ID, seq, e.Seq))
			}
			c.acked[e.ID] = e.Seq
		}
	})
}

// write edits the notebook until ctx ends, connected or not.
func (w *crashWriter) write(ctx context.Context) error {
	for ctx.Err() == nil {
		err := w.session.With(func(r *replica.Replica) error {
			if r.Pending() > 200 {
				return nil
			}
			return w.act(r)
		})
		if err != nil {
			return err
		}
		time.Sleep(time.Duration(w.rand.IntN(6)) * time.Millisecond)
	}
	return nil
}

func (w *crashWriter) act(r *replica.Replica) error {
	cells := r.View().Cells()
	w.made++
	var err error
	switch p := w.rand.IntN(100); {
	case len(cells) == 0 || p < 3 && len(cells) < 40:
		key, keyErr := r.View().Between(w.rand.IntN(len(cells) + 1))
		if keyErr != nil {
			return keyErr
		}
		id := event.CellID(fmt.Sprintf("cell-%d-%d", w.index, w.made))
		_, _, err = r.Do(&event.CellCreated{Cell: id, Kind: event.KindCode, Order: key})
	case p < 5:
		key, keyErr := r.View().Between(w.rand.IntN(len(cells) + 1))
		if keyErr != nil {
			return keyErr
		}
		_, _, err = r.Do(&event.CellMoved{Cell: cells[w.rand.IntN(len(cells))], Order: key})
	case p < 6 && len(cells) > 3:
		_, _, err = r.Do(&event.CellDeleted{Cell: cells[w.rand.IntN(len(cells))]})
	default:
		cell := cells[w.rand.IntN(min(len(cells), 4))] // a few, so that they meet
		n := r.View().Cell(cell).Text().Len()
		edit := text.Insert(w.rand.IntN(n+1), fmt.Sprintf("<%d.%d>", w.index, w.made))
		if n > 2_000 {
			edit = text.Delete(w.rand.IntN(n-100), 100)
		}
		_, _, err = r.Edit(cell, edit)
	}
	var moot *notebook.Moot
	if errors.As(err, &moot) {
		return nil // it lost a race within its own view, such as a cell deleted twice
	}
	return err
}

// settle waits until nothing is pending and everybody has everything.
func (c *crash) settle(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for i, w := range c.writers {
		if err := w.session.Wait(ctx, func(r *replica.Replica) bool { return r.Online() && r.Pending() == 0 }); err != nil {
			t.Fatalf("writer %d does not come to rest: %v\n%s", i, err, c.log.String())
		}
	}
	last := c.last(t)
	for i, w := range c.writers {
		if err := w.session.Wait(ctx, func(r *replica.Replica) bool { return r.Confirmed().Seq() >= last }); err != nil {
			t.Fatalf("writer %d does not get event %d: %v", i, last, err)
		}
	}
}

// readLog calls f with each event of the server's log.
func (c *crash) readLog(t *testing.T, f func(*event.Event)) {
	t.Helper()
	url, token, _, err := c.find()
	if err != nil {
		t.Fatal(err)
	}
	for after := event.Seq(0); ; {
		resp, err := c.request(t.Context(), "GET", fmt.Sprintf("%s/api/notebooks/%s/log?after=%d", url, c.notebook, after), token, nil)
		if err != nil {
			t.Fatal(err)
		}
		before := after
		lines := bufio.NewScanner(resp.Body)
		lines.Buffer(nil, 16<<20)
		for lines.Scan() {
			e, err := event.Decode(lines.Bytes())
			if err != nil {
				t.Fatal(err)
			}
			after = e.Seq
			f(&e)
		}
		resp.Body.Close()
		if after == before {
			return
		}
	}
}

func (c *crash) last(t *testing.T) (last event.Seq) {
	t.Helper()
	c.readLog(t, func(e *event.Event) { last = e.Seq })
	return last
}

func (c *crash) verify(t *testing.T) {
	t.Helper()
	book, at := notebook.New(), map[event.ID]event.Seq{}
	c.readLog(t, func(e *event.Event) {
		if want := book.Seq() + 1; e.Seq != want {
			t.Errorf("event %d stands where %d belongs", e.Seq, want)
		}
		if seq, ok := at[e.ID]; ok {
			t.Errorf("event %s is there twice, as %d and %d", e.ID, seq, e.Seq)
		}
		at[e.ID] = e.Seq
		_, _ = book.Apply(e, nil) // what is moot changes nothing
	})
	c.mu.Lock() // connections are still cut and made again while this looks
	defer c.mu.Unlock()
	for id, seq := range c.acked {
		if at[id] != seq {
			t.Errorf("event %s was acknowledged as %d and is %d in the log", id, seq, at[id])
		}
	}
	for _, twice := range c.twice {
		t.Errorf("acknowledged twice: event %s", twice)
	}
	want, err := book.Hash()
	if err != nil {
		t.Fatal(err)
	}
	for i, w := range c.writers {
		if err := w.session.With(func(r *replica.Replica) error {
			if got, err := r.Confirmed().Hash(); err != nil || got != want {
				t.Errorf("writer %d has hash %x, the log folds to %x (%v)", i, got, want, err)
			}
			return nil
		}); err != nil {
			t.Error(err)
		}
	}
	t.Logf("%d events, %d acknowledged, %d kills, %d connections cut", len(at), len(c.acked), c.kills, c.cuts)
	if len(c.acked) < 1_000 {
		t.Errorf("only %d events were acknowledged: the test did not test much", len(c.acked))
	}
}
