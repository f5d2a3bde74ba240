//go:build linux

package faults_test

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
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
	of    map[string]*lines
	ended bool
}

// lines is what connects a notebook.
type lines struct {
	down     int           // for how many reasons nobody reaches it
	delay    time.Duration // of what passes
	whole    int           // links that work
	gone     time.Time     // when the last of them ended, zero before there was one
	back     time.Time     // when there was the next
	absences []time.Duration
}

// blink is less than what counts as a link that works: one that is whole again, but
// whose ends have given it up, has just that time.
const blink = 500 * time.Millisecond

// fell notes that no link is left.
func (l *lines) fell(now time.Time) {
	switch {
	case l.gone.IsZero():
		l.gone = now
	case now.Sub(l.back) >= blink:
		l.absences = append(l.absences, l.back.Sub(l.gone))
		l.gone = now
	}
}

// newNetwork returns a network to a server, and takes it down with the test.
func newNetwork(t *testing.T, server string) *network {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	n := &network{server: server, listener: l, links: map[*link]bool{}, of: map[string]*lines{}}
	n.running.Go(n.accept)
	t.Cleanup(n.close)
	return n
}

func (n *network) url() string { return "http://" + n.listener.Addr().String() }

func (n *network) close() {
	_ = n.listener.Close() // it is open until now
	n.mu.Lock()
	n.ended = true
	links := slices.Collect(maps.Keys(n.links))
	n.mu.Unlock()
	eachLink(links, (*link).close)
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
// request that it begins with, or in that behind the one by which a program has the server
// prove itself.
func (n *network) serve(client net.Conn) {
	defer client.Close()
	_ = client.SetReadDeadline(time.Now().Add(patience)) // else it would fail below
	server, err := net.Dial("tcp", n.server)
	if err != nil {
		return // as if nobody listened here either
	}
	defer server.Close()
	var head bytes.Buffer
	from := bufio.NewReader(io.TeeReader(client, &head))
	req, err := http.ReadRequest(from)
	if err == nil && req.URL.Path == "/api/proof" {
		if passProof(req, head.Bytes(), server, client) != nil {
			return
		}
		head.Reset()
		req, err = http.ReadRequest(from)
	}
	if err != nil {
		return
	}
	_ = client.SetReadDeadline(time.Time{})
	var notebook string
	if path := strings.Split(req.URL.Path, "/"); len(path) == 5 && path[4] == "sync" { // /api/notebooks/ID/sync
		notebook = path[3]
	}
	l := &link{network: n, notebook: notebook, client: client, server: server}
	if !n.add(l) {
		return
	}
	defer n.remove(l)
	if _, err := server.Write(head.Bytes()); err != nil {
		return
	}
	l.pass()
}

// passProof passes on a request and its answer.
func passProof(req *http.Request, head []byte, server, client net.Conn) error {
	if _, err := server.Write(head); err != nil {
		return err
	}
	_ = server.SetReadDeadline(time.Now().Add(patience))
	defer server.SetReadDeadline(time.Time{})
	var answer bytes.Buffer
	resp, err := http.ReadResponse(bufio.NewReader(io.TeeReader(server, &answer)), req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		return err
	}
	_, err = client.Write(answer.Bytes())
	return err
}

func (n *network) add(l *link) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.ended || n.linesLocked(l.notebook).down > 0 {
		return false
	}
	n.links[l] = true
	return true
}

func (n *network) remove(l *link) {
	n.note(l, func() { l.over = true })
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.links, l)
}

func (n *network) linesLocked(notebook string) *lines {
	if n.of[notebook] == nil {
		n.of[notebook] = &lines{}
	}
	return n.of[notebook]
}

// note changes what is known of a link, and with it how many of its notebook work.
func (n *network) note(l *link, change func()) {
	n.mu.Lock()
	defer n.mu.Unlock()
	before := l.isWholeLocked()
	change()
	now, all := l.isWholeLocked(), n.linesLocked(l.notebook)
	switch {
	case before && !now:
		if all.whole--; all.whole == 0 {
			all.fell(time.Now())
		}
	case now && !before:
		if all.whole++; all.whole == 1 {
			all.back = time.Now()
		}
	}
}

// absences returns how often a notebook had no link that worked for so long, since it
// had the first.
func (n *network) absences(notebook string, long time.Duration) (count int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	all := n.linesLocked(notebook)
	last := all.back.Sub(all.gone)
	if all.whole == 0 {
		last = time.Since(all.gone)
	}
	for _, d := range append(slices.Clone(all.absences), last) {
		if d >= long && !all.gone.IsZero() {
			count++
		}
	}
	return count
}

// linksOf returns the links of a notebook.
func (n *network) linksOf(notebook string) (found []*link) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for l := range n.links {
		if l.notebook == notebook {
			found = append(found, l)
		}
	}
	return found
}
