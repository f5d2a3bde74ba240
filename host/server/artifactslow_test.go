package server_test

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"maps"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quirehq/quire/core/directory"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/host/server"
	"github.com/quirehq/quire/host/server/artifacts"
	"github.com/quirehq/quire/internal/ws"
)

// memoryArtifacts are artifacts in memory, of one notebook.
type memoryArtifacts struct {
	mu    sync.Mutex
	bytes map[string][]byte
	put   map[string]time.Time
	index map[string]event.Time // when they were uploaded
}

func newMemoryArtifacts() *memoryArtifacts {
	return &memoryArtifacts{bytes: map[string][]byte{}, put: map[string]time.Time{}, index: map[string]event.Time{}}
}

func (m *memoryArtifacts) Put(_ context.Context, r io.Reader, ready func(event.Artifact) error) (event.Artifact, error) {
	data, err := io.ReadAll(r)
	a := artifactOf(string(data))
	if err == nil {
		err = ready(a)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if err == nil && m.bytes[a.Hash] == nil {
		m.bytes[a.Hash], m.put[a.Hash] = data, time.Now()
	}
	return a, err
}

func (m *memoryArtifacts) Open(_ context.Context, hash string) (io.ReadSeekCloser, int64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	data, ok := m.bytes[hash]
	if !ok {
		return nil, 0, fs.ErrNotExist
	}
	return struct {
		io.ReadSeeker
		io.Closer
	}{bytes.NewReader(data), io.NopCloser(nil)}, int64(len(data)), nil
}

func (m *memoryArtifacts) Delete(_ context.Context, hash string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.bytes, hash)
	delete(m.put, hash)
	return nil
}

func (m *memoryArtifacts) List(_ context.Context, yield func(string, time.Time) error) error {
	m.mu.Lock()
	put := maps.Clone(m.put)
	m.mu.Unlock()
	for hash, at := range put {
		if err := yield(hash, at); err != nil {
			return err
		}
	}
	return nil
}

func (m *memoryArtifacts) AddArtifact(_ context.Context, _ string, a event.Artifact, at event.Time, _ int64) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.index[a.Hash] = at
	return true, nil
}

func (m *memoryArtifacts) Artifact(_ context.Context, _, hash string) (event.Artifact, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, ok := m.index[hash]; !ok {
		return event.Artifact{}, directory.ErrNotFound
	}
	return event.Artifact{Hash: hash, Size: int64(len(m.bytes[hash]))}, nil
}

func (m *memoryArtifacts) ArtifactBytes(context.Context, string) (int64, error) { return 0, nil }

func (m *memoryArtifacts) MentionArtifacts(context.Context, string, []event.Artifact) error {
	return nil
}

func (m *memoryArtifacts) CopyArtifacts(context.Context, string, string, event.Time) error {
	return nil
}

func (m *memoryArtifacts) LooseArtifacts(_ context.Context, before event.Time) (list []directory.Artifact, _ error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for hash, at := range m.index {
		if at < before {
			list = append(list, directory.Artifact{Notebook: "b1", Hash: hash})
		}
	}
	return list, nil
}

func (m *memoryArtifacts) DropArtifact(_ context.Context, a directory.Artifact, _ event.Time) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.index, a.Hash)
	return nil
}

func (m *memoryArtifacts) HoldsArtifact(_ context.Context, hash string) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, ok := m.index[hash]
	return ok, nil
}

// pipes is a listener whose connections are in memory, so that time can be made up.
type pipes struct {
	conns chan net.Conn
	ended chan struct{}
	once  sync.Once
}

func newPipes() *pipes { return &pipes{conns: make(chan net.Conn), ended: make(chan struct{})} }

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.ended:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.ended) })
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 80} }

func (p *pipes) dial(context.Context, string, string) (net.Conn, error) {
	here, there := net.Pipe()
	select {
	case p.conns <- there:
		return here, nil
	case <-p.ended:
		return nil, net.ErrClosed
	}
}

// slowWorld is a server in a bubble of time, with artifacts in memory.
type slowWorld struct {
	*memoryArtifacts
	t    *testing.T
	ln   *pipes
	http *http.Client
	stop func() // stops the server, and may be called again
}

