package room_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/quirehq/quire/core/room/roomtest"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/room"
)

// jsonOf returns a JSON string of so many bytes.
func jsonOf(bytes int) json.RawMessage {
	return json.RawMessage(`"` + strings.Repeat("x", bytes-2) + `"`)
}

func TestSY38ANotebookHoldsNoMoreThanItMay(t *testing.T) {
	const limit = 100_000
	for name, grow := range map[string]func(i int) event.Payload{
		"metadata": func(i int) event.Payload {
			return &event.NotebookMetadataSet{Key: string(rune('a' + i)), Value: jsonOf(20_000)}
		},
		"metadata of cells": func(i int) event.Payload {
			return &event.CellMetadataSet{Cell: "code", Key: string(rune('a' + i)), Value: jsonOf(20_000)}
		},
		"sources": func(i int) event.Payload {
			return roomtest.CellWith(event.CellID(rune('a'+i)), strings.Repeat("x", 20_000))
		},
		"outputs": func(int) event.Payload {
			out := event.Output{Kind: event.OutputDisplay, Data: map[string]json.RawMessage{"text/plain": jsonOf(20_000)}}
			return &event.OutputsImported{Cell: "code", Outputs: []event.Output{out, out, out, out, out, out}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := roomtest.NewSequencer(t, func(c *room.Config) { c.MaxSize = limit })
			s := d.AddPerson("c", access.Editor)
			s.Push(roomtest.CellWith("code", "1"))
			for i := range 10 {
				s.Push(grow(i))
			}
			d.MustCommit()
			refused := roomtest.Only[*protocol.Refused](s.Take())
			if len(refused) == 0 || refused[0].Code != protocol.CodeInvalid || !strings.Contains(refused[0].Message, "clear outputs") {
				t.Fatalf("got %v, want refusals that say what to do", refused)
			}
			if got := d.Notebook().Size(); got > limit {
				t.Errorf("it holds %d bytes, want %d at most", got, limit)
			}
			d.Restart()
			d.Time += event.Time(time.Second / time.Millisecond)
			if err := d.Submit(t.Context(), "person:ada", grow(25)); room.CodeOf(err) != protocol.CodeInvalid {
				t.Errorf("after it was opened again: got %v, want it refused still", err)
			}
			if s = d.AddPerson("c", access.Editor); s.Closed() {
				t.Fatal("the full notebook is not opened")
			}
			s.Push(roomtest.Request("run", "code"))
			d.MustCommit()
			roomtest.WantCodes(t, s.Take())
		})
	}
}

func TestSY38WhatIsFreedCanBeUsedAgain(t *testing.T) {
	d := roomtest.NewSequencer(t, func(c *room.Config) { c.MaxSize = 100_000 })
	s := d.AddPerson("c", access.Editor)
	for range 50 { // far more than fits, each in place of the one before
		s.Push(&event.NotebookMetadataSet{Key: "k", Value: jsonOf(30_000)})
		d.Time += event.Time(time.Second / time.Millisecond)
	}
	d.MustCommit()
	roomtest.WantCodes(t, s.Take())
}
