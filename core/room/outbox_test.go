package room_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/quirehq/quire/core/room/roomtest"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/room"
)

// joinSlow seats a viewer whose outbox holds so many bytes.
func joinSlow(d *roomtest.Sequencer, limit int) *roomtest.Member {
	d.T.Helper()
	m := &room.Member{Actor: "person:slow", Role: access.Viewer, Out: room.NewOutbox(limit)}
	s := &roomtest.Member{Member: m, Of: d, Client: "slow"}
	d.Join(d.T.Context(), m, &protocol.Hello{Version: protocol.Version, Client: "slow"})
	s.Take()
	return s
}

func TestSY70ASlowMemberGoesOnFromTheLogAndMissesNothing(t *testing.T) {
	d := roomtest.NewSequencer(t, nil)
	slow, quick := joinSlow(d, 1_000), d.AddPerson("quick", access.Viewer)
	author := d.AddPerson("author", access.Editor)
	var got, others []event.Seq
	for i := range 300 {
		author.Push(roomtest.CellWith(event.CellID(fmt.Sprintf("c%d", i)), strings.Repeat("x", 100)))
		d.MustCommit()
		others = append(others, seqs(quick.Take())...)
		if i%70 == 69 {
			got = append(got, seqs(slow.Take())...)
			d.Drained(t.Context(), slow.Member)
		}
	}
	if len(others) != 300 {
		t.Errorf("the quick member got %d events, want all 300 at once", len(others))
	}
	for range 1_000 {
		messages := slow.Take()
		if len(messages) == 0 {
			break
		}
		got = append(got, seqs(messages)...)
		d.Drained(t.Context(), slow.Member)
	}
	for i, seq := range got {
		if seq != event.Seq(i+1) {
			t.Fatalf("event %d came in the place of %d", seq, i+1)
		}
	}
	if len(got) != 300 {
		t.Errorf("got %d events, want 300", len(got))
	}
}

func TestSY70WhatWaitsForASlowMemberIsBounded(t *testing.T) {
	const limit = 4_000
	d := roomtest.NewSequencer(t, nil)
	slow, author := joinSlow(d, limit), d.AddPerson("author", access.Editor)
	for i := range 200 {
		author.Push(roomtest.CellWith(event.CellID(fmt.Sprintf("c%d", i)), strings.Repeat("x", 100)))
		d.MustCommit()
	}
	messages, _ := slow.Out.Drain()
	size := 0
	for _, m := range messages {
		size += len(m)
	}
	if size == 0 || size > limit {
		t.Errorf("got %d bytes waiting, want some and at most %d", size, limit)
	}
}

func TestSY71AMemberThatLetsAnswersPileUpIsToldToConnectAgain(t *testing.T) {
	d := roomtest.NewSequencer(t, nil)
	s := joinSlow(d, 1_000)
	for range 10_000 {
		s.Push(roomtest.NewCell("c")) // a viewer may not
		d.MustCommit()
	}
	messages, done := s.Out.Drain()
	size := 0
	for _, m := range messages {
		size += len(m)
	}
	if !done || size > 100_000 {
		t.Errorf("got %d bytes waiting and closed %t, want few and the end", size, done)
	}
	if all := roomtest.DecodeAll(t, messages); len(roomtest.Only[*protocol.Resume](all)) != 1 {
		t.Errorf("got %d messages without a Resume at the end", len(all))
	}
}

func TestSY72FramesThatOutboxesShareAreNotChanged(t *testing.T) {
	d := roomtest.NewSequencer(t, nil)
	joins, plain := d.AddPerson("joins", access.Viewer), d.AddPerson("plain", access.Viewer)
	author := d.AddPerson("author", access.Editor)
	var frames [][]byte
	for i := range 3 {
		author.Push(roomtest.NewCell(event.CellID(fmt.Sprintf("c%d", i))))
		d.MustCommit()
		one, _ := plain.Out.Drain()
		frames = append(frames, one...)
	}
	before := make([][]byte, len(frames))
	for i, f := range frames {
		before[i] = bytes.Clone(f)
	}
	together, _ := joins.Out.Drain()
	if len(frames) != 3 || len(together) != 1 {
		t.Fatalf("got %d and %d messages, want one a commit and all three as one", len(frames), len(together))
	}
	for i, f := range frames {
		if !bytes.Equal(f, before[i]) {
			t.Errorf("frame %d was changed by joining it: got %s, want %s", i, f, before[i])
		}
	}
	wantSeqs(t, roomtest.DecodeAll(t, together), span(1, 3))
}

func TestSY72OtherMessagesKeepTheirPlaceBetweenFrames(t *testing.T) {
	d := roomtest.NewSequencer(t, nil)
	s := d.AddPerson("c", access.Editor)
	s.Push(roomtest.NewCell("a"))
	d.MustCommit()
	s.Push(roomtest.NewCell("a"))
	d.MustCommit()
	s.Push(roomtest.NewCell("b"))
	d.MustCommit()
	messages := s.Take()
	if len(messages) != 3 || len(roomtest.Codes(messages[1:2])) != 1 {
		t.Fatalf("got %v, want events, a refusal, events", messages)
	}
	wantSeqs(t, messages, span(1, 2))
}

func TestSY73AClosedOutboxGivesWhatItHasAndThenEnds(t *testing.T) {
	d := roomtest.NewSequencer(t, nil)
	s := d.AddPerson("c", access.Editor)
	s.Push(roomtest.NewCell("a"))
	d.MustCommit()
	d.Leave(s.Member)
	d.MustSubmit(roomtest.NewCell("b"))
	messages, err := s.Out.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	wantSeqs(t, roomtest.DecodeAll(t, messages), span(1, 1))
	if messages, err := s.Out.Next(t.Context()); len(messages) != 0 || err != nil {
		t.Errorf("got %d messages and %v, want the end", len(messages), err)
	}
	s.Out.Close()
}

func TestSY73WaitingForAnOutboxEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := room.NewOutbox(10).Next(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
}

func TestSY70AMemberThatFallsBehindIsCountedOnce(t *testing.T) {
	fell := 0
	d := roomtest.NewSequencer(t, func(c *room.Config) { c.Behind = func() { fell++ } })
	slow, author := joinSlow(d, 1_000), d.AddPerson("author", access.Editor)
	want := func(n int) {
		t.Helper()
		if fell != n {
			t.Errorf("got %d falls, want %d", fell, n)
		}
	}
	write := func(prefix string) {
		for i := range 50 {
			author.Push(roomtest.CellWith(event.CellID(fmt.Sprint(prefix, i)), strings.Repeat("x", 100)))
			d.MustCommit()
			author.Take()
		}
	}
	write("a")
	want(1)
	for len(slow.Take()) > 0 {
		d.Drained(t.Context(), slow.Member)
	}
	want(1)
	write("b")
	want(2)
}

func TestSY71AMemberThatTakesNoAnswersIsCounted(t *testing.T) {
	fell := 0
	d := roomtest.NewSequencer(t, func(c *room.Config) { c.Behind = func() { fell++ } })
	s := joinSlow(d, 1_000)
	for d.Members() > 0 {
		s.Push(roomtest.NewCell("c")) // a viewer may not
		d.MustCommit()
	}
	if fell != 1 {
		t.Errorf("got %d falls, want 1", fell)
	}
}
