package terminal

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/replica"
)

// Outcome is how a run ended.
type Outcome struct {
	Run      event.RunID
	Cell     event.CellID
	Position int // of the cell, from 1; 0 if it is gone
	Status   event.RunStatus
	Started  bool // its code began to execute
	MayFail  bool // an error is no failure
	Slow     bool // it was cancelled because it took too long
	Reason   string
	Cause    event.Cause
	Count    int // 0 for none
	Took     time.Duration
	Outputs  []event.Output // of the run up to its end, if the follower was to keep them
	// FailedLate reports that a task or a timer of the run has failed after its end, which the follower does not know by then.
	FailedLate bool
}

// LateError returns the run and the error of work that failed after the end of its run, nil for other events.
func LateError(e *event.Event) (event.RunID, *event.Error) {
	added, ok := e.Payload.(*event.OutputAdded)
	if !ok || added.Late == "" || added.Value.Kind != event.OutputError {
		return "", nil
	}
	return added.Run, added.Value.Error
}

// IsBad reports whether a run counts as a failure. A run that was skipped behind a program
// that ended itself does not.
func (o Outcome) IsBad() bool {
	switch o.Status {
	case event.StatusOK, event.StatusSkipped:
		return o.FailedLate && !o.MayFail
	case event.StatusError:
		return !o.MayFail
	}
	return true
}

// IsUnrun reports whether a run that is counted as a failure never came to execute its cell.
func (o Outcome) IsUnrun() bool { return o.IsBad() && !o.Started && o.Status != event.StatusError }

// String says it in one line.
func (o Outcome) String() string {
	s := fmt.Sprintf("%s %s", o.Cell, o.Status)
	if o.Position > 0 {
		s = fmt.Sprintf("@%d %s", o.Position, s)
	}
	if o.Took > 0 {
		s += fmt.Sprintf(" in %s", o.Took)
	}
	if o.Status == event.StatusError && o.MayFail {
		s += ", which is allowed"
	}
	return s + because(o.Reason)
}

// news is something that happened to the runs of a request: one field is set.
type news struct {
	event *event.Event // that starts a run, asks for input or changes outputs
	whole *catchUp     // an output as it is after events that were not seen
	wrote int          // the position of the cell that a source was put into, which a program offered
	ended *Outcome
}

// catchUp is an output as it is now.
type catchUp struct {
	id    event.OutputID
	value event.Output
}

// tracker knows how far the runs of one request are. The session that it belongs
// to calls update, which puts the texts to print into the queue.
type tracker struct {
	news *printQueue[news]
	late chan event.RunID // runs that took too long

	done   chan struct{} // closed when all runs have ended
	failed chan struct{} // closed when no runtime could be started
	died   chan struct{} // closed when a run was lost, and with it the variables

	mu      sync.Mutex // the session's lock would do, but for the timers
	timers  map[event.RunID]*time.Timer
	timeout time.Duration

	runs []event.RunOf // all, in their order

	// Owned by who holds the session.
	open   map[event.RunID]event.CellID
	all    map[event.RunID]bool   // also those that have ended, whose programs may go on
	begun  map[event.RunID]bool   // those that have started
	slow   map[event.RunID]bool   // those that took too long
	inputs map[event.InputID]bool // the questions of programs, with whether they are ours
	asked  bool                   // the request is in the log
	seq    event.Seq              // the last number that was seen
	fault  string                 // why no runtime could be started
	book   *notebook.Notebook     // as of the event that is looked at; nil if no outputs are kept
	lost   bool                   // died is closed
}

// newTracker returns a tracker of runs, which must not have been requested yet.
func newTracker(runs []event.RunOf, timeout time.Duration) *tracker {
	t := &tracker{
		news:    newPrintQueue[news](printQueueLimit),
		late:    make(chan event.RunID, len(runs)),
		done:    make(chan struct{}),
		failed:  make(chan struct{}),
		died:    make(chan struct{}),
		timers:  map[event.RunID]*time.Timer{},
		timeout: timeout,
		runs:    runs,
		open:    make(map[event.RunID]event.CellID, len(runs)),
		all:     make(map[event.RunID]bool, len(runs)),
		begun:   map[event.RunID]bool{},
		slow:    map[event.RunID]bool{},
		inputs:  map[event.InputID]bool{},
	}
	for _, r := range runs {
		t.open[r.Run], t.all[r.Run] = r.Cell, true
	}
	return t
}

// update handles the changes of a message of the room. Later outputs of runs that have ended are
// printed as well, until the queue is closed.
func (t *tracker) update(r *replica.Replica, up replica.Update) {
	going := len(t.open) > 0
	n := r.Confirmed()
	var items []news
	size := 0
	last := n.Seq()
	skipped := t.seq != 0 && last > t.seq+event.Seq(len(up.Committed))
	if skipped {
		items = t.skipped(n, items)
	}
	t.seq = last
	for i := range up.Committed {
		if e := &up.Committed[i]; t.event(e) {
			items = append(items, news{event: e})
			size += sizeOf(e.Payload)
		}
	}
	items = t.wrote(n, up, items)
	items = t.end(n, up.Committed, items)
	if skipped && t.book != nil {
		t.book = n.Clone()
	}
	if len(items) > 0 {
		t.news.put(size, items...)
	}
	if going && len(t.open) == 0 {
		close(t.done)
	}
}

