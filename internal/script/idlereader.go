package script

import "github.com/quirehq/quire/core/engineproto"

// idleReader reads output between two runs.
type idleReader struct {
	stopped chan struct{}
	done    chan struct{}
}

// startReader starts to read; the process waits for the reader at its end. handle gets each message
// first, and reports whether it was something else than output.
func startReader(m *merge, out output, handle func(engineproto.FromEngine) bool) *idleReader {
	i := &idleReader{stopped: make(chan struct{}), done: make(chan struct{})}
	m.process.workers.Go(func() {
		defer close(i.done)
		for {
			message, err := m.next(i.stopped, out)
			if err != nil {
				return
			}
			if !handle(message) {
				out.message(message)
			}
		}
	})
	return i
}

// stop ends the reading.
func (i *idleReader) stop() {
	close(i.stopped)
	<-i.done
}
