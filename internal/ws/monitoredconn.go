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
	// piece is the size of one write, so a large message on a slow line shows progress.
	piece = 64 << 10
	// stuck is the time after which a blocked write of a piece ends the connection.
	stuck = 20 * time.Second
)

// monitoredConn is the network connection below a WebSocket, and measures the silence of the other side. At
// this level a part of a large message is a sign of life too, while pongs have to queue behind the
// message.
type monitoredConn struct {
	net.Conn
	began   time.Time
	heard   atomic.Int64 // nanoseconds since began
	reading atomic.Int32 // reads in progress
}

func newMonitoredConn(c net.Conn) *monitoredConn { return &monitoredConn{Conn: c, began: time.Now()} }

func (w *monitoredConn) mark() { w.heard.Store(int64(time.Since(w.began))) }

// silent returns the time without a sign of life during reads.
func (w *monitoredConn) silent() time.Duration {
	if w.reading.Load() == 0 {
		w.mark() // data may have arrived unread
		return 0
	}
	return time.Since(w.began) - time.Duration(w.heard.Load())
}

// Read reads, and counts data as a sign of life.
func (w *monitoredConn) Read(p []byte) (int, error) {
	w.reading.Add(1)
	defer w.reading.Add(-1)
	n, err := w.Conn.Read(p)
	if n > 0 {
		w.mark()
	}
	return n, err
}

// Write writes in pieces. Progress after the first piece is a sign of life; a message of one piece
// may just be in a buffer.
func (w *monitoredConn) Write(p []byte) (n int, err error) {
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
