package replica_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/replica"
	"github.com/quirehq/quire/core/room"
	"github.com/quirehq/quire/core/room/roomtest"
	"github.com/quirehq/quire/core/text"
)

// cable is the client's end of a connection, whose messages to the room are seen.
type cable struct {
	protocol.Conn
	passes func([]byte) []byte
}

// Send implements protocol.Conn.
func (c *cable) Send(ctx context.Context, message []byte) error {
	return c.Conn.Send(ctx, c.passes(message))
}

// office is a room that sessions dial.
type office struct {
	*room.Room
	t       *testing.T
	serving sync.WaitGroup

	mu     sync.Mutex
	down   error       // what a dial returns, nil to connect
	dials  []time.Time // when it was dialled
	cables []*cable    // that were given out
	spoil  bool        // the next edit gets a revision that never was
	role   access.Role // of who dials
	pushes int         // that the room was sent
}

func newOffice(t *testing.T) *office {
	t.Helper()
	served, err := room.Open(t.Context(), room.Config{Log: roomtest.NewMemory()}, func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	o := &office{Room: served, t: t, role: access.Owner}
	ctx, cancel := context.WithCancel(context.Background())
	o.serving.Go(func() { _ = o.Run(ctx) })
	t.Cleanup(func() { cancel(); o.serving.Wait() })
	return o
}

func (o *office) dial(context.Context) (protocol.Conn, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.dials = append(o.dials, time.Now())
	if o.down != nil {
		return nil, o.down
	}
	client, server := roomtest.Pipe()
	m := &room.Member{Actor: "person:ada", Role: o.role, Out: room.NewOutbox(1 << 20)}
	o.serving.Go(func() { _ = roomtest.Serve(context.Background(), o.Room, m, server) }) // until it is cut
	c := &cable{Conn: client, passes: o.passes}
	o.cables = append(o.cables, c)
	return c, nil
}

// passes sees each message on its way to the room, and may spoil it.
func (o *office) passes(data []byte) []byte {
	o.mu.Lock()
	defer o.mu.Unlock()
	if bytes.HasPrefix(data, []byte(`{"kind":"push"`)) {
		o.pushes++
	}
	if !o.spoil || !bytes.Contains(data, []byte("SourceEdited")) {
		return data
	}
	o.spoil = false
	return bytes.Replace(data, []byte(`"rev":`), []byte(`"rev":99`), 1)
}

// spoilEdit makes the next edit one that the room must refuse.
func (o *office) spoilEdit() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.spoil = true
}

// set changes what a dial returns.
func (o *office) set(down error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.down = down
}

// cut ends the latest connection.
func (o *office) cut() {
	o.mu.Lock()
	c := o.cables[len(o.cables)-1]
	o.mu.Unlock()
	_ = c.Close()
}

// dialled returns how often it was dialled.
func (o *office) dialled() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.dials)
}

// open runs a session until the test ends. What Run returns is in the channel.
func (o *office) open(r *replica.Replica, change func(*replica.SessionConfig)) (*replica.Session, chan error) {
	o.t.Helper()
	cfg := replica.SessionConfig{Dial: o.dial, Replica: r}
	if change != nil {
		change(&cfg)
	}
	s := replica.NewSession(cfg)
	ctx, cancel := context.WithCancel(context.Background())
	done, ended := make(chan error, 1), make(chan struct{})
	go func() {
		defer close(ended)
		done <- s.Run(ctx)
	}()
	o.t.Cleanup(func() { cancel(); <-ended })
	return s, done
}

func online(r *replica.Replica) bool { return r.Online() }

func TestSY100ASessionConnectsAgainAndGoesOnWhereItWas(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t)
		var committed []event.Seq
		s, _ := o.open(replica.New("a"), func(c *replica.SessionConfig) {
			c.Updated = func(_ *replica.Replica, up replica.Update) {
				for _, e := range up.Committed {
					committed = append(committed, e.Seq)
				}
			}
		})
		for i := range 5 {
			if err := s.Do(t.Context(), roomtest.NewCell(event.CellID(fmt.Sprintf("c%d", i)))); err != nil {
				t.Fatal(err)
			}
			o.cut()
			synctest.Wait()
		}
		if err := s.Wait(t.Context(), online); err != nil {
			t.Fatal(err)
		}
		if got := o.dialled(); got != 6 {
			t.Errorf("got %d dials, want one a connection", got)
		}
		for i, seq := range committed {
			if seq != event.Seq(i+1) || len(committed) != 5 {
				t.Fatalf("got events %v, want 1 to 5 once each", committed)
			}
		}
	})
}

