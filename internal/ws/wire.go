package ws

import (
	"errors"
	"fmt"
	"net"
	"os"
	"sync/atomic"
	"time"
)

const (
	// piece is how many bytes are written at once, so that a large message on a slow
	// line shows that it moves.
	piece = 64 << 10
	// stuck is after how long a piece that cannot be written ends the connection.
	stuck = 20 * time.Second
)

// wire is the network connection under a WebSocket, and knows for how long the
// other side has been silent. It lies below the WebSocket because there a part of
// a large message is a sign of life too, which pings and pongs have to queue behind.
type wire struct {
	net.Conn
	began   time.Time
	heard   atomic.Int64 // nanoseconds since began
	reading atomic.Int32 // how many reads are under way
}

func newWire(c net.Conn) *wire { return &wire{Conn: c, began: time.Now()} }

func (w *wire) mark() { w.heard.Store(int64(time.Since(w.began))) }

// silent returns for how long there was no sign of life, although one was waited for.
func (w *wire) silent() time.Duration {
	if w.reading.Load() == 0 {
		w.mark() // it may have been sent, and we have not looked
		return 0
	}
	return time.Since(w.began) - time.Duration(w.heard.Load())
}

// Read reads, and takes what comes as a sign of life.
func (w *wire) Read(p []byte) (int, error) {
	w.reading.Add(1)
	defer w.reading.Add(-1)
	n, err := w.Conn.Read(p)
	if n > 0 {
		w.mark()
	}
	return n, err
}

// Write writes in pieces. That the other side took one of several is a sign of
// life; a message of one piece may just lie in a buffer.
func (w *wire) Write(p []byte) (n int, err error) {
	for n < len(p) {
		if err := w.SetWriteDeadline(time.Now().Add(stuck)); err != nil {
			return n, err
		}
		m, err := w.Conn.Write(p[n:min(len(p), n+piece)])
		n += m
		if err != nil {
			return n, stuckError(err)
		}
		if n < len(p) {
			w.mark()
		}
	}
	return n, nil
}

func stuckError(err error) error {
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return fmt.Errorf("the other side has taken nothing for %v", stuck)
	}
	return err
}
