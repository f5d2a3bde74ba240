package room

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/protocol"
)

// Config configures a room. Log is required.
type Config struct {
	Log Log
	// Now returns the time that events are stamped with; time.Now if nil.
	Now func() event.Time
	// Clock returns the time since any moment, by a monotonic clock: leases and calls end
	// by it, so setting the wall clock neither ends nor prolongs one. The time since the
	// start if nil.
	Clock func() event.Time
	// Grace is how long a runtime may be away before its runs are lost; 15 s if 0.
	Grace time.Duration
	// Committed is called after each commit with the rows that changed, and with the
	// notebook, which may be ahead of the log by the next batch. The room's owner calls
	// it; it must not block.
	Committed func(*notebook.Notebook, []notebook.Change)
	// Spooled returns the spooled events of a dead runtime, in order: those that a runtime
	// on this machine kept on disk and could not push. They are appended before the event
	// that ends it. It is called as Committed is; nil recovers nothing.
	Spooled func(event.RuntimeID) []event.Draft
	// Gone returns how an absent runtime has ended, and nothing if it has not or that is not
	// known. It is called as Committed is.
	Gone func(event.RuntimeID) string
	// Mention is called with the artifacts that an event mentions, before the event is
	// admitted. When it returns nil, the notebook has all of them, and the host has noted
	// on disk that the log may mention them. ErrNoArtifact refuses the event; any other
	// error is temporary, and its member is told to connect again. The room's owner calls
	// it and waits for it; nil checks nothing.
	Mention func(context.Context, []event.Artifact) error
	// MayEdit reports whether an actor who is not connected may edit the notebook. It is
	// called as Mention is, when the program of a run that the actor requested offers a
	// source. With nil no such actor may.
	MayEdit func(context.Context, event.Actor) bool
	// KeepSources ignores the sources that programs offer: the notebook is executed as it
	// is.
	KeepSources bool
	// Behind is called each time a member's outbox is full: when a member that was up to
	// date has to go on from the log, and when one is told to connect again because it
	// reads no answers. It is called as Committed is.
	Behind func()
	// SnapshotEvery is the number of events from one snapshot to the next; 5,000 if 0.
	SnapshotEvery int
	// MaxBehind is how many events a client may be behind before it gets a snapshot
	// instead of the events; 2,000 if 0.
	MaxBehind int

	// MaxSize is the most bytes that the notebook may hold, as [notebook.Notebook.Size]
	// counts them; no limit if 0. An event that could exceed it is refused.
	MaxSize int64
	// MaxLog is the most bytes that the log may have in its storage, no limit if 0, and
	// LogSize returns how many it has. The room's owner calls it; with nil only the events
	// since the room was opened count.
	MaxLog  int64
	LogSize func(context.Context) (int64, error)

	// wake is called, by any goroutine, when a member's outbox has space again.
	wake func(*Member)
}

func (c *Config) setDefaults() {
	if c.Now == nil {
		c.Now = func() event.Time { return event.Time(time.Now().UnixMilli()) }
	}
	if c.Clock == nil {
		began := time.Now()
		c.Clock = func() event.Time { return event.Time(time.Since(began).Milliseconds()) }
	}
	if c.Committed == nil {
		c.Committed = func(*notebook.Notebook, []notebook.Change) {}
	}
	if c.Behind == nil {
		c.Behind = func() {}
	}
	if c.wake == nil {
		c.wake = func(*Member) {}
	}
	if c.Grace == 0 {
		c.Grace = 15 * time.Second
	}
	if c.SnapshotEvery == 0 {
		c.SnapshotEvery = 5_000
	}
	if c.MaxBehind == 0 {
		c.MaxBehind = 2_000
	}
}

