package roomtest

import (
	"fmt"
	"testing"
	"time"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/room"
)

// Sequencer is the sequencer of a room on a log in memory, with a clock that a test sets. Its methods end the test
// when they fail.
type Sequencer struct {
	*room.Sequencer
	T      *testing.T
	Log    *Memory
	Config room.Config
	Time   event.Time

	Spool func(event.RuntimeID) []event.Draft // what runtimes have left, if not nil
}

// NewSequencer opens a sequencer on an empty log. Change may be nil.
func NewSequencer(t *testing.T, change func(*room.Config)) *Sequencer {
	t.Helper()
	s := &Sequencer{T: t, Log: NewMemory(), Time: 1_000_000}
	s.Config = room.Config{Now: func() event.Time { return s.Time }, Clock: func() event.Time { return s.Time }, Grace: 10 * time.Second, Spooled: s.spooled}
	if change != nil {
		change(&s.Config)
	}
	s.Reopen()
	return s
}

func (s *Sequencer) spooled(id event.RuntimeID) []event.Draft {
	if s.Spool == nil {
		return nil
	}
	return s.Spool(id)
}

// Reopen opens the room from the log.
func (s *Sequencer) Reopen() {
	s.T.Helper()
	cfg := s.Config
	if cfg.Log == nil {
		cfg.Log = s.Log
	}
	opened, err := room.OpenSequencer(s.T.Context(), cfg)
	if err != nil {
		s.T.Fatal(err)
	}
	s.Sequencer = opened
}

// Restart crashes the room, and opens it from the log.
func (s *Sequencer) Restart() {
	s.T.Helper()
	s.Log = s.Log.Reopen()
	s.Reopen()
}

// NewWithRuntime returns a sequencer with a runtime and a person who may run cells.
func NewWithRuntime(t *testing.T) (s *Sequencer, rt, ada *Member) {
	t.Helper()
	s = NewSequencer(t, nil)
	rt, _ = s.AddRuntime("rt")
	ada = s.AddPerson("ada", access.Runner)
	rt.Take()
	return s, rt, ada
}

// NewFilled returns a sequencer with cells, for whose clients ten events are far behind.
func NewFilled(t *testing.T, n int) *Sequencer {
	t.Helper()
	s := NewSequencer(t, func(c *room.Config) { c.MaxBehind = 10 })
	for i := range n {
		s.MustSubmit(NewCell(event.CellID(fmt.Sprintf("c%d", i+1))))
	}
	return s
}

// NewLoading returns a sequencer with a cell c, a cell d behind it and a runtime that executes the run r1 of cell c, which is
// "%load x.py". A person with the role has requested the run.
func NewLoading(t *testing.T, role access.Role, change func(*room.Config)) (s *Sequencer, asker, rt *Member) {
	t.Helper()
	s = NewSequencer(t, change)
	s.MustSubmit(CellWith("c", "%load x.py"), CellAfter("d"))
	asker = s.AddPerson("ada", role)
	asker.Push(Request("r1", "c"))
	rt, epoch := s.AddRuntime("rt")
	rt.Push(&event.RunAssigned{Run: "r1", Epoch: epoch}, &event.RunStarted{Run: "r1", Epoch: epoch})
	s.MustCommit()
	WantCodes(t, rt.Take())
	asker.Take()
	return s, asker, rt
}

// Store appends events to the log that another version has made.
func (s *Sequencer) Store(b room.Batch) {
	s.T.Helper()
	if err := s.Log.Append(s.T.Context(), b); err != nil {
		s.T.Fatal(err)
	}
}

// MustSubmit commits events of a person.
func (s *Sequencer) MustSubmit(payloads ...event.Payload) {
	s.T.Helper()
	if err := s.Submit(s.T.Context(), "person:ada", payloads...); err != nil {
		s.T.Fatal(err)
	}
	s.MustCommit()
}

// MustCommit commits the open batch.
func (s *Sequencer) MustCommit() {
	s.T.Helper()
	if err := s.Commit(s.T.Context()); err != nil {
		s.T.Fatal(err)
	}
}

// Pass moves the clock and expires leases, and returns the events of that.
func (s *Sequencer) Pass(ms event.Time) []event.Event {
	s.T.Helper()
	before := s.Notebook().Seq()
	s.Time += ms
	if err := s.Expire(s.T.Context()); err != nil {
		s.T.Fatal(err)
	}
	s.MustCommit()
	return s.Logged(before)
}

// Logged returns the events of the log after a number.
func (s *Sequencer) Logged(after event.Seq) []event.Event {
	s.T.Helper()
	var events []event.Event
	err := s.Log.Read(s.T.Context(), after, func(r event.Record) error {
		e, err := event.Decode(r.Data)
		events = append(events, e)
		return err
	})
	if err != nil {
		s.T.Fatal(err)
	}
	return events
}

// Source returns the text of a cell.
func (s *Sequencer) Source(id event.CellID) string {
	s.T.Helper()
	c := s.Notebook().Cell(id)
	if c == nil {
		s.T.Fatalf("the room has no cell %s", id)
	}
	return c.Source()
}

// Sources returns the sources of the cells in their order, behind their ids.
func (s *Sequencer) Sources() []string {
	var list []string
	for _, id := range s.Notebook().Cells() {
		list = append(list, string(id)+": "+s.Source(id))
	}
	return list
}
