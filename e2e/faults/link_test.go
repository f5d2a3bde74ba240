//go:build linux

package faults_test

import (
	"net"
	"sync"
	"time"
)

// link is one connection through the network.
type link struct {
	network        *network
	notebook       string
	client, server net.Conn
	up, down       way

	// Guarded by network.mu.
	met  bool // the client has said who it is
	held int  // for how many reasons it lets nothing pass
	over bool
}

// isWholeLocked reports whether a client can be heard through the link.
func (l *link) isWholeLocked() bool { return l.met && l.held == 0 && !l.over }

// way is one of the two directions of a link.
type way struct {
	gate sync.RWMutex // whoever locks it lets nothing pass

	mu      sync.Mutex
	limited bool
	left    int64 // how many bytes may pass, if that is limited
}

// allow lets so many bytes pass, and then no more.
func (w *way) allow(n int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.limited, w.left = true, n
}

// take returns how many of n bytes may pass.
func (w *way) take(n int) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.limited {
		return n
	}
	may := min(int64(n), w.left)
	w.left -= may
	return int(may)
}

// pass passes bytes both ways until one of them ends.
func (l *link) pass() {
	var passing sync.WaitGroup
	passing.Go(func() { l.copy(l.server, l.client, &l.up) })
	passing.Go(func() { l.copy(l.client, l.server, &l.down) })
	passing.Wait()
}

func (l *link) copy(to, from net.Conn, w *way) {
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		time.Sleep(l.network.delay(l.notebook))
		w.gate.RLock() // a link that is held does not show that it has ended
		may := w.take(n)
		_, failed := to.Write(buffer[:may])
		if err != nil || failed != nil || may < n {
			w.gate.RUnlock()
			l.close()
			return
		}
		if w == &l.up { // a client says who it is first
			l.network.note(l, func() { l.met = true })
		}
		w.gate.RUnlock()
	}
}

func (l *link) way(up bool) *way {
	if up {
		return &l.up
	}
	return &l.down
}

// leave leaves the link as it is.
func (l *link) leave() {}

func (l *link) close() {
	l.network.note(l, func() { l.over = true })
	_ = l.client.Close() // it may be closed already
	_ = l.server.Close()
}

// reset closes the link without telling what was under way.
func (l *link) reset() {
	for _, conn := range []net.Conn{l.client, l.server} {
		if tcp, ok := conn.(*net.TCPConn); ok {
			_ = tcp.SetLinger(0) // it may be closed already
		}
	}
	l.close()
}
