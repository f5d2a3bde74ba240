package browser_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/order"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/replica"
	"github.com/quirehq/quire/core/view"
	"github.com/quirehq/quire/host/browser"
)

// BenchmarkKey is the way of a key through the browser's side, in a notebook of 2,000 cells with outputs: from the push of an
// editor to the page that has shown its acknowledgement, stored meanwhile. The room is a connection that acknowledges at once.
func BenchmarkKey(b *testing.B) {
	for _, lines := range []int{3, 20_000} {
		b.Run(fmt.Sprintf("%d lines", lines), func(b *testing.B) { benchmarkKey(b, lines) })
	}
}

func benchmarkKey(b *testing.B, lines int) {
	n := benchNotebook(b, 2_000, lines)
	changed := make(chan struct{}, 1)
	h := browser.New(browser.Config{
		Replica: replica.New("a"),
		NewID:   func() string { return "id" },
		Changed: func() {
			select {
			case changed <- struct{}{}:
			default:
			}
		},
		Dial: func(context.Context) (protocol.Conn, error) { return &echo{book: n, out: make(chan []byte, 8)}, nil },
	})
	ctx, cancel := context.WithCancel(b.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = h.Run(ctx)
	}()
	defer func() {
		cancel()
		<-done
	}()
	page := h.Open(0)
	until := func(f func(view.Status) bool) {
		for {
			data, err := h.Take(page)
			if err != nil {
				b.Fatal(err)
			}
			var batch struct{ Status *view.Status }
			if err := json.Unmarshal(data, &batch); data != nil && err != nil {
				b.Fatal(err)
			}
			if batch.Status != nil && f(*batch.Status) {
				return
			}
			<-changed
		}
	}
	until(func(s view.Status) bool { return s.Online })
	flush := func() {
		if _, err := h.Flush(); err != nil {
			b.Fatal(err)
		}
		h.Stored(true)
	}
	flush()
	b.ReportAllocs()
	version := 1
	for b.Loop() {
		push := fmt.Sprintf(`{"cell":"c3","version":%d,"by":"e","edits":[[%d,"x"]],"join":true}`, version, version)
		version++
		if taken, err := h.Push(page, []byte(push)); err != nil || !taken {
			b.Fatal(taken, err)
		}
		until(func(s view.Status) bool { return s.Pending == 0 })
		flush()
	}
}

// benchNotebook returns a notebook of cells with lines and an output each.
func benchNotebook(b *testing.B, cells, lines int) *notebook.Notebook {
	b.Helper()
	n := notebook.New()
	var last order.Place
	fold := func(p event.Payload) {
		b.Helper()
		seq := n.Seq() + 1
		if _, err := n.Apply(&event.Event{Seq: seq, ID: event.ID{Client: "z", N: uint64(seq)}, Actor: "person:z", Payload: p}, nil); err != nil {
			b.Fatal(err)
		}
	}
	for i := range cells {
		id := event.CellID(fmt.Sprintf("c%d", i))
		key, err := order.Between(last, order.Place{})
		if err != nil {
			b.Fatal(err)
		}
		last = order.Place{Key: key, ID: string(id)}
		fold(&event.CellCreated{Cell: id, Kind: event.KindCode, Order: key, Source: strings.Repeat("a line of code\n", lines)})
		if lines > 3 && i > 3 {
			lines = 3
		}
		fold(&event.OutputsImported{Cell: id, Outputs: []event.Output{{Kind: event.OutputStream, Stream: "stdout", Text: "line\n"}}})
	}
	return n
}

// echo is the connection to a room that acknowledges at once.
type echo struct {
	book *notebook.Notebook
	seq  event.Seq
	rev  event.Rev
	out  chan []byte
}

func (c *echo) Send(ctx context.Context, data []byte) error {
	msg, err := protocol.DecodeToRoom(data)
	if err != nil {
		return err
	}
	switch msg := msg.(type) {
	case *protocol.Hello:
		snapshot, err := c.book.Snapshot()
		if err != nil {
			return err
		}
		c.seq, c.rev = c.book.Seq(), c.book.Cell("c3").Rev
		return c.send(&protocol.Welcome{Version: protocol.Version, Actor: "person:a", Role: access.Owner, Seq: c.seq, Last: c.seq, Snapshot: snapshot})
	case *protocol.Push:
		frame := &protocol.Events{}
		for _, d := range msg.Events {
			edit, ok := d.Payload.(*event.SourceEdited)
			if !ok {
				return errors.New("the benchmark pushes edits only")
			}
			c.seq++
			frame.Events = append(frame.Events, event.Event{Seq: c.seq, ID: d.ID, Actor: "person:a", Payload: &event.SourceEdited{Cell: edit.Cell, Rev: c.rev, Edit: edit.Edit}})
			c.rev++
		}
		return c.send(frame)
	}
	return nil
}

func (c *echo) send(msg protocol.ToClient) error {
	data, err := protocol.EncodeToClient(msg)
	c.out <- data
	return err
}

func (c *echo) Receive(ctx context.Context) ([]byte, error) {
	select {
	case data := <-c.out:
		return data, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (c *echo) Close() error { return nil }
