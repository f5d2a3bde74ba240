package runtime

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/quirehq/quire/core/artifact"
	"github.com/quirehq/quire/core/bytesize"
	"github.com/quirehq/quire/core/event"
)

// Waiting identifies text that becomes an artifact at the end of its run: the whole text of
// an output.
type Waiting struct {
	Output event.OutputID `json:"output"`
	Run    event.RunID    `json:"run"`
	Epoch  event.Epoch    `json:"epoch"`
	Late   event.CellID   `json:"late,omitempty"` // the run's cell if it had ended
}

// Scratch is a file for waiting text. It should outlive the runtime, so the text can be
// recovered if the runtime dies. Close removes it.
type Scratch interface {
	io.ReadWriteSeeker
	io.Closer
}

// uploader stores outputs of a run as artifacts. It waits while the store cannot be
// reached, and holds back the program meanwhile.
type uploader struct {
	store artifact.Store
	grace time.Duration
	life  context.Context // its end stops uploads at once
	// run ends when the run must end. An upload may then go on while it progresses within
	// each grace.
	run context.Context
}

// progressReader counts the reads of an upload.
type progressReader struct {
	io.ReadSeeker
	calls atomic.Int64
}

// Read implements io.Reader.
func (m *progressReader) Read(p []byte) (int, error) {
	m.calls.Add(1)
	return m.ReadSeeker.Read(p)
}

// upload stores the content of r.
func (k *uploader) upload(r io.ReadSeeker) (event.Artifact, error) {
	ctx, cancel := context.WithCancel(k.life)
	m := &progressReader{ReadSeeker: r}
	var watching sync.WaitGroup
	watching.Go(func() { k.watch(ctx, m, cancel) })
	a, err := k.store.Put(ctx, m)
	cancel()
	watching.Wait()
	return a, err
}

// watch cancels an upload that does not progress after the run had to end.
func (k *uploader) watch(ctx context.Context, m *progressReader, cancel context.CancelFunc) {
	select {
	case <-ctx.Done():
		return
	case <-k.run.Done():
	}
	grace := time.NewTicker(k.grace)
	defer grace.Stop()
	for last := int64(-1); last != m.calls.Load(); {
		last = m.calls.Load()
		select {
		case <-ctx.Done():
			return
		case <-grace.C:
		}
	}
	cancel()
}

// uploadLarge stores the values of a bundle that are larger than one, and then the largest
// while their sum is larger than all. A part of plain text stays in the bundle.
func (k *uploader) uploadLarge(b *bundle, one, all int) error {
	types := slices.SortedFunc(maps.Keys(b.data), func(x, y string) int { return len(b.data[y]) - len(b.data[x]) })
	for _, mime := range types {
		raw := b.data[mime]
		if len(raw) <= one && bundleLen(b.data)+bundleLen(b.metadata) <= all {
			break // the other values are smaller
		}
		content := artifact.Bytes(mime, raw)
		a, err := k.upload(bytes.NewReader(content))
		if err != nil {
			return fmt.Errorf("%s of %s: %w", mime, bytesize.About(int64(len(content))), err)
		}
		if b.artifacts == nil {
			b.artifacts = map[string]event.Artifact{}
		}
		b.artifacts[mime] = a
		delete(b.data, mime)
		if mime == artifact.Plain {
			b.data[mime] = textValue(artifact.Shown(string(content), min(shownText, one)))
		}
	}
	return nil
}

// shownText is the length of the shown part of plain text that is an artifact.
const shownText = 4 << 10
