package server_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/host/server"
)

func TestSY15SocketsThatOpenALargeNotebookAtOnceAreWeighed(t *testing.T) {
	const limit = 3 << 20
	w := newWorld(t, func(c *server.Config) { c.Limits.Answers = limit })
	w.book("b1")
	p := w.join(t, "b1", ownerToken, "writer")
	p.committed(p.push(created("k", strings.Repeat("x", 400<<10)))[0])
	_, before := w.Answers()
	var peers []*peer
	for i := range 20 { // of two actors, who read nothing yet, at ten numbers
		for _, token := range []string{ownerToken, person(t, "viewer")} {
			q := w.open(t, "b1", token)
			q.hello(protocol.Hello{Client: event.ClientID(fmt.Sprintf("c%d", len(peers))), Since: 1 << 40})
			peers = append(peers, q)
		}
		if i%2 == 0 {
			p.committed(p.push(&event.NotebookMetadataSet{Key: "k", Value: []byte(fmt.Sprint(i))})[0])
		}
	}
	for _, q := range peers {
		if got := next[*protocol.Welcome](q); len(got.Snapshot) < 400<<10 {
			t.Errorf("got a snapshot of %d bytes, want all of it", len(got.Snapshot))
		}
	}
	most, takes := w.Answers()
	if most > limit {
		t.Errorf("%d bytes were used at once, want %d at most", most, limit)
	}
	if n := takes - before; n == 0 || n > len(peers) {
		t.Errorf("%d snapshots were weighed, want those of %d sockets", n, len(peers))
	}
}
