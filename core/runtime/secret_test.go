package runtime

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/replica"
)

// tap is a client's end of a connection of which everything is kept.
type tap struct {
	protocol.Conn
	mu       *sync.Mutex
	up, down *bytes.Buffer
}

func (c *tap) Send(ctx context.Context, message []byte) error {
	c.mu.Lock()
	c.up.Write(message)
	c.mu.Unlock()
	return c.Conn.Send(ctx, message)
}

func (c *tap) Receive(ctx context.Context) ([]byte, error) {
	message, err := c.Conn.Receive(ctx)
	c.mu.Lock()
	c.down.Write(message)
	c.mu.Unlock()
	return message, err
}

// wire is what has gone over the connections of one client.
type wire struct {
	mu       sync.Mutex
	up, down bytes.Buffer
}

func (x *wire) tapped(dial func(context.Context) (protocol.Conn, error)) func(context.Context) (protocol.Conn, error) {
	return func(ctx context.Context) (protocol.Conn, error) {
		conn, err := dial(ctx)
		if err != nil {
			return nil, err
		}
		return &tap{Conn: conn, mu: &x.mu, up: &x.up, down: &x.down}, nil
	}
}

func TestAG45ASecretIsSeenByTheRuntimeAlone(t *testing.T) {
	const secret = "correct-horse-battery"
	inWorld(t, func(t *testing.T, w *world) {
		var ada, eve, rt wire
		reader := func(name event.ClientID, role access.Role, x *wire) *replica.Session {
			s := replica.NewSession(replica.SessionConfig{
				Dial: x.tapped(w.dial("person:"+event.Actor(name), role)), Replica: replica.New(name),
			})
			w.all.Go(func() { _ = s.Run(w.ctx) })
			return s
		}
		caller := reader("bo", access.Runner, &ada)
		reader("eve", access.Owner, &eve)
		var troubles []error
		m, given := w.addAsking("rt", func(c *Config) {
			c.Dial = rt.tapped(c.Dial)
			c.Trouble = func(err error) { troubles = append(troubles, err) }
		})
		cell := w.cell("secret Key? ")
		id := w.request(cell)[0]
		in := w.asked()
		if !in.Secret {
			t.Errorf("got %+v, want a secret question", in)
		}
		// An event with the answer is refused by every replica, and by the room.
		err := caller.Do(w.ctx, &event.InputAnswered{Input: in.ID, Value: secret})
		if err == nil || strings.Contains(err.Error(), secret) {
			t.Errorf("got %v, want a refusal that does not quote the answer", err)
		}
		err = caller.Wait(w.ctx, (*replica.Replica).Online)
		if err != nil {
			t.Fatal(err)
		}
		result, err := caller.Call(w.ctx, protocol.MethodAnswer, protocol.Secret{Input: in.ID, Value: secret})
		if err != nil || string(result) != "{}" {
			t.Errorf("got %s, %v, want {}", result, err)
		}
		if got := <-given; got != secret {
			t.Errorf("the program got %q, want the secret", got)
		}
		w.wantStatus(id, event.StatusOK)
		same(t, w.outputs(cell), []string{"stdout: Key?\ngot 21\n"})
		m.stop()
		<-m.ended
		w.stopRoom() // which saves a snapshot
		synctest.Wait()

		var log bytes.Buffer
		if err := w.log.Read(context.Background(), 0, func(r event.Record) error { log.Write(r.Data); return nil }); err != nil {
			t.Fatal(err)
		}
		snapshot, err := w.log.Snapshot(context.Background())
		if err != nil || len(snapshot.Data) == 0 {
			t.Fatalf("got no snapshot: %v", err)
		}
		for what, data := range map[string][]byte{
			"the log": log.Bytes(), "the snapshot": snapshot.Data,
			"what another person got": eve.down.Bytes(), "what the caller got": ada.down.Bytes(),
			"what the runtime said": rt.up.Bytes(), "what was reported": fmt.Append(nil, troubles),
		} {
			if bytes.Contains(data, []byte(secret)) {
				t.Errorf("%s holds the secret", what)
			}
		}
		if !bytes.Contains(rt.down.Bytes(), []byte(secret)) || !bytes.Contains(log.Bytes(), []byte("InputClosed")) {
			t.Error("the secret did not go over the wires that the test looks at")
		}
	})
}

func TestAG56ASecretIsTakenOnceAndOnlyForASecretQuestion(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		_, given := w.addAsking("rt")
		id := w.request(w.cell("ask Name?", "secret Key?", "secret Key?"))[0]
		plain := w.asked()
		wantCode(t, w.secret(plain.ID, "x"), protocol.CodeInvalid)
		wantCode(t, w.secret("none", "x"), protocol.CodeNotFound)
		w.do(&event.InputAnswered{Input: plain.ID, Value: "Ada"})
		first := w.asked()
		if err := w.secret(first.ID, "one\n"); err != nil {
			t.Error(err)
		}
		wantCode(t, w.secret(first.ID, "again"), protocol.CodeConflict)
		second := w.asked()
		wantCode(t, w.secret(first.ID, "again"), protocol.CodeConflict)
		if err := w.secret(second.ID, ""); err != nil {
			t.Error(err)
		}
		w.wantStatus(id, event.StatusOK)
		if a, b := <-given, <-given; a != "one" || b != "" {
			t.Errorf("got %q and %q, want each its own", a, b)
		}
		wantCode(t, w.secret(second.ID, "late"), protocol.CodeNotFound)
		_, err := w.person.Call(w.ctx, protocol.MethodAnswer, []int{123456})
		wantCode(t, err, protocol.CodeInvalid)
		if strings.Contains(err.Error(), "123456") {
			t.Errorf("got %v, which quotes what was sent", err)
		}
	})
}

func TestAG48AQuestionEndsAtOnceWhenTheInputIsAtItsEnd(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.addAsking("rt")
		for source, status := range map[string]event.RunStatus{"must Name?": event.StatusError, "secret Key?": event.StatusOK} {
			id := w.request(w.cell(source))[0]
			in := w.asked()
			if _, err := w.person.Call(w.ctx, protocol.MethodAnswer, protocol.Secret{Input: in.ID, End: true}); err != nil {
				t.Errorf("%s: %v", source, err)
			}
			w.wantStatus(id, status)
			if open := w.questions(); open != 0 {
				t.Errorf("%s: got %d questions that are open, want none", source, open)
			}
		}
	})
}
