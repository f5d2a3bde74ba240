package script

import (
	"io"
	"sync"

	"github.com/quirehq/quire/core/engineproto"
)

// maxRequests bounds the requests that wait to be written. Only interrupts can be so many, and one is as good as many.
const maxRequests = 1000

// requestWriter writes requests in the order of their calls. The caller does not wait: an engine that does not read may
// have output to write first.
type requestWriter struct {
	to io.Writer

	mu    sync.Mutex
	queue [][]byte
	wake  chan struct{} // of capacity one
}

func newRequestWriter(to io.Writer) *requestWriter {
	return &requestWriter{to: to, wake: make(chan struct{}, 1)}
}

// put adds a request.
func (w *requestWriter) put(m engineproto.FromHost) {
	line, err := engineproto.EncodeFromHost(m)
	if err != nil {
		return // nothing is too long that Execute has let through
	}
	w.mu.Lock()
	if len(w.queue) < maxRequests {
		w.queue = append(w.queue, line)
	}
	w.mu.Unlock()
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// run writes until quit is closed, or the engine does not read any more.
func (w *requestWriter) run(quit <-chan struct{}) {
	for {
		select {
		case <-quit:
			return
		case <-w.wake:
		}
		w.mu.Lock()
		lines := w.queue
		w.queue = nil
		w.mu.Unlock()
		for _, line := range lines {
			if _, err := w.to.Write(line); err != nil {
				return
			}
		}
	}
}