func TestSY100ThePausesGrowAndStayShort(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t)
		o.set(errors.New("nobody answers"))
		troubles := 0
		s, _ := o.open(replica.New("a"), func(c *replica.SessionConfig) {
			c.Trouble = func(error) { troubles++ }
		})
		time.Sleep(time.Minute)
		synctest.Wait()
		o.mu.Lock()
		dials := o.dials
		o.mu.Unlock()
		if len(dials) < 20 || len(dials) > 100 || troubles != len(dials) {
			t.Errorf("got %d dials and %d troubles in a minute, want some dozens", len(dials), troubles)
		}
		if first := dials[1].Sub(dials[0]); first > 100*time.Millisecond {
			t.Errorf("the first pause is %v, want it short", first)
		}
		for i := 1; i < len(dials); i++ {
			if pause := dials[i].Sub(dials[i-1]); pause > 3*time.Second || i > 10 && pause < time.Second {
				t.Errorf("pause %d is %v, want about two seconds in the end", i, pause)
			}
		}
		o.set(nil)
		ctx, cancel := context.WithTimeout(t.Context(), 4*time.Second)
		defer cancel()
		if err := s.Wait(ctx, online); err != nil {
			t.Errorf("got %v, want it online soon after the room is back", err)
		}
	})
}

func TestSY100AnOfflineSessionKeepsWhatIsTypedAndSendsIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t)
		s, _ := o.open(replica.New("a"), nil)
		if err := s.Do(t.Context(), roomtest.NewCell("c")); err != nil {
			t.Fatal(err)
		}
		o.set(errors.New("the network is gone"))
		o.cut()
		synctest.Wait()
		for i := range 100 {
			err := s.With(func(r *replica.Replica) error {
				_, _, err := r.Edit("c", text.Insert(i, "x"))
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(time.Hour)
		o.set(nil)
		if err := s.Wait(t.Context(), func(r *replica.Replica) bool { return r.Online() && r.Pending() == 0 }); err != nil {
			t.Fatal(err)
		}
		if err := o.View(t.Context(), func(n *notebook.Notebook) {
			if c := n.Cell("c"); c.Source() != strings.Repeat("x", 100) || c.Rev != 1 {
				t.Errorf("got %q after %d edits, want all in one edit", c.Source(), c.Rev)
			}
		}); err != nil {
			t.Error(err)
		}
	})
}

func TestSY101ARefusedConnectionEndsTheSession(t *testing.T) {
	for name, refuse := range map[string]func(*office){
		"by the dialer": func(o *office) { o.set(&protocol.Closed{Code: protocol.CodeForbidden, Message: "no"}) },
		"by the room":   func(o *office) { o.role = "" },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o := newOffice(t)
				refuse(o)
				s, done := o.open(replica.New("a"), nil)
				var closed *protocol.Closed
				if err := s.Do(t.Context(), roomtest.NewCell("c")); !errors.As(err, &closed) {
					t.Errorf("Do: got %v, want why the room refused", err)
				}
				if err := <-done; !errors.As(err, &closed) || closed.Code != protocol.CodeForbidden {
					t.Errorf("Run: got %v, want why the room refused", err)
				}
				if got := o.dialled(); name == "by the dialer" && got != 1 {
					t.Errorf("got %d dials, want 1", got)
				}
			})
		})
	}
}

func TestSY101OneThatIsUnavailableIsTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t)
		o.set(&protocol.Closed{Code: protocol.CodeUnavailable, Message: "later"})
		s, _ := o.open(replica.New("a"), nil)
		time.Sleep(time.Second)
		o.set(nil)
		if err := s.Wait(t.Context(), online); err != nil {
			t.Errorf("got %v, want it online", err)
		}
	})
}

func TestSY101OneThatIsToldToWaitDoesSo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t)
		later := &protocol.Closed{Code: protocol.CodeUnavailable, Message: "later"}
		o.set(&replica.WaitError{Closed: later, After: 30 * time.Second})
		s, _ := o.open(replica.New("a"), nil)
		time.Sleep(29 * time.Second)
		if got := o.dialled(); got != 1 {
			t.Errorf("got %d dials in 29 seconds, want 1", got)
		}
		o.set(nil)
		if err := s.Wait(t.Context(), online); err != nil {
			t.Errorf("got %v, want it online", err)
		}
		if got := o.dialled(); got != 2 {
			t.Errorf("got %d dials, want 2", got)
		}
	})
}

