package runtime

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/quirehq/quire/core/artifact"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
)

// shelf is a store of artifacts in memory that a test can take away.
type shelf struct {
	mu      sync.Mutex
	content map[string]string
	away    bool
	refuses error
	slow    time.Duration // for each 32 KiB
	open    int           // scratch files that are not closed
	full    bool          // scratch files take no more
}

func newShelf() *shelf { return &shelf{content: map[string]string{}} }

func (s *shelf) config(c *Config) { c.Artifacts, c.Scratch = s, s.scratch }

func (s *shelf) set(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
}

// Put implements artifact.Store.
func (s *shelf) Put(ctx context.Context, r io.ReadSeeker) (event.Artifact, error) {
	for {
		s.mu.Lock()
		away, refuses, slow := s.away, s.refuses, s.slow
		s.mu.Unlock()
		if refuses != nil {
			return event.Artifact{}, refuses
		}
		wait := 100 * time.Millisecond
		if !away {
			if _, err := r.Seek(0, io.SeekStart); err != nil {
				return event.Artifact{}, err
			}
			return s.take(ctx, r, slow)
		}
		select {
		case <-ctx.Done():
			return event.Artifact{}, ctx.Err()
		case <-time.After(wait):
		}
	}
}

func (s *shelf) take(ctx context.Context, r io.Reader, slow time.Duration) (event.Artifact, error) {
	var data []byte
	for buf := make([]byte, 32<<10); ; {
		n, err := r.Read(buf)
		data = append(data, buf[:n]...)
		if errors.Is(err, io.EOF) {
			break
		}
		if slow > 0 {
			time.Sleep(slow)
		}
		if err = errors.Join(err, ctx.Err()); err != nil {
			return event.Artifact{}, err
		}
	}
	sum := sha256.Sum256(data)
	hash := hex.EncodeToString(sum[:])
	s.mu.Lock()
	defer s.mu.Unlock()
	s.content[hash] = string(data)
	return event.Artifact{Hash: hash, Size: int64(len(data))}, nil
}

// scratch implements Config.Scratch.
func (s *shelf) scratch(Waiting) (Scratch, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open++
	return &pad{shelf: s}, nil
}

// pad is a scratch file in memory.
type pad struct {
	shelf *shelf
	data  []byte
	at    int64
}

var errFull = errors.New("no space left on the device")

func (p *pad) Write(b []byte) (int, error) {
	p.shelf.mu.Lock()
	defer p.shelf.mu.Unlock()
	if p.shelf.full {
		return 0, errFull
	}
	p.data = append(p.data, b...)
	return len(b), nil
}

func (p *pad) Read(b []byte) (int, error) {
	if p.at >= int64(len(p.data)) {
		return 0, io.EOF
	}
	n := copy(b, p.data[p.at:])
	p.at += int64(n)
	return n, nil
}

func (p *pad) Seek(offset int64, _ int) (int64, error) { p.at = offset; return offset, nil }

func (p *pad) Close() error {
	p.shelf.set(func() { p.shelf.open-- })
	return nil
}

// printedWhole returns all that a cell's run printed to a stream, and wants every artifact
// that its outputs have to be on the shelf.
func (s *shelf) printedWhole(t testing.TB, n *notebook.Notebook, cell event.CellID, stream string) string {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	var all strings.Builder
	for _, id := range n.Cell(cell).Outputs {
		v := n.Output(id).Value()
		for mime, a := range v.Artifacts {
			if content, ok := s.content[a.Hash]; !ok || int64(len(content)) != a.Size {
				t.Errorf("output %s has %s of %d bytes, which is not in the store", id, mime, a.Size)
			}
		}
		a, stored := v.Artifacts[artifact.Plain]
		switch {
		case v.Kind != event.OutputStream || v.Stream != stream:
		case stored:
			all.WriteString(s.content[a.Hash])
		default:
			all.WriteString(v.Text)
		}
	}
	return all.String()
}

// stored returns the texts on the shelf, sorted.
func (s *shelf) stored() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []string
	for _, content := range s.content {
		all = append(all, content)
	}
	slices.Sort(all)
	return all
}
