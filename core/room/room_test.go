package room_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/replica"
	"github.com/quirehq/quire/core/room"
	"github.com/quirehq/quire/core/room/roomtest"
)

// house is a room that runs.
type house struct {
	*room.Room
	t    *testing.T
	stop context.CancelFunc
	done chan error // has what Run returned

	mu     sync.Mutex
	failed []error
}

// runRoom runs a room until the test ends, or stops it.
func runRoom(t *testing.T, cfg room.Config) *house {
	t.Helper()
	h := &house{t: t, done: make(chan error, 1)}
	room, err := room.Open(t.Context(), cfg, func(err error) {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.failed = append(h.failed, err)
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	h.Room, h.stop = room, cancel
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		h.done <- room.Run(ctx)
	}()
	t.Cleanup(func() { cancel(); <-ended })
	return h
}

// end stops the room and returns what its Run did.
func (h *house) end() error {
	h.stop()
	return <-h.done
}

// failures returns the errors that the room recovered from.
func (h *house) failures() []error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.failed
}

// visit joins the room as an editor.
func (h *house) visit(client event.ClientID) *room.Member {
	h.t.Helper()
	m := &room.Member{Actor: "person:" + event.Actor(client), Role: access.Editor, Out: room.NewOutbox(1 << 20)}
	if err := h.Join(h.t.Context(), m, &protocol.Hello{Version: protocol.Version, Client: client}); err != nil {
		h.t.Fatal(err)
	}
	return m
}

// push sends payloads on behalf of a member.
func (h *house) push(m *room.Member, from uint64, payloads ...event.Payload) {
	h.t.Helper()
	var p protocol.Push
	for i, payload := range payloads {
		id := event.ID{Client: m.Client(), N: from + uint64(i)}
		p.Events = append(p.Events, event.Draft{ID: id, Payload: payload})
	}
	if err := h.Receive(h.t.Context(), m, &p); err != nil {
		h.t.Error(err)
	}
}

func TestSY90ARoomThatIsStoppedCommitsTellsItsMembersAndSavesASnapshot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := roomtest.NewMemory()
		h := runRoom(t, room.Config{Log: log})
		m := h.visit("a")
		for i := range 20 {
			h.push(m, uint64(i+1), roomtest.NewCell(event.CellID(fmt.Sprintf("c%d", i))))
		}
		if err := h.end(); err != nil {
			t.Fatal(err)
		}
		messages, done := m.Out.Drain()
		all := roomtest.DecodeAll(t, messages)
		wantSeqs(t, all, span(1, 20))
		if len(roomtest.Only[*protocol.Resume](all)) != 1 || !done {
			t.Error("the member was not told to connect again")
		}
		snap, err := log.Snapshot(t.Context())
		if err != nil || snap.Seq != 20 {
			t.Errorf("got a snapshot at %d (%v), want at 20", snap.Seq, err)
		}
	})
}

func TestSY91AfterItsEndARoomIsUnavailable(t *testing.T) {
	h := runRoom(t, room.Config{Log: roomtest.NewMemory()})
	m := h.visit("a")
	if err := h.end(); err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	late := &room.Member{Actor: "person:b", Role: access.Editor, Out: room.NewOutbox(1 << 10)}
	for name, call := range map[string]func() error{
		"Join":      func() error { return h.Join(ctx, late, &protocol.Hello{Version: protocol.Version, Client: "b"}) },
		"Receive":   func() error { return h.Receive(ctx, m, &protocol.Presence{}) },
		"Malformed": func() error { return h.Malformed(ctx, m, errors.New("bad")) },
		"Leave":     func() error { return h.Leave(ctx, m) },
		"Submit":    func() error { return h.Submit(ctx, "person:a", roomtest.NewCell("c")) },
		"View":      func() error { return h.View(ctx, func(*notebook.Notebook) { t.Error("the view was shown") }) },
	} {
		for range 100 { // the mailbox has space, so that chance must not decide
			if err := call(); room.CodeOf(err) != protocol.CodeUnavailable {
				t.Errorf("%s: got %v, want that the room is not available", name, err)
			}
		}
	}
	messages, done := late.Out.Drain()
	if last := roomtest.Only[*protocol.Closed](roomtest.DecodeAll(t, messages)); len(last) != 1 || last[0].Code != protocol.CodeUnavailable || !done {
		t.Errorf("who came late got %v, want one Closed as unavailable", last)
	}
}