func TestSY102DoReturnsOnceAllIsAcknowledgedOrSaysWhatWasRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t)
		s, _ := o.open(replica.New("a"), nil)
		if err := s.Do(t.Context(), roomtest.NewCell("a"), roomtest.NewCell("b")); err != nil {
			t.Fatal(err)
		}
		if err := o.View(t.Context(), func(n *notebook.Notebook) {
			if got := len(n.Cells()); got != 2 {
				t.Errorf("got %d cells in the room, want both", got)
			}
		}); err != nil {
			t.Error(err)
		}
		if err := s.Do(t.Context(), roomtest.NewCell("a")); err == nil {
			t.Error("a cell twice: got no error")
		}
		if err := s.Do(t.Context()); err != nil {
			t.Errorf("nothing to do: got %v", err)
		}
	})
}

func TestSY102ARefusalIsToldToWhoWaitsThoughTheOwnerTookItToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t)
		var taken []replica.Refusal
		s, _ := o.open(replica.New("a"), func(c *replica.SessionConfig) {
			c.Updated = func(r *replica.Replica, _ replica.Update) { taken = append(taken, r.Refused()...) }
		})
		if err := s.Do(t.Context(), roomtest.NewCell("c")); err != nil {
			t.Fatal(err)
		}
		o.set(errors.New("the network is gone"))
		o.cut()
		synctest.Wait()
		if err := o.Submit(t.Context(), "person:bob", &event.CellDeleted{Cell: "c"}); err != nil {
			t.Fatal(err)
		}
		done := make(chan error, 1)
		go func() { done <- s.Do(t.Context(), &event.CellDeleted{Cell: "c"}) }()
		synctest.Wait()
		o.set(nil)
		if err := <-done; err == nil || !strings.Contains(err.Error(), string(protocol.CodeConflict)) {
			t.Errorf("got %v, want that it was refused as conflict", err)
		}
		if len(taken) != 1 {
			t.Errorf("the owner got %d refusals, want 1", len(taken))
		}
	})
}

func TestSY102WaitingEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t)
		o.set(errors.New("nobody answers"))
		s, _ := o.open(replica.New("a"), nil)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := s.Do(ctx, roomtest.NewCell("c")); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v, want the context's error", err)
		}
		if err := s.Wait(t.Context(), func(r *replica.Replica) bool { return r.Pending() == 1 }); err != nil {
			t.Errorf("got %v, want the event still pending", err)
		}
	})
}

func TestSY103AfterARefusedEditTheSessionConnectsAgainAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t)
		s, _ := o.open(replica.New("a"), nil)
		if err := s.Do(t.Context(), roomtest.NewCell("c")); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		o.spoilEdit()
		if err := s.Do(t.Context(), roomtest.Insert("c", 0, 0, "x")); err == nil {
			t.Error("got no error, want the edit refused")
		}
		if err := s.Do(t.Context(), roomtest.Insert("c", 0, 0, "y")); err != nil {
			t.Errorf("the next edit: got %v, want it taken", err)
		}
		if took := time.Since(began); took > 5*time.Millisecond || o.dialled() != 2 {
			t.Errorf("it took %v and %d dials, want no pause and 2", took, o.dialled())
		}
	})
}

// recorder is a connection that records the sent messages.
type recorder struct {
	protocol.Conn
	sent [][]byte
}

// Send implements protocol.Conn.
func (r *recorder) Send(_ context.Context, message []byte) error {
	r.sent = append(r.sent, message)
	return nil
}

func TestSY104APushIsNeverLargerThanARoomTakes(t *testing.T) {
	const events = 9
	big := text.Insert(0, strings.Repeat("x", 3<<20))
	push := &protocol.Push{}
	for i := range events {
		d := event.Draft{ID: event.ID{Client: "c", N: uint64(i + 1)}, Payload: &event.SourceEdited{Cell: "c", Edit: big}}
		push.Events = append(push.Events, d)
	}
	conn := &recorder{}
	if err := replica.NewSession(replica.SessionConfig{}).SendOne(t.Context(), conn, push); err != nil {
		t.Fatal(err)
	}
	next := 1
	for _, message := range conn.sent {
		if len(message) > protocol.MaxMessage {
			t.Errorf("got a message of %d bytes, want at most %d", len(message), protocol.MaxMessage)
		}
		for ; bytes.Contains(message, fmt.Appendf(nil, `"id":"c.%d"`, next)); next++ {
		}
	}
	if next != events+1 || len(conn.sent) != 2 {
		t.Errorf("got events up to %d in %d messages, want all %d in order in 2", next-1, len(conn.sent), events)
	}
}