// Sequencer gives the events of a notebook their numbers. It authorises the drafts that
// members push, rebases their edits, appends to the log, and only then acknowledges and
// publishes. It starts no goroutine and reads no clock but those of its Config; a [Room]
// gives it both.
//
// Receive collects a batch, and Commit appends it. Between the two the sequencer's notebook
// is ahead of the log, and is not shown to members. BeginCommit and FinishCommit are the
// two halves of Commit, for a caller that collects the next batch while one is being
// stored. A sequencer has one owner.
type Sequencer struct {
	cfg       Config
	book      *notebook.Notebook
	members   map[*Member]bool
	recent    map[event.CellID]*recentEdits
	editBytes int                            // size of the recent edits of all cells
	leases    map[event.RuntimeID]event.Time // when the leases of absent runtimes end
	goneAsked event.Time                     // when Gone was last asked
	calls     calls

	inFlight        *Commit // a batch that is being stored
	spare           *Commit // the last one, for its buffers
	batch           []event.Record
	changes         []notebook.Change
	replies         []reply
	requests        []request      // from which the batch's events and replies were made
	rebasers        []savedRebaser // those that the batch changed, as they were before it
	batchNo         uint64         // counts batches
	title           *string
	counted         int              // the number of cells that a batch last named, -1 if none did
	author          *Member          // the author of the batch's last event
	turns           int              // how often the author changed in the batch
	presenceChanged map[*Member]bool // members whose presence changed since the last publication
	departed        []event.ClientID // clients that left since then
	unsaved         int              // events since the last snapshot
	bookBytes       int64            // upper bound of the notebook's size
	bookMeasured    *event.Time      // when the size was measured, nil for never
	buf             []byte           // backs the batch's records

	logBytes    int64              // upper bound of the log's size
	logMeasured *event.Time        // when the size was measured, nil for never
	recovering  bool               // spooled events are being appended
	snapshots   [2]*sharedSnapshot // of the latest welcomes
	restores    bool               // the batch restores a deleted cell
}

// reply is a refusal that waits for the commit.
type reply struct {
	to  *Member
	msg protocol.ToClient
}

// OpenSequencer folds a log, from its newest snapshot if that has this version of the fold,
// and returns its sequencer.
func OpenSequencer(ctx context.Context, cfg Config) (*Sequencer, error) {
	cfg.setDefaults()
	s := &Sequencer{
		cfg:             cfg,
		members:         map[*Member]bool{},
		recent:          map[event.CellID]*recentEdits{},
		leases:          map[event.RuntimeID]event.Time{},
		presenceChanged: map[*Member]bool{},
	}
	if err := s.load(ctx); err != nil {
		return nil, err
	}
	s.startLeases()
	return s, nil
}

// load folds the log.
func (s *Sequencer) load(ctx context.Context) error {
	return s.loadAfter(ctx, 0, nil)
}

// loadAfter is load that calls seen, unless it is nil, with each event after a number and
// with the rows that it changed.
func (s *Sequencer) loadAfter(ctx context.Context, after event.Seq, seen func(*event.Event, []notebook.Change)) error {
	book, err := foldAfter(ctx, s.cfg.Log, after, seen)
	if err != nil {
		return err
	}
	s.book = book
	if s.cfg.MaxSize > 0 {
		s.bookBytes = book.Size()
	}
	if s.cfg.MaxLog > 0 && s.cfg.LogSize != nil {
		if s.logBytes, err = s.cfg.LogSize(ctx); err != nil {
			return fmt.Errorf("weigh log: %w", err)
		}
	}
	clear(s.recent)
	s.editBytes = 0
	s.batch, s.changes, s.replies, s.title, s.buf = nil, nil, nil, nil, nil
	s.requests, s.rebasers = nil, nil
	s.inFlight, s.spare, s.snapshots, s.counted, s.restores = nil, nil, [2]*sharedSnapshot{}, -1, false
	return nil
}

// Fold returns the notebook of a log, from its newest snapshot if that has this version of
// the fold.
func Fold(ctx context.Context, log Log) (*notebook.Notebook, error) {
	return foldAfter(ctx, log, 0, nil)
}

