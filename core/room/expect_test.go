package room_test

import (
	"context"
	"encoding/json"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/room"
	"github.com/quirehq/quire/core/room/roomtest"
)

// seqs returns the numbers of the events that messages bring.
func seqs(messages []protocol.ToClient) []event.Seq {
	var numbers []event.Seq
	for _, m := range roomtest.Only[*protocol.Events](messages) {
		for _, e := range m.Events {
			numbers = append(numbers, e.Seq)
		}
	}
	return numbers
}

// span returns the numbers from lo to hi.
func span(lo, hi event.Seq) []event.Seq {
	var numbers []event.Seq
	for n := lo; n <= hi; n++ {
		numbers = append(numbers, n)
	}
	return numbers
}

func wantSeqs(t *testing.T, messages []protocol.ToClient, want []event.Seq) {
	t.Helper()
	if diff := cmp.Diff(want, seqs(messages)); diff != "" {
		t.Errorf("numbers of events (-want +got):\n%s", diff)
	}
}

// wantClosed wants the room to have ended a connection with one last word.
func wantClosed(t *testing.T, s *roomtest.Member, want protocol.Code) {
	t.Helper()
	messages := s.Take()
	last := roomtest.Only[*protocol.Closed](messages)
	if len(last) != 1 || last[0].Code != want || last[0].Message == "" {
		t.Errorf("got %v, want one Closed with code %s and a message", messages, want)
	}
	if !s.Closed() {
		t.Error("the outbox is still open, want it closed")
	}
}

// wantResume wants the room to have told a member to connect again.
func wantResume(t *testing.T, s *roomtest.Member) {
	t.Helper()
	messages := s.Take()
	if len(roomtest.Only[*protocol.Resume](messages)) != 1 || !s.Closed() {
		t.Errorf("got %v, want a Resume and the end", messages)
	}
}

// hookedLog calls a function before it appends.
type hookedLog struct {
	room.Log
	before func() error
}

// Append stores a batch unless the function objects.
func (l *hookedLog) Append(ctx context.Context, b room.Batch) error {
	if err := l.before(); err != nil {
		return err
	}
	return l.Log.Append(ctx, b)
}

func newLog() room.Log { return roomtest.NewMemory() }

// jsonText returns the data of an output that is text of one MIME type.
func jsonText(mime, s string) map[string]json.RawMessage {
	return map[string]json.RawMessage{mime: json.RawMessage(strconv.Quote(s))}
}
