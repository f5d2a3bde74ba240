package room

import (
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

// Config is what a room needs. Log is required.
type Config struct {
	Log Log
	// Now returns the time that events are stamped with; time.Now if nil.
	Now func() event.Time
	// Clock returns the time since any moment, by a clock that nobody sets: leases and
	// calls end by it, so that setting Now's neither ends nor prolongs one. The time since
	// the start if nil.
	Clock func() event.Time
	// Grace is how long a runtime may be away before its runs are lost; 15 s if 0.
	Grace time.Duration
	// Committed is called after each commit with the rows that changed, and with the
	// notebook, which may be ahead of the log by the batch that follows. It is called
	// by the room's owner and must not block.
	Committed func(*notebook.Notebook, []notebook.Change)
	// Spooled returns what a runtime that is gone has left of its events, in order, as a
	// runtime on this machine may have kept it on disk. They are stated for it before
	// its end is. It is called as Committed is; by nobody if nil.
	Spooled func(event.RuntimeID) []event.Draft
	// Gone says how a runtime has ended whose lease has, nothing if that is not known. It is
	// called as Committed is; by nobody if nil.
	Gone func(event.RuntimeID) string
	// Mention is called before an event is taken in with the artifacts that it mentions.
	// When it returns nil, the notebook has all of them, and it is noted on disk that
	// its log may mention them. With ErrNoArtifact the notebook lacks one, and the event
	// is refused; any other error may pass, and who pushed is told to connect again. It
	// is called by the room's owner, who does nothing else meanwhile; by nobody if nil.
	Mention func(context.Context, []event.Artifact) error
	// MayEdit reports whether an actor who is not connected may edit the notebook. It is
	// asked when the program of a run that they requested offers a source, and called as Mention
	// is; nobody may if nil.
	MayEdit func(context.Context, event.Actor) bool
	// KeepSources has no source and no cell come of what programs offer: the notebook is
	// executed as it is.
	KeepSources bool
	// Behind is called each time a member's outbox is full: when it was up to date
	// and now has to go on from the log, and when it is told to connect again because
	// it takes no answers. It is called as Committed is; by nobody if nil.
	Behind func()
	// SnapshotEvery is after how many events a snapshot is due; 5,000 if 0.
	SnapshotEvery int
	// MaxBehind is how many events a client may be behind before a snapshot serves
	// it better than the events; 2,000 if 0.
	MaxBehind int

	// MaxSize is how many bytes the notebook may hold, as [notebook.Notebook.Size] counts them;
	// any number if 0. An event with which it could hold more is refused.
	MaxSize int64
	// MaxLog is how many bytes the log may have where it is stored, any number if 0, and
	// LogSize returns how many it has. It is called by the room's owner; what the log had when
	// the room was opened counts nothing if it is nil.
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

// Sequencer is what a room does: it gives events their numbers. It authorises
// what members push, moves their edits over what came meanwhile, appends to the
// log, and only then acknowledges and fans out. It starts no goroutine and reads
// no clock but its Config's; a [Room] gives it both.
//
// Receive collects a batch, and Commit appends it. Between the two the sequencer's
// notebook is ahead of the log, and nobody is shown it. Where the next batch should
// be collected while the disk has the last one, TakeOff and Land are the two halves
// of Commit. It has one owner.
type Sequencer struct {
	cfg       Config
	book      *notebook.Notebook
	members   map[*Member]bool
	recent    map[event.CellID]*recentEdits
	editBytes int                            // bytes that history takes
	leases    map[event.RuntimeID]event.Time // when the lease of a runtime that is away ends
	calls     calls

	inFlight        *Commit // a batch that is being stored
	spare           *Commit // one that was, for its space
	batch           []event.Record
	changes         []notebook.Change
	replies         []reply
	title           *string
	counted         int              // how many cells there were when a batch last said so, -1 if none did
	author          *Member          // of the batch's last event
	turns           int              // how often the author changes in the batch
	presenceChanged map[*Member]bool // whose presence changed since it was last told
	departed        []event.ClientID // who left since it was last told
	unsaved         int              // events since the last snapshot
	bookBytes       int64            // bytes that the notebook holds at most
	bookMeasured    *event.Time      // when that was counted, nil if it never was
	buf             []byte           // what the batch's records are cut from

	logBytes    int64              // bytes of the log at most
	logMeasured *event.Time        // when it was last asked how many those are
	recovering  bool               // what a runtime has left is being stated
	snapshots   [2]*sharedSnapshot // what the last who joined were welcomed with
	restores    bool               // a deleted cell is restored in the batch
}

// reply is an answer that waits for the commit.
type reply struct {
	to  *Member
	msg protocol.ToClient
}

// OpenSequencer folds a log, from its newest snapshot if that is of this fold's version,
// and returns the sequencer of it.
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

// load folds the log anew.
func (s *Sequencer) load(ctx context.Context) error {
	book, err := Fold(ctx, s.cfg.Log)
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
	s.inFlight, s.spare, s.snapshots, s.counted, s.restores = nil, nil, [2]*sharedSnapshot{}, -1, false
	return nil
}

// Fold returns the notebook of a log, from its newest snapshot if there is one of
// this fold's version.
func Fold(ctx context.Context, log Log) (*notebook.Notebook, error) {
	snap, err := log.Snapshot(ctx)
	if err != nil {
		return nil, fmt.Errorf("read snapshot: %w", err)
	}
	book := notebook.New()
	if snap.Seq > 0 && snap.Fold == notebook.Version {
		if book, err = notebook.Restore(snap.Data); err != nil {
			book = notebook.New() // the log has all that a damaged snapshot had
		}
	}
	var changes []notebook.Change
	err = log.Read(ctx, book.Seq(), func(r event.Record) error {
		e, err := event.Decode(r.Data)
		if err != nil {
			return fmt.Errorf("record %d: %w", r.Seq, err)
		}
		changes, _ = book.Apply(&e, changes[:0]) // what is moot changes nothing
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("fold log: %w", err)
	}
	return book, nil
}

// Notebook returns the folded notebook. It must not be changed, and belongs to the
// sequencer's owner.
func (s *Sequencer) Notebook() *notebook.Notebook { return s.book }

// Members returns how many members there are.
func (s *Sequencer) Members() int { return len(s.members) }

// Join takes a member in, or closes it with the reason. A member of the same actor that
// was there as the same client is displaced. The log must not have an open batch.
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
		m.Role = access.Runtime
		delete(s.leases, m.runtime)
	}
	s.members[m] = true
	s.welcome(m, h)
	s.presenceChanged[m] = true
	s.sendPeers(m)
	s.catchUp(ctx, m)
	s.assign(ctx)
}

// refuseHello returns why a connection cannot be, or nil.
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
	case h.Runtime == "" || isRuntime(m, h.Runtime):
		return nil
	case event.CheckName("runtime", string(h.Runtime)) != nil:
		return &protocol.Closed{Code: protocol.CodeInvalid, Message: event.CheckName("runtime", string(h.Runtime)).Error()}
	case !m.mayBring(m.Role):
		return &protocol.Closed{Code: protocol.CodeForbidden, Message: fmt.Sprintf("the role %s may not attach a runtime to this notebook: only its owner may, or who has a token that lets them", m.Role)}
	case !m.Role.May(access.Manage) && s.isAnothers(m, h.Runtime):
		return &protocol.Closed{Code: protocol.CodeForbidden, Message: fmt.Sprintf("runtime %s is another's: choose another id", h.Runtime)}
	}
	return nil
}