// event notes an event, and reports whether it starts one of our runs, has to do with its
// input or changes its outputs.
func (t *tracker) event(e *event.Event) bool {
	switch p := e.Payload.(type) {
	case *event.RunRequested:
		t.asked = t.asked || t.ours(p.Runs[0].Run)
	case *event.RunStarted:
		if t.ours(p.Run) {
			t.begun[p.Run] = true
			t.time(p.Run)
			return true
		}
	case *event.RuntimeStopped:
		if t.asked && p.Reason == event.StopFailed && t.fault == "" {
			t.fault = p.Detail
			close(t.failed)
		}
	case *event.InputAsked:
		t.inputs[p.Input] = t.ours(p.Run)
		return t.ours(p.Run)
	case *event.SourceOffered:
		return t.all[p.Run]
	case *event.InputAnswered:
		return t.inputs[p.Input]
	case *event.InputClosed:
		return t.inputs[p.Input]
	case *event.OutputAdded:
		return t.all[p.Run]
	case *event.OutputAppended:
		return t.all[p.Run]
	case *event.OutputStored:
		return t.all[p.Run]
	case *event.DisplayUpdated:
		return t.all[p.Run]
	case *event.OutputsCleared:
		return t.all[p.Run]
	}
	return false
}

// wrote notes into which cells sources were put that our programs offered.
func (t *tracker) wrote(n *notebook.Notebook, up replica.Update, items []news) []news {
	for _, e := range up.Edits {
		if t.all[e.Run] {
			items = append(items, news{wrote: position(n, e.Cell) + 1})
		}
	}
	for _, made := range up.Made {
		if t.all[made.Run] {
			items = append(items, news{wrote: position(n, made.Cell) + 1})
		}
	}
	return items
}

func (t *tracker) ours(id event.RunID) bool {
	_, ok := t.open[id]
	return ok
}

// time begins to count the time that a run takes.
func (t *tracker) time(id event.RunID) {
	if t.timeout <= 0 {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.timers[id] = time.AfterFunc(t.timeout, func() { t.late <- id }) // it has space for each run
}

// stop stops counting.
func (t *tracker) stop() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, timer := range t.timers {
		timer.Stop()
	}
}

// end notes which runs have ended. A run that the notebook does not keep any more
// has: a newer run of its cell took its place.
func (t *tracker) end(n *notebook.Notebook, events []event.Event, items []news) []news {
	for i := range events {
		if t.book != nil {
			_, _ = t.book.Apply(&events[i], nil) // a moot event changes nothing
		}
		if p, ok := events[i].Payload.(*event.RunFinished); ok && t.ours(p.Run) {
			items = append(items, t.ended(n, p.Run, &notebook.Run{Status: p.Status, Cause: p.Cause, Reason: p.Reason, Count: p.Count, Took: p.Took, MayFail: p.Allowed}))
		}
	}
	if !t.asked {
		return items
	}
	for _, run := range t.runs {
		id := run.Run
		if !t.ours(id) {
			continue
		}
		switch r := n.Run(id); {
		case r == nil:
			items = append(items, t.ended(n, id, &notebook.Run{Status: event.StatusCancelled, Reason: "a newer run took its place, or the cell is gone"}))
		case r.State == notebook.RunFinished:
			items = append(items, t.ended(n, id, r))
		}
	}
	return items
}

// ended takes a run off the open ones. How tells how it ended: the run itself may have left the notebook, when a newer run of its
// cell waits.
func (t *tracker) ended(n *notebook.Notebook, id event.RunID, how *notebook.Run) news {
	cell := t.open[id]
	delete(t.open, id)
	if how.Status == event.StatusLost && !t.lost {
		t.lost = true
		close(t.died)
	}
	o := Outcome{
		Run: id, Cell: cell, Position: position(n, cell) + 1, Status: how.Status, Started: t.begun[id], MayFail: how.MayFail || t.mayFail(id),
		Reason: whyEnded(how.Cause, how.Reason), Cause: how.Cause, Count: how.Count, Took: time.Duration(how.Duration()) * time.Millisecond,
	}
	if r := n.Run(id); r != nil {
		o.Started, o.MayFail = o.Started || r.Started != 0, o.MayFail || r.MayFail
	}
	if how.Cause == event.CauseNotStarted {
		o.Started = false // the run has, for its error
	}
	if o.Slow = o.Status == event.StatusCancelled && t.slow[id]; o.Slow {
		o.Reason, o.Cause = cmp.Or(o.Reason, fmt.Sprintf("it took longer than %v", t.timeout)), cmp.Or(o.Cause, event.CauseTimedOut)
	}
	if t.book != nil {
		o.Outputs = OutputsOf(t.book, cell, id)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if timer := t.timers[id]; timer != nil {
		timer.Stop()
	}
	return news{ended: &o}
}

// mayFail reports whether an error of a run was no failure when it was requested.
func (t *tracker) mayFail(id event.RunID) bool {
	i := slices.IndexFunc(t.runs, func(r event.RunOf) bool { return r.Run == id })
	return i >= 0 && t.runs[i].MayFail
}

// skipped returns the outputs of our runs as they are, after a snapshot came in
// place of events. The request may have been among those.
func (t *tracker) skipped(n *notebook.Notebook, items []news) []news {
	for id, cell := range t.open {
		c := n.Cell(cell)
		if n.Run(id) == nil || c == nil {
			continue
		}
		t.asked = true
		for _, out := range c.Outputs {
			if o := n.Output(out); o.Run == id {
				items = append(items, news{whole: &catchUp{id: out, value: o.Value()}})
			}
		}
	}
	return items
}

// sizeOf returns about how many bytes an event holds.
func sizeOf(p event.Payload) int {
	const envelope = 256
	switch p := p.(type) {
	case *event.OutputAppended:
		return envelope + len(p.Text)
	case *event.OutputAdded:
		n := envelope + len(p.Value.Text)
		for _, raw := range p.Value.Data {
			n += len(raw)
		}
		return n
	}
	return envelope
}

// position returns the index of a cell among those that are not deleted.
func position(n *notebook.Notebook, id event.CellID) int { return slices.Index(n.Cells(), id) }