// inSlowWorld calls f with a server for which time passes as fast as it may.
func inSlowWorld(t *testing.T, f func(*slowWorld), changes ...func(*server.Config)) {
	synctest.Test(t, func(t *testing.T) {
		st, ln, m := newStore(), newPipes(), newMemoryArtifacts()
		cfg := server.Config{
			Listener: ln, Directory: st, Access: st, Logs: st, Secret: secret, OwnerToken: ownerToken,
			Upgrade: func(rw http.ResponseWriter, r *http.Request) (protocol.Conn, error) {
				return ws.Accept(rw, r, ws.Options{})
			},
			Artifacts: artifacts.Storage{Bytes: m, Index: m, Loose: m},
		}
		for _, change := range changes {
			change(&cfg)
		}
		s, err := server.New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		if err := st.CreateNotebook(t.Context(), directory.Notebook{ID: "b1", Owner: "owner"}); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() {
			if err := s.Run(ctx); err != nil {
				t.Error(err)
			}
		})
		stop := func() {
			cancel()
			running.Wait()
		}
		transport := &http.Transport{DialContext: ln.dial}
		f(&slowWorld{memoryArtifacts: m, t: t, ln: ln, http: &http.Client{Transport: transport}, stop: stop})
		transport.CloseIdleConnections()
		stop()
	})
}

func (w *slowWorld) do(method, path string, body io.Reader) (*http.Response, error) {
	req, err := http.NewRequestWithContext(w.t.Context(), method, "http://127.0.0.1/api/notebooks/b1/artifacts"+path, body)
	if err != nil {
		w.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+ownerToken)
	return w.http.Do(req)
}

// slowly is a reader that rests before it reads each piece.
type slowly struct {
	r     io.Reader
	piece int
	rest  time.Duration
}

func (s slowly) Read(p []byte) (int, error) {
	time.Sleep(s.rest)
	return s.r.Read(p[:min(s.piece, len(p))])
}

func TestAR25ASlowUploadAndDownloadAreNotCutOffWhileSomethingPasses(t *testing.T) {
	inSlowWorld(t, func(w *slowWorld) {
		data := strings.Repeat("0123456789", 20_000)
		began := time.Now()
		resp, err := w.do("POST", "", slowly{strings.NewReader(data), 5_000, time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if took := time.Since(began); resp.StatusCode != 201 || took < 30*time.Minute {
			t.Errorf("got %d after %v, want 201 after more than half an hour", resp.StatusCode, took)
		}
		began = time.Now()
		resp, err = w.do("GET", "/"+artifactOf(data).Hash, nil)
		if err != nil {
			t.Fatal(err)
		}
		var got strings.Builder
		_, err = io.CopyBuffer(struct{ io.Writer }{&got}, slowly{resp.Body, 4_096, 10 * time.Second}, make([]byte, 4_096))
		_ = resp.Body.Close()
		if took := time.Since(began); got.String() != data || took < 8*time.Minute {
			t.Errorf("got %d bytes and %v after %v, want %d after more than eight minutes", got.Len(), err, took, len(data))
		}
	})
}

func TestAR25AnUploadOfWhichNothingComesIsCutOff(t *testing.T) {
	inSlowWorld(t, func(w *slowWorld) {
		body, end := io.Pipe()
		go func() {
			_, _ = io.WriteString(end, "begun")
			time.Sleep(time.Hour)
			_ = end.Close()
		}()
		began := time.Now()
		resp, err := w.do("POST", "", body)
		took := time.Since(began)
		if err == nil {
			_ = resp.Body.Close()
		}
		if status := statusOf(resp); took > 10*time.Minute || status == 201 {
			t.Errorf("got %d and %v after %v, want it cut off within minutes", status, err, took)
		}
		time.Sleep(time.Hour)
		if len(w.bytes) > 0 {
			t.Errorf("got %d artifacts, want none", len(w.bytes))
		}
	})
}

func statusOf(resp *http.Response) int {
	if resp == nil {
		return 0
	}
	return resp.StatusCode
}

func TestAR12ArtifactsAreCollectedByThemselves(t *testing.T) {
	inSlowWorld(t, func(w *slowWorld) {
		resp, err := w.do("POST", "", strings.NewReader("loose"))
		if err != nil || resp.StatusCode != 201 {
			t.Fatalf("got %v and %v", resp, err)
		}
		_ = resp.Body.Close()
		for _, step := range []struct {
			after time.Duration
			want  int
		}{{24 * time.Hour, 1}, {7 * time.Hour, 0}} {
			time.Sleep(step.after)
			synctest.Wait()
			w.mu.Lock()
			got := len(w.bytes)
			w.mu.Unlock()
			if got != step.want {
				t.Errorf("after %v: got %d artifacts, want %d", step.after, got, step.want)
			}
		}
	})
}
