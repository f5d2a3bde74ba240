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
	"github.com/quirehq/quire/core/event"
)

// Waiting names text that waits for the end of its run to become an artifact: it is the
// whole of that output's text.
type Waiting struct {
	Output event.OutputID `json:"output"`
	Run    event.RunID    `json:"run"`
	Epoch  event.Epoch    `json:"epoch"`
	Late   event.CellID   `json:"late,omitempty"` // the run's cell if it had ended
}

// Scratch is a file for text that waits. What was written to it should outlive the
// runtime, for whoever finds it dead. Close removes it.
type Scratch interface {
	io.ReadWriteSeeker
	io.Closer
}

// uploader puts what a run produced into the store. It waits for a store that cannot be
// reached, and holds up whoever produces outputs meanwhile.
type uploader struct {
	store artifact.Store
	grace time.Duration
	life  context.Context // when it ends nothing is put any more, at once
	// run ends when the run has to. What is being put then may go on for as long as it
	// gets anywhere within each grace.
	run context.Context
}

// progressReader is content that is being put. It knows how far that has come.
type progressReader struct {
	io.ReadSeeker
	calls atomic.Int64
}

// Read implements io.Reader.
func (m *progressReader) Read(p []byte) (int, error) {
	m.calls.Add(1)
	return m.ReadSeeker.Read(p)
}

// upload stores what r has.
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

// watch cancels a put that gets nowhere after the run had to end.
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

// uploadLarge puts values of a bundle into the store that are larger than one may be, and then the
// largest for as long as all together are too large. Plain text is shown in part.
func (k *uploader) uploadLarge(b *bundle, one, all int) error {
	types := slices.SortedFunc(maps.Keys(b.data), func(x, y string) int { return len(b.data[y]) - len(b.data[x]) })
	for _, mime := range types {
		raw := b.data[mime]
		if len(raw) <= one && bundleLen(b.data)+bundleLen(b.metadata) <= all {
			break // and so are those behind it
		}
		content := artifact.Bytes(mime, raw)
		a, err := k.upload(bytes.NewReader(content))
		if err != nil {
			return fmt.Errorf("%s of %s: %w", mime, sizeText(int64(len(content))), err)
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

// shownText is how much is shown of plain text that is an artifact.
const shownText = 4 << 10