// foldAfter is Fold that calls seen, unless it is nil, with each event after a number and
// with the rows that it changed. A snapshot from behind that number is then of no use.
func foldAfter(ctx context.Context, log Log, after event.Seq, seen func(*event.Event, []notebook.Change)) (*notebook.Notebook, error) {
	snap, err := log.Snapshot(ctx)
	if err != nil {
		return nil, fmt.Errorf("read snapshot: %w", err)
	}
	book := notebook.New()
	if snap.Seq > 0 && snap.Fold == notebook.Version && (seen == nil || snap.Seq <= after) {
		if book, err = notebook.Restore(snap.Data); err != nil {
			book = notebook.New() // the snapshot is damaged, and the log has all events
		}
	}
	var changes []notebook.Change
	err = log.Read(ctx, book.Seq(), func(r event.Record) error {
		e, err := event.Decode(r.Data)
		if err != nil {
			return fmt.Errorf("record %d: %w", r.Seq, err)
		}
		changes, _ = book.Apply(&e, changes[:0]) // a moot event changes nothing
		if seen != nil && e.Seq > after {
			seen(&e, changes)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("fold log: %w", err)
	}
	return book, nil
}

// Notebook returns the folded notebook, which the caller must not change. It belongs to the
// sequencer's owner.
func (s *Sequencer) Notebook() *notebook.Notebook { return s.book }

// Members returns the number of members.
func (s *Sequencer) Members() int { return len(s.members) }

// Join adds a member, or closes it with the reason for a refusal. An older member with the
// same client and actor is dropped. There must be no open batch.
func (s *Sequencer) Join(ctx context.Context, m *Member, h *protocol.Hello) {
	closed := s.refuseHello(m, h)
	if closed == nil {
		closed = s.refuseClient(m, h)
	}
	if closed != nil {
		m.send(closed)
		m.Out.Close()
		return
	}
	for old := range s.members {
		if old.client == h.Client {
			s.drop(old, "the same client connected again")
		}
	}
	m.client, m.runtime, m.claims, m.joined, m.granted = h.Client, h.Runtime, h.Claims, true, m.Actor
	m.rebasers = map[event.CellID]*rebaser{}
	if m.runtime != "" {
		m.Actor = actorOf(m, h)
		m.takes = kindOf(h)
		m.Role = access.Serving(m.takes)
		delete(s.leases, m.runtime)
	}
	s.members[m] = true
	s.welcome(m, h)
	s.presenceChanged[m] = true
	s.sendPeers(m)
	s.catchUp(ctx, m)
	s.assign(ctx)
}

// refuseHello returns the reason to refuse a connection, or nil.
func (s *Sequencer) refuseHello(m *Member, h *protocol.Hello) *protocol.Closed {
	switch {
	case h.Version != protocol.Version:
		return &protocol.Closed{Code: protocol.CodeVersion, Message: fmt.Sprintf("this server speaks version %d of the protocol, the client version %d: update the older one", protocol.Version, h.Version)}
	case event.CheckName("client", string(h.Client)) != nil:
		return &protocol.Closed{Code: protocol.CodeInvalid, Message: event.CheckName("client", string(h.Client)).Error()}
	case h.Client == protocol.RoomClient:
		return &protocol.Closed{Code: protocol.CodeInvalid, Message: "client \"room\" is the room itself: choose another id"}
	case !m.Role.May(access.Read):
		return &protocol.Closed{Code: protocol.CodeForbidden, Message: "you may not read this notebook"}
	case m.Present && h.Fold != notebook.Version:
		return &protocol.Closed{Code: protocol.CodeVersion, Message: "you may not see this notebook's history, and the client cannot read a snapshot of this server's version: update the older one"}
	case h.Runtime == "" || isRuntime(m, h):
		return nil
	case !slices.Contains(event.Kinds(), kindOf(h)):
		return &protocol.Closed{Code: protocol.CodeInvalid, Message: fmt.Sprintf("%q is no kind of runtimes", h.Takes)}
	case event.CheckName("runtime", string(h.Runtime)) != nil:
		return &protocol.Closed{Code: protocol.CodeInvalid, Message: event.CheckName("runtime", string(h.Runtime)).Error()}
	case !m.mayBring(m.Role):
		return &protocol.Closed{Code: protocol.CodeForbidden, Message: fmt.Sprintf("the role %s may not attach a runtime to this notebook: only its owner may, or who has a token that lets them", m.Role)}
	case !m.Role.May(access.Manage) && s.isAnothers(m, h.Runtime):
		return &protocol.Closed{Code: protocol.CodeForbidden, Message: fmt.Sprintf("runtime %s is another's: choose another id", h.Runtime)}
	}
	return nil
}

// mayBring reports whether the member may attach a runtime with a role. A runtime gets the
// code of all users, and the secrets that they type for it: attaching one takes the owner,
// or an editor whom the owner permits it.
func (m *Member) mayBring(role access.Role) bool {
	return role.May(access.Attach) && (role.May(access.Manage) || m.Brings)
}

// isAnothers reports whether a runtime with an id runs that another actor attached.
func (s *Sequencer) isAnothers(m *Member, id event.RuntimeID) bool {
	rt := s.book.RuntimeByID(id)
	return rt != nil && rt.Brought != m.Actor
}

// isRuntime reports whether a connection has the token of the runtime that it asks to serve as, of that very kind.
func isRuntime(m *Member, h *protocol.Hello) bool {
	return m.Role == access.Serving(kindOf(h)) && m.Actor == kindOf(h).Actor(h.Runtime)
}

// kindOf returns the kind of the runtime that a connection asks to serve as.
func kindOf(h *protocol.Hello) event.Takes { return cmp.Or(h.Takes, event.TakesCode) }

// refuseClient returns the reason to refuse the client id of a hello, or nil. An id belongs
// to the actor of its first event; an id without events to the connection that has it.
func (s *Sequencer) refuseClient(m *Member, h *protocol.Hello) *protocol.Closed {
	taken := &protocol.Closed{Code: protocol.CodeConflict, Message: fmt.Sprintf("the client id %q is another's: choose another one", h.Client)}
	if owner := s.book.Owner(h.Client); owner != "" && owner != actorOf(m, h) {
		return taken
	}
	for old := range s.members {
		if old.client == h.Client && (old.granted != m.Actor || old.Actor != actorOf(m, h)) {
			return taken
		}
	}
	return nil
}

// actorOf returns the actor of a connection's events.
func actorOf(m *Member, h *protocol.Hello) event.Actor {
	if h.Runtime == "" {
		return m.Actor
	}
	return kindOf(h).Actor(h.Runtime)
}

// welcome answers a hello: with a snapshot if the client is far behind, or lacks a part of
// the log or of the past, else with the events to come.
func (s *Sequencer) welcome(m *Member, h *protocol.Hello) {
	last := s.book.Seq()
	w := &protocol.Welcome{Version: protocol.Version, Actor: m.Actor, Role: m.Role, Seq: h.Since, Last: last}
	far := last-h.Since > event.Seq(s.cfg.MaxBehind) && !h.Pending && h.Fold == notebook.Version
	lacks := m.Present && h.Since < last || h.Present && !m.Present && h.Fold == notebook.Version // of the log, or of the past
	if h.Since <= last && !far && !lacks {
		m.start, m.sent = w.Seq, w.Seq
		m.send(w)
		return
	}
	w.Seq, w.Present, m.start, m.sent = last, m.Present, last, last
	m.Out.addAlways(item{welcome: w, book: s.share(m.Present)})
}

// share returns the notebook for members that join now: whole, or without the past. All
// that join at one number share it.
func (s *Sequencer) share(present bool) *sharedSnapshot {
	of := &s.snapshots[0]
	if present {
		of = &s.snapshots[1]
	}
	if *of != nil && (*of).book.Seq() == s.book.Seq() {
		return *of
	}
	book := s.book.Clone()
	if present {
		book = book.Present()
	}
	*of = &sharedSnapshot{book: book, made: map[welcomeKey]*welcomeBytes{}}
	return *of
}

// Leave removes a member. The lease of its runtime starts.
func (s *Sequencer) Leave(m *Member) {
	if !s.members[m] {
		return
	}
	delete(s.members, m)
	delete(s.presenceChanged, m)
	m.Out.Close()
	if m.announced {
		s.departed = append(s.departed, m.client)
	}
	if m.runtime != "" && s.book.RuntimeByID(m.runtime) != nil && !s.serves(m.runtime) {
		s.startLease(m.runtime)
	}
	s.endCalls(m)
}

// serves reports whether a member serves as a runtime.
func (s *Sequencer) serves(id event.RuntimeID) bool {
	for m := range s.members {
		if m.runtime == id {
			return true
		}
	}
	return false
}

// drop tells a member to connect again, and removes it.
func (s *Sequencer) drop(m *Member, reason string) {
	m.send(&protocol.Resume{Reason: reason})
	s.Leave(m)
}

// DropAll tells all members to connect again.
func (s *Sequencer) DropAll(reason string) {
	for _, m := range slices.Collect(maps.Keys(s.members)) {
		s.drop(m, reason)
	}
}

// SnapshotDue reports whether enough events were committed since the last snapshot.
func (s *Sequencer) SnapshotDue() bool { return s.unsaved >= s.cfg.SnapshotEvery }

// TakeSnapshot returns a copy of the notebook, from which another goroutine may make a
// snapshot. It restarts the count of events.
func (s *Sequencer) TakeSnapshot() *notebook.Notebook {
	s.unsaved = 0
	return s.book.Clone()
}

// SaveSnapshot stores the snapshot of a notebook.
func SaveSnapshot(ctx context.Context, log Log, n *notebook.Notebook) error {
	data, err := n.Snapshot()
	if err != nil {
		return err
	}
	if err := log.SaveSnapshot(ctx, Snapshot{Seq: n.Seq(), Fold: notebook.Version, Data: data}); err != nil {
		return fmt.Errorf("save snapshot: %w", err)
	}
	return nil
}