func TestSY91WhoWaitsWhenTheRoomEndsIsAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &hookedLog{Log: roomtest.NewMemory()}
		release := make(chan struct{})
		log.before = func() error { <-release; return nil }
		h := runRoom(t, room.Config{Log: log})
		errs := make(chan error, 200)
		for i := range 200 {
			go func() {
				switch i % 3 {
				case 0:
					errs <- h.Submit(t.Context(), "person:a", roomtest.NewCell(event.CellID(fmt.Sprintf("c%d", i))))
				case 1:
					m := &room.Member{Role: access.Viewer, Out: room.NewOutbox(1 << 10)}
					id := event.ClientID(fmt.Sprintf("m%d", i))
					err := h.Join(t.Context(), m, &protocol.Hello{Version: protocol.Version, Client: id})
					_, _ = m.Out.Next(t.Context())
					errs <- err
				case 2:
					errs <- h.View(t.Context(), func(*notebook.Notebook) {})
				}
			}()
		}
		synctest.Wait()
		h.stop()
		close(release)
		for range 200 {
			if err := <-errs; err != nil && room.CodeOf(err) != protocol.CodeUnavailable {
				t.Errorf("got %v, want none or that the room is not available", err)
			}
		}
	})
}

func TestSY92SubmitReturnsOnceItIsOnDiskAndSaysWhatWasRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &hookedLog{Log: roomtest.NewMemory()}
		release := make(chan struct{})
		log.before = func() error { <-release; return nil }
		h := runRoom(t, room.Config{Log: log})
		done := make(chan error, 1)
		go func() { done <- h.Submit(t.Context(), "person:ada", roomtest.NewCell("c")) }()
		synctest.Wait()
		select {
		case err := <-done:
			t.Fatalf("got %v before the disk had it", err)
		default:
		}
		close(release)
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		for want, p := range map[protocol.Code]event.Payload{
			protocol.CodeConflict: roomtest.NewCell("c"),
			protocol.CodeNotFound: &event.CellDeleted{Cell: "none"},
			protocol.CodeInvalid:  &event.NotebookTitled{},
		} {
			if err := h.Submit(t.Context(), "person:ada", p); room.CodeOf(err) != want {
				t.Errorf("%s: got %v, want %s", p.Type(), err, want)
			}
		}
	})
}

func TestSY92WhenTheLogFailsSubmitSaysSoAndTheRoomGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := roomtest.NewMemory()
		h := runRoom(t, room.Config{Log: log})
		m := h.visit("a")
		log.Fail(errFull, false)
		if err := h.Submit(t.Context(), "person:ada", roomtest.NewCell("c")); !errors.Is(err, errFull) {
			t.Errorf("got %v, want the log's error", err)
		}
		messages, done := m.Out.Drain()
		if len(roomtest.Only[*protocol.Resume](roomtest.DecodeAll(t, messages))) != 1 || !done {
			t.Error("the member was not told to connect again")
		}
		if err := h.Submit(t.Context(), "person:ada", roomtest.NewCell("c")); err != nil {
			t.Errorf("again: got %v, want it taken", err)
		}
		if got := h.failures(); len(got) != 1 || !errors.Is(got[0], errFull) {
			t.Errorf("got failures %v, want the log's error once", got)
		}
	})
}

func TestSY92ALogThatCannotBeReadEndsTheRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := roomtest.NewMemory()
		h := runRoom(t, room.Config{Log: log})
		log.Reopen() // the room's own is not available any more
		if err := h.Submit(t.Context(), "person:ada", roomtest.NewCell("c")); room.CodeOf(err) != protocol.CodeUnavailable {
			t.Errorf("got %v, want that the log is not available", err)
		}
		if err := <-h.done; !errors.Is(err, room.ErrUnavailable) {
			t.Errorf("Run: got %v, want that the log is not available", err)
		}
	})
}

func TestSY91AViewThatWasGivenUpIsNotCalledAnyMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := runRoom(t, room.Config{Log: roomtest.NewMemory()})
		release := make(chan struct{})
		if err := h.Do(t.Context(), func(context.Context) { <-release }); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		called := false
		given := make(chan error, 1)
		go func() { given <- h.View(ctx, func(*notebook.Notebook) { called = true }) }()
		synctest.Wait()
		cancel()
		if err := <-given; !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want context.Canceled", err)
		}
		close(release)
		if err := h.View(t.Context(), func(*notebook.Notebook) {}); err != nil {
			t.Error(err)
		}
		if called {
			t.Error("the function was called after View had returned")
		}
	})
}

