package artifacts

import (
	"context"
	"io"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/quirehq/quire/core/directory"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/internal/blob"
	"github.com/quirehq/quire/internal/sqlite"
)

// slowDelete deletes once a test lets it.
type slowDelete struct {
	Bytes
	begun, proceed chan struct{}
}

func (s *slowDelete) Delete(ctx context.Context, hash string) error {
	s.begun <- struct{}{}
	<-s.proceed
	return s.Bytes.Delete(ctx, hash)
}

type uncounted struct{}

func (uncounted) Add(float64) {}

func TestAR12AnUploadAtTheMomentOfTheDeletionIsKept(t *testing.T) {
	bytes := &slowDelete{begun: make(chan struct{}), proceed: make(chan struct{})}
	var now atomic.Int64
	now.Store(time.Now().UnixMilli()) // files have the time of the machine
	s := newService(t, func(cfg *Config) {
		bytes.Bytes, cfg.Bytes = cfg.Bytes, bytes
		cfg.Now = func() event.Time { return event.Time(now.Load()) }
	})
	put := func() event.Artifact {
		a, err := s.Put(t.Context(), "b1", strings.NewReader("again"))
		if err != nil {
			t.Error(err)
		}
		return a
	}
	a := put()
	now.Add((25 * time.Hour).Milliseconds())
	var all sync.WaitGroup
	all.Go(func() {
		if err := s.Sweep(t.Context()); err != nil {
			t.Error(err)
		}
	})
	<-bytes.begun // no notebook has the bytes, and they are still there
	all.Go(func() { put() })
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	for s.users(a.Hash) < 2 && ctx.Err() == nil {
	}
	close(bytes.proceed)
	all.Wait()
	content, err := s.Of("b1").Open(t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	defer content.Close()
	if got, err := io.ReadAll(content); string(got) != "again" {
		t.Errorf("got %q, %v", got, err)
	}
}

// users returns how many uploads and deletions use the bytes of a hash.
func (s *Service) users(hash string) int {
	s.holds.mu.Lock()
	defer s.holds.mu.Unlock()
	if s.holds.of[hash] == nil {
		return 0
	}
	return s.holds.of[hash].users
}

// newService returns artifacts in a folder, with a notebook b1.
func newService(t *testing.T, change func(*Config)) *Service {
	t.Helper()
	dir := t.TempDir()
	db, err := sqlite.Open(t.Context(), sqlite.Config{Dir: filepath.Join(dir, "db")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	if err := db.UpsertPerson(t.Context(), directory.Person{ID: "owner"}); err != nil {
		t.Fatal(err)
	}
	if err := db.CreateNotebook(t.Context(), directory.Notebook{ID: "b1", Owner: "owner"}); err != nil {
		t.Fatal(err)
	}
	disk, err := blob.OpenDisk(t.Context(), filepath.Join(dir, "artifacts"), "test")
	if err != nil {
		t.Fatal(err)
	}
	cfg := Config{
		Storage: Storage{Bytes: disk, Index: db, Loose: db},
		Limits:  Limits{Artifact: 1 << 20, Notebook: 1 << 30, Uploads: 16, Keep: 24 * time.Hour, Collect: time.Hour},
		Metrics: Metrics{Received: uncounted{}, Sent: uncounted{}, Collected: uncounted{}},
		Logger:  slog.New(slog.DiscardHandler),
	}
	change(&cfg)
	return New(cfg)
}
