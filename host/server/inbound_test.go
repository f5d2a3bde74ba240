package server_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/protocol"
)

func TestSY93LargeMessagesOfAllSocketsAreReadAFewAtATime(t *testing.T) {
	w := newWorld(t)
	w.book("b1")
	var all sync.WaitGroup
	for i := range 40 {
		p := w.join(t, "b1", ownerToken, event.ClientID(fmt.Sprintf("c%d", i)))
		all.Go(func() {
			value := json.RawMessage(`"` + strings.Repeat("x", 100<<10) + `"`)
			p.committed(p.push(&event.NotebookMetadataSet{Key: "k", Value: value}, &event.NotebookMetadataSet{Key: "k", Value: json.RawMessage(`1`)})[1])
		})
	}
	all.Wait()
	most, messages := w.Inbound()
	if messages != 40 || most > 16*protocol.MaxMessage {
		t.Errorf("%d large messages were read, %d bytes at once, want 40 and 256 MiB at most", messages, most)
	}
}

func TestSY93AViewerSendsNoLargeMessage(t *testing.T) {
	w := newWorld(t)
	w.book("b1")
	p := w.join(t, "b1", person(t, "viewer"), "c")
	p.raw([]byte(`{"kind":"presence","name":"` + strings.Repeat("x", 100<<10) + `"}`))
	closed, ok := p.ended().(*protocol.Closed)
	if !ok || closed.Code != protocol.CodeInvalid || !strings.Contains(closed.Message, "viewer") {
		t.Errorf("got %v, want to be told why it is closed", closed)
	}
	if _, messages := w.Inbound(); messages != 0 {
		t.Errorf("%d large messages of a viewer were read", messages)
	}
	p = w.open(t, "b1", person(t, "viewer")) // nor as its hello
	p.raw([]byte(`{"kind":"hello","client":"` + strings.Repeat("x", 100<<10) + `"}`))
	if closed, ok := p.ended().(*protocol.Closed); !ok || closed.Code != protocol.CodeInvalid {
		t.Errorf("got %v, want to be told why it is closed", closed)
	}
}
