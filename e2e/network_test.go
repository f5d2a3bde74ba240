package e2e_test

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// network is the wires between some programs and a server, which the test cuts.
type network struct {
	server   string // address
	listener net.Listener
	running  sync.WaitGroup

	mu    sync.Mutex
	links map[*link]bool
	down  map[string]int // notebooks that nobody reaches
	ended bool
}

// newNetwork returns a network to a server, and takes it down with the test.
func newNetwork(t *testing.T, server string) *network {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	n := &network{server: server, listener: l, links: map[*link]bool{}, down: map[string]int{}}
	n.running.Go(n.accept)
	t.Cleanup(n.close)
	return n
}

func (n *network) url() string { return "http://" + n.listener.Addr().String() }

func (n *network) close() {
	_ = n.listener.Close() // it is open until now
	n.mu.Lock()
	n.ended = true
	for l := range n.links {
		l.close()
	}
	n.mu.Unlock()
	n.running.Wait()
}

func (n *network) accept() {
	for {
		conn, err := n.listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err == nil {
			n.running.Go(func() { n.serve(conn) })
		}
	}
}

// serve passes on what comes on a connection. Which notebook it is about is in the
// request that it begins with.
func (n *network) serve(client net.Conn) {
	defer client.Close()
	_ = client.SetReadDeadline(time.Now().Add(patience)) // else it would fail below
	var head bytes.Buffer
	req, err := http.ReadRequest(bufio.NewReader(io.TeeReader(client, &head)))
	if err != nil {
		return
	}
	_ = client.SetReadDeadline(time.Time{})
	path := strings.Split(req.URL.Path, "/") // /api/notebooks/ID/sync
	if len(path) != 5 {
		return
	}
	server, err := net.Dial("tcp", n.server)
	if err != nil {
		return // as if nobody listened here either
	}
	defer server.Close()
	l := newLink(path[3], client, server)
	if !n.add(l) {
		return
	}
	defer n.remove(l)
	if _, err := server.Write(head.Bytes()); err != nil {
		return
	}
	l.pass()
}

func (n *network) add(l *link) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.ended || n.down[l.notebook] > 0 {
		return false
	}
	n.links[l] = true
	return true
}

func (n *network) remove(l *link) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.links, l)
}

// of returns the links of a notebook.
func (n *network) of(notebook string) (found []*link) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for l := range n.links {
		if l.notebook == notebook {
			found = append(found, l)
		}
	}
	return found
}

// fault breaks the links of a notebook in one of the ways in which networks break,
// and says in which. What does not last is over before the server takes a runtime
// for gone.
func (n *network) fault(notebook string, r *rand.Rand) string {
	links := n.of(notebook)
	wait := time.Duration(r.IntN(1_500)) * time.Millisecond
	left := int64(r.IntN(3_000))
	switch r.IntN(7) {
	case 0:
		each(links, (*link).reset)
		return "reset"
	case 1:
		up := r.IntN(2) == 0
		each(links, func(l *link) { l.way(up).left.Store(left) })
		return "cut within a message"
	case 2:
		n.hold(links, wait, (*link).leave, (*link).leave)
		return "stall"
	case 3:
		n.hold(links, wait, (*link).leave, (*link).reset)
		return "stall and reset"
	case 4:
		n.deafen(links, wait)
		return "unanswered and reset"
	case 5:
		half := func(l *link) { _ = l.server.Close() }
		if r.IntN(2) == 0 {
			half = func(l *link) { _ = l.client.Close() }
		}
		n.hold(links, wait, half, (*link).close)
		return "half closed"
	default:
		n.setDown(notebook, 1)
		each(links, (*link).close)
		n.running.Go(func() {
			time.Sleep(wait)
			n.setDown(notebook, -1)
		})
		return "outage"
	}
}

func (n *network) setDown(notebook string, by int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.down[notebook] += by
}

// hold lets nothing pass for some time.
func (n *network) hold(links []*link, d time.Duration, before, after func(*link)) {
	for _, l := range links {
		n.running.Go(func() {
			l.up.gate.Lock()
			l.down.gate.Lock()
			before(l)
			time.Sleep(d)
			l.down.gate.Unlock()
			l.up.gate.Unlock()
			after(l)
		})
	}
}

// deafen lets nothing come back for some time, in which the server takes what it is
// sent, and then nobody hears of that.
func (n *network) deafen(links []*link, d time.Duration) {
	for _, l := range links {
		n.running.Go(func() {
			l.down.gate.Lock()
			time.Sleep(d)
			l.reset()
			l.down.gate.Unlock()
		})
	}
}

func each(links []*link, f func(*link)) {
	for _, l := range links {
		f(l)
	}
}

// link is one connection through the network.
type link struct {
	notebook       string
	client, server net.Conn
	up, down       way
}

// way is one of the two directions of a link.
type way struct {
	gate  sync.RWMutex  // whoever locks it lets nothing pass
	left  atomic.Int64  // how many bytes may pass
	delay time.Duration // of what passes
}

// newLink returns a link that is whole, and as slow as links are.
func newLink(notebook string, client, server net.Conn) *link {
	l := &link{notebook: notebook, client: client, server: server}
	for _, w := range []*way{&l.up, &l.down} {
		w.left.Store(1 << 60)
		w.delay = rand.N(4 * time.Millisecond)
	}
	return l
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
		w.wait()
		may := w.left.Add(int64(-n)) + int64(n)
		if _, failed := to.Write(buffer[:min(int64(n), max(may, 0))]); err != nil || failed != nil || may < int64(n) {
			l.close()
			return
		}
	}
}

// wait returns when something may pass. A link that is held does not show that it
// has ended.
func (w *way) wait() {
	time.Sleep(w.delay)
	w.gate.RLock()
	defer w.gate.RUnlock()
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