// mayBring reports whether the member may connect a runtime of its own, with a role. That
// gets the code of all, and the secrets that they type for it: it takes the notebook's owner,
// or an editor whom the owner lets.
func (m *Member) mayBring(role access.Role) bool {
	return role.May(access.Attach) && (role.May(access.Manage) || m.Brings)
}

// isAnothers reports whether somebody else has connected the runtime with an id, and it runs.
func (s *Sequencer) isAnothers(m *Member, id event.RuntimeID) bool {
	rt := s.book.RuntimeByID(id)
	return rt != nil && rt.Brought != m.Actor
}

// isRuntime reports whether a connection has the token of the very runtime.
func isRuntime(m *Member, id event.RuntimeID) bool {
	return m.Role == access.Runtime && m.Actor == event.NewActor(event.ActorRuntime, string(id))
}

// refuseClient returns why a connection cannot have the id that it says hello with, or
// nil. An id belongs to the actor of its first event; one without events yet to the
// connection that has it.
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

// actorOf returns the actor whom a connection's events will be of.
func actorOf(m *Member, h *protocol.Hello) event.Actor {
	if h.Runtime == "" {
		return m.Actor
	}
	return event.NewActor(event.ActorRuntime, string(h.Runtime))
}

// welcome answers a hello, with a snapshot when that serves the client better than
// the events that it lacks.
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

// share returns the notebook as it is now for those who join, the same one until it changes:
// whole, or without the past.
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

// Leave takes a member out. A runtime's lease ends after the grace.
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

// drop tells a member to connect again, and takes it out.
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

// SnapshotDue reports whether enough has happened since the last snapshot.
func (s *Sequencer) SnapshotDue() bool { return s.unsaved >= s.cfg.SnapshotEvery }

// TakeSnapshot returns a copy of the notebook to make a snapshot from, which may
// be done by another goroutine, and counts anew.
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
