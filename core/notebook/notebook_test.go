package notebook

import (
	"encoding/json"
	"testing"

	"github.com/quirehq/quire/core/event"
)

// apply folds an event of a client, and reports whether it was moot.
func (sc *scenario) apply(seq event.Seq, client event.ClientID, counter uint64, p event.Payload) bool {
	e := event.Event{Seq: seq, ID: event.ID{Client: client, N: counter}, Payload: p}
	_, err := sc.n.Apply(&e, nil)
	return err != nil
}

func titled(s string) *event.NotebookTitled { return &event.NotebookTitled{Title: s} }

func TestNB3AnEventThatComesTwiceIsMoot(t *testing.T) {
	sc := given(t)
	for i, step := range []struct {
		client  event.ClientID
		counter uint64
		moot    bool
		title   string
	}{
		{"c", 2, false, "c2"},
		{"c", 2, true, "c2"},
		{"c", 1, true, "c2"},
		{"d", 1, false, "d1"},
		{"c", 2, true, "d1"},
		{"c", 7, false, "c7"},
		{"d", 1, true, "c7"},
		{"e", 0, true, "c7"},
	} {
		moot := sc.apply(event.Seq(i+1), step.client, step.counter, titled(string(step.client)+string(rune('0'+step.counter))))
		check(t, "moot", moot, step.moot)
		check(t, "title", sc.n.Title(), step.title)
		check(t, "number", sc.n.Seq(), event.Seq(i+1))
	}
	check(t, "seen of c", sc.n.Seen("c"), uint64(7))
	check(t, "seen of d", sc.n.Seen("d"), uint64(1))
	check(t, "seen of a stranger", sc.n.Seen("x"), uint64(0))
}

func TestNB3AMootEventCounts(t *testing.T) {
	sc := given(t)
	check(t, "moot", sc.apply(1, "c", 4, &event.CellDeleted{Cell: "none"}), true)
	check(t, "seen", sc.n.Seen("c"), uint64(4))
	check(t, "moot when its counter comes again", sc.apply(2, "c", 4, titled("x")), true)
}

func TestNB3WhatWasSeenIsKnownAfterARestore(t *testing.T) {
	sc := given(t)
	sc.apply(1, "c", 4, titled("x"))
	sc.apply(2, "d", 2, titled("y"))
	sc.n = restored(t, sc.n)
	check(t, "moot", sc.apply(3, "d", 2, titled("z")), true)
	check(t, "moot of the other client", sc.apply(4, "c", 4, titled("z")), true)
}

func TestNB4AnEventWithoutANumberIsNotRemembered(t *testing.T) {
	sc := given(t, titled("one"))
	check(t, "moot", sc.apply(0, "c", 9, titled("two")), false)
	check(t, "title", sc.n.Title(), "two")
	check(t, "number", sc.n.Seq(), event.Seq(1))
	check(t, "seen", sc.n.Seen("c"), uint64(1))
	check(t, "moot when it has its number", sc.apply(2, "c", 9, titled("two")), false)
}

func TestNB5AnUnknownEventFoldsToNothing(t *testing.T) {
	sc := given(t, created("a", "R", "x"))
	before := state(t, sc.n)
	sc.add(&event.Unknown{Name: "CellPainted", Raw: json.RawMessage(`{"cell":"a"}`)})
	check(t, "state", state(t, sc.n), before)
	check(t, "changes", len(sc.changes), 0)
	check(t, "seen", sc.n.Seen("c"), uint64(2))
}

func TestNB5EveryKnownEventHasARuleOfItsOwn(t *testing.T) {
	for _, typ := range event.Types() {
		t.Run(string(typ), func(t *testing.T) {
			changes, err := running(t, "a").n.Apply(&event.Event{ID: event.ID{Client: "d", N: 1}, Payload: event.New(typ)}, nil)
			// Only clearing all cells of a notebook without outputs may do nothing.
			if err == nil && len(changes) == 0 && typ != "CellOutputsCleared" {
				t.Errorf("an empty %s does nothing and has no reason for it", typ)
			}
		})
	}
}

func TestNB8AnEventIsAdmittedOnce(t *testing.T) {
	sc := given(t)
	e := sc.event(titled("one"))
	for _, want := range []bool{true, false} {
		_, err := sc.n.Admit(e, nil)
		check(t, "admitted", err == nil, want)
	}
	check(t, "number", sc.n.Seq(), event.Seq(1))
}

func TestNB20TheTitleIsTheLastThatWasSet(t *testing.T) {
	check(t, "title of a new notebook", given(t).n.Title(), "")
	check(t, "title", given(t, titled("one"), titled("two")).n.Title(), "two")
}

func TestNB21AFileReplacesTheOneOfItsName(t *testing.T) {
	attach := func(name, hash string) *event.FileAttached {
		return &event.FileAttached{Name: name, MIME: "text/csv", Artifact: event.Artifact{Hash: hash, Size: 3}}
	}
	sc := given(t, attach("b", "1"), attach("a", "2"), attach("b", "3"))
	check(t, "files", sc.n.Files(), []string{"a", "b"})
	f, ok := sc.n.File("b")
	check(t, "file", f, File{MIME: "text/csv", Artifact: event.Artifact{Hash: "3", Size: 3}})
	check(t, "is there", ok, true)
	sc.add(&event.FileRemoved{Name: "b"})
	sc.moot(MootNotFound, &event.FileRemoved{Name: "b"})
	_, ok = sc.n.File("b")
	check(t, "is there after its removal", ok, false)
}
