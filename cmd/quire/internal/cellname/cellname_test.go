package cellname

import (
	"errors"
	"strings"
	"testing"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/host/terminal"
)

// fold returns the notebook of a log with the payloads.
func fold(t *testing.T, payloads ...event.Payload) *notebook.Notebook {
	t.Helper()
	n := notebook.New()
	for i, p := range payloads {
		e := event.Event{
			Seq: event.Seq(i + 1), ID: event.ID{Client: "test", N: uint64(i + 1)},
			Actor: "person:ada", Time: event.Time(1_700_000_000_000 + 1000*i), Payload: p,
		}
		if _, err := n.Apply(&e, nil); err != nil {
			t.Fatalf("event %d: %v", i+1, err)
		}
	}
	return n
}

func TestACellIsNamedByIDByItsBeginningOrByPosition(t *testing.T) {
	n := fold(t,
		&event.CellCreated{Cell: "abc1", Kind: event.KindCode, Order: "A"},
		&event.CellCreated{Cell: "abd2", Kind: event.KindCode, Order: "B"},
		&event.CellCreated{Cell: "x", Kind: event.KindCode, Order: "C"},
		&event.CellCreated{Cell: "gone", Kind: event.KindCode, Order: "D"},
		&event.CellDeleted{Cell: "gone"},
		&event.CellCreated{Cell: "good", Kind: event.KindCode, Order: "E"},
		&event.CellDeleted{Cell: "good"},
	)
	for _, c := range []struct {
		name string
		want event.CellID
		kind terminal.Kind
	}{
		{"abc1", "abc1", terminal.Failed},
		{"abc", "abc1", terminal.Failed},
		{"x", "x", terminal.Failed},
		{"@1", "abc1", terminal.Failed},
		{"#3", "x", terminal.Failed},
		{"ab", "", terminal.Usage},
		{"", "", terminal.Denied},
		{"nope", "", terminal.Denied},
		{"@4", "", terminal.Denied},
		{"@0", "", terminal.Usage},
		{"@x", "", terminal.Usage},
		{"gon", "", terminal.Denied},
		{"gone", "", terminal.Denied},
		{"g", "", terminal.Usage},
	} {
		got, err := FindLive(n, c.name)
		if c.want == "" {
			var f *terminal.Error
			if !errors.As(err, &f) || f.Kind != c.kind {
				t.Errorf("%q: got %v, want an error of kind %v", c.name, err, c.kind)
			}
			continue
		}
		if err != nil || got.ID != c.want {
			t.Errorf("%q: got %v, %v, want %s", c.name, got, err, c.want)
		}
	}
	if _, err := FindLive(n, "gon"); err == nil || !strings.Contains(err.Error(), "cell gone is deleted; `quire restore NOTEBOOK gone` restores it") {
		t.Errorf("got %v, want how to restore the cell", err)
	}
	if c, err := Find(n, "gone"); err != nil || !c.Deleted {
		t.Errorf("a deleted cell: got %v, %v, want it by its whole id", c, err)
	}
}