func TestSY93OneCommitServesAllThatWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &hookedLog{Log: roomtest.NewMemory()}
		release, appends := make(chan struct{}), 0
		log.before = func() error { appends++; <-release; return nil }
		h := runRoom(t, room.Config{Log: log})
		m := h.visit("a")
		h.push(m, 1, roomtest.NewCell("first"))
		synctest.Wait() // the room is in its first append
		for i := range 50 {
			h.push(m, uint64(i+2), roomtest.NewCell(event.CellID(fmt.Sprintf("c%d", i))))
		}
		close(release)
		time.Sleep(time.Second)
		synctest.Wait()
		if appends != 2 {
			t.Errorf("got %d appends, want the first and one for all the rest", appends)
		}
	})
}

func TestSY93AFullMailboxMakesMembersWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &hookedLog{Log: roomtest.NewMemory()}
		release := make(chan struct{})
		log.before = func() error { <-release; return nil }
		h := runRoom(t, room.Config{Log: log})
		m := h.visit("a")
		sent := 0
		var wg sync.WaitGroup
		wg.Go(func() {
			for i := range 10_000 {
				h.push(m, uint64(i+1), roomtest.NewCell(event.CellID(fmt.Sprintf("c%d", i))))
				sent++
			}
		})
		synctest.Wait()
		if sent == 0 || sent > 3_000 {
			t.Errorf("got %d pushes taken while the disk does not answer, want some and a bound", sent)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := h.Leave(ctx, m); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v from a full mailbox, want context.Canceled", err)
		}
		close(release)
		wg.Wait()
		if err := h.View(t.Context(), func(n *notebook.Notebook) {
			if got := len(n.Cells()); got != 10_000 {
				t.Errorf("got %d cells, want all 10,000", got)
			}
		}); err != nil {
			t.Error(err)
		}
	})
}

// snapLog is a log that saves a snapshot when it is let.
type snapLog struct {
	room.Log
	let chan error
}

// SaveSnapshot waits, and returns the result that the test chose.
func (l *snapLog) SaveSnapshot(ctx context.Context, s room.Snapshot) error {
	if err := <-l.let; err != nil {
		return err
	}
	return l.Log.SaveSnapshot(ctx, s)
}

func TestSY94ASnapshotIsSavedWhileEventsGoOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &snapLog{Log: roomtest.NewMemory(), let: make(chan error)}
		h := runRoom(t, room.Config{Log: log, SnapshotEvery: 3})
		submit := func(ids ...event.CellID) {
			for _, id := range ids {
				if err := h.Submit(t.Context(), "person:ada", roomtest.NewCell(id)); err != nil {
					t.Fatal(err)
				}
			}
		}
		submit("a", "b", "c", "d", "e", "f", "g") // the first snapshot is due after three
		synctest.Wait()                           // for the room to have looked whether it can save one after the last
		log.let <- errFull
		synctest.Wait()
		submit("h") // now the next one begins
		synctest.Wait()
		log.let <- nil
		synctest.Wait()
		snap, err := log.Snapshot(t.Context())
		if err != nil || snap.Seq != 8 {
			t.Errorf("got a snapshot at %d (%v), want at 8", snap.Seq, err)
		}
		if got := h.failures(); len(got) != 1 || !errors.Is(got[0], errFull) {
			t.Errorf("got failures %v, want that of the first snapshot", got)
		}
		submit("i")
		h.stop()
		log.let <- nil
		if err := <-h.done; err != nil {
			t.Error(err)
		}
		if snap, err := log.Snapshot(t.Context()); err != nil || snap.Seq != 9 {
			t.Errorf("after the end: got a snapshot at %d (%v), want at 9", snap.Seq, err)
		}
	})
}

func TestSY80TheRoomEndsLeasesByItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := runRoom(t, room.Config{Log: roomtest.NewMemory(), Grace: 10 * time.Second})
		rt := &room.Member{Actor: "runtime:rt", Role: access.Runtime, Out: room.NewOutbox(1 << 20)}
		if err := h.Join(t.Context(), rt, &protocol.Hello{Version: protocol.Version, Client: "rt", Runtime: "rt"}); err != nil {
			t.Fatal(err)
		}
		h.push(rt, 1, &event.RuntimeStarted{Runtime: "rt", Takes: event.TakesCode})
		if err := h.Leave(t.Context(), rt); err != nil {
			t.Fatal(err)
		}
		state := func() (got notebook.RuntimeState) {
			if err := h.View(t.Context(), func(n *notebook.Notebook) { got = n.Runtime(event.TakesCode).State }); err != nil {
				t.Fatal(err)
			}
			return got
		}
		time.Sleep(9 * time.Second)
		if got := state(); got != notebook.RuntimeStarting {
			t.Errorf("within the grace: got %s, want it still to come back", got)
		}
		time.Sleep(2 * time.Second)
		if got := state(); got != notebook.RuntimeStopped {
			t.Errorf("after the grace: got %s, want it stopped", got)
		}
	})
}

func TestSY60TheRoomTellsPresenceSoonAndSeldom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := runRoom(t, room.Config{Log: roomtest.NewMemory()})
		a, b := h.visit("a"), h.visit("b")
		time.Sleep(time.Second)
		_, _ = b.Out.Drain()
		for i := range 100 { // a second of moving
			if err := h.Receive(t.Context(), a, &protocol.Presence{Head: i}); err != nil {
				t.Fatal(err)
			}
			time.Sleep(10 * time.Millisecond)
		}
		time.Sleep(100 * time.Millisecond)
		messages, _ := b.Out.Drain()
		told := roomtest.Only[*protocol.Peers](roomtest.DecodeAll(t, messages))
		if len(told) < 10 || len(told) > 25 {
			t.Errorf("got %d messages for a hundred moves in a second, want about twenty", len(told))
		}
		if last := told[len(told)-1].Peers[0].Presence.Head; last != 99 {
			t.Errorf("got %d last, want where it is at the end", last)
		}
	})
}

func TestSY70ARoomServesASlowMemberAsItReads(t *testing.T) {
	defer wantNoGoroutines(t)
	log := roomtest.NewMemory()
	h := runRoom(t, room.Config{Log: log})
	slow := &room.Member{Actor: "person:slow", Role: access.Viewer, Out: room.NewOutbox(2_000)}
	if err := h.Join(t.Context(), slow, &protocol.Hello{Version: protocol.Version, Client: "slow"}); err != nil {
		t.Fatal(err)
	}
	m := h.visit("author")
	for i := range 500 {
		h.push(m, uint64(i+1), roomtest.NewCell(event.CellID(fmt.Sprintf("c%d", i))))
	}
	var got []event.Seq
	for len(got) < 500 {
		messages, err := slow.Out.Next(t.Context())
		if err != nil || len(messages) == 0 {
			t.Fatalf("got %d events and then %v, want 500", len(got), err)
		}
		got = append(got, seqs(roomtest.DecodeAll(t, messages))...)
	}
	for i, seq := range got {
		if seq != event.Seq(i+1) {
			t.Fatalf("event %d came in the place of %d", seq, i+1)
		}
	}
	if err := h.end(); err != nil {
		t.Error(err)
	}
}

func TestSY1MembersThatPushAtOnceAllGetAllEvents(t *testing.T) {
	defer wantNoGoroutines(t)
	const members, each = 8, 50
	h := runRoom(t, room.Config{Log: roomtest.NewMemory(), SnapshotEvery: 20})
	var wg sync.WaitGroup
	for i := range members {
		m := h.visit(event.ClientID(fmt.Sprintf("m%d", i)))
		wg.Go(func() {
			for n := range each {
				h.push(m, uint64(n+1), roomtest.NewCell(event.CellID(fmt.Sprintf("c%d-%d", i, n))))
			}
		})
		wg.Go(func() {
			next := event.Seq(1)
			for next <= members*each {
				messages, err := m.Out.Next(t.Context())
				if err != nil || len(messages) == 0 {
					t.Errorf("member %d got %d events and then %v", i, next-1, err)
					return
				}
				for _, seq := range seqs(roomtest.DecodeAll(t, messages)) {
					if seq != next {
						t.Errorf("member %d: event %d came in the place of %d", i, seq, next)
						return
					}
					next++
				}
			}
		})
	}
	wg.Wait()
	if err := h.end(); err != nil {
		t.Error(err)
	}
}

// stuckLog is a log whose disk does not answer.
type stuckLog struct{ room.Log }

// Append waits until its context ends.
func (l stuckLog) Append(ctx context.Context, _ room.Batch) error {
	<-ctx.Done()
	return ctx.Err()
}

func TestSY90ARoomWhoseDiskDoesNotAnswerStopsAllTheSame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := runRoom(t, room.Config{Log: stuckLog{roomtest.NewMemory()}})
		h.push(h.visit("a"), 1, roomtest.NewCell("c"))
		synctest.Wait()
		began := time.Now()
		if err := h.end(); err == nil {
			t.Error("got no error, want that the last events could not be written")
		}
		if took := time.Since(began); took > 10*time.Second {
			t.Errorf("it took %v, want seconds", took)
		}
	})
}

// slowSnapshots is a log that takes longer to store a snapshot than a room has at its end.
type slowSnapshots struct{ room.Log }

// SaveSnapshot waits until its context ends.
func (l slowSnapshots) SaveSnapshot(ctx context.Context, _ room.Snapshot) error {
	<-ctx.Done()
	return ctx.Err()
}

func TestSY90ARoomThatHasNoTimeForASnapshotEndsWithoutAnError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := roomtest.NewMemory()
		h := runRoom(t, room.Config{Log: slowSnapshots{log}})
		h.push(h.visit("a"), 1, roomtest.NewCell("c"))
		synctest.Wait()
		if err := h.end(); err != nil {
			t.Errorf("got %v, want no error: the log has all there is", err)
		}
		if last, err := log.Last(t.Context()); err != nil || last != 1 {
			t.Errorf("the log ends at %d (%v), want 1", last, err)
		}
	})
}

func TestSY21ARoomThatCanWriteNothingSaysWhy(t *testing.T) {
	for word, cause := range map[string]error{
		"disk is full": errors.Join(room.ErrFull, room.ErrUnavailable),
		"was removed":  errors.Join(room.ErrRemoved, room.ErrUnavailable),
	} {
		d := roomtest.NewSequencer(t, nil)
		d.Config.Log = &hookedLog{Log: d.Log, before: func() error { return cause }}
		d.Reopen()
		s := d.AddPerson("c", access.Editor)
		s.Push(roomtest.NewCell("a"))
		if err := d.Commit(t.Context()); !errors.Is(err, cause) {
			t.Fatalf("got %v, want the log's error", err)
		}
		told := roomtest.Only[*protocol.Resume](s.Take())
		if len(told) != 1 || !told[0].Unwritten || !strings.Contains(told[0].Reason, word) {
			t.Fatalf("got %v, want a resume that says %q", told, word)
		}
		var unwritten *replica.UnwrittenError
		if _, err := replica.New("c").Receive(told[0]); !errors.As(err, &unwritten) || unwritten.Error() != told[0].Reason {
			t.Errorf("a replica says %v, want the reason", err)
		}
	}
}

func TestSY93AMailboxThatNeverEmptiesHoldsUpNoCommit(t *testing.T) {
	const enough = 100_000
	h := runRoom(t, room.Config{Log: roomtest.NewMemory()})
	var answered atomic.Bool
	n := 0
	end := make(chan struct{})
	var again func(context.Context)
	again = func(ctx context.Context) {
		if n++; answered.Load() || n == enough {
			close(end)
			return
		}
		if err := h.Do(ctx, again); err != nil {
			t.Error(err)
		}
		runtime.Gosched() // where there is one thread, Submit must have a turn
	}
	if err := h.Do(t.Context(), again); err != nil {
		t.Fatal(err)
	}
	if err := h.Submit(t.Context(), "person:ada", roomtest.NewCell("c")); err != nil {
		t.Error(err)
	}
	answered.Store(true)
	<-end
	if n == enough {
		t.Errorf("the commit came after %d operations, want it between them", n)
	}
}

// wantNoGoroutines fails the test if goroutines are left, save the one that stands
// for the page's events under js.
func wantNoGoroutines(t *testing.T) {
	t.Helper()
	goleak.VerifyNone(t, goleak.IgnoreAnyFunction("runtime.handleEvent"))
}
