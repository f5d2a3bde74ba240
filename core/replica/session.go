package replica

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/protocol"
)

// The pauses between attempts to connect grow from minPause to maxPause.
const (
	minPause = 20 * time.Millisecond
	maxPause = 2 * time.Second
)

// SessionConfig configures a session. Dial and Replica are required.
type SessionConfig struct {
	// Dial opens a connection. When it returns a *[protocol.Closed] whose code is not
	// [protocol.CodeUnavailable], the session ends with it; any other error is tried again.
	Dial    func(context.Context) (protocol.Conn, error)
	Replica *Replica
	// Updated is called after each message of the room with its changes. It owns the
	// replica while it runs, and must not block.
	Updated func(*Replica, Update)
	// Trouble is called with the error of each lost connection or failed dial.
	Trouble func(error)
}

// Session is a replica with its connection, which it opens again whenever it is
// lost. Its methods may be called from any goroutine.
type Session struct {
	cfg   SessionConfig
	kick  chan struct{} // has a token when there may be messages to send
	retry chan struct{} // has a token when the pause between attempts should end

	mu       sync.Mutex
	replica  *Replica
	changed  chan struct{} // closed and replaced whenever the replica changed
	sendings uint64        // the number of calls of Outgoing
	ended    error         // the error of Run, once it ended
}

// NewSession returns a session that works once Run is called.
func NewSession(cfg SessionConfig) *Session {
	if cfg.Updated == nil {
		cfg.Updated = func(*Replica, Update) {}
	}
	if cfg.Trouble == nil {
		cfg.Trouble = func(error) {}
	}
	return &Session{cfg: cfg, kick: make(chan struct{}, 1), retry: make(chan struct{}, 1), replica: cfg.Replica, changed: make(chan struct{})}
}

// Run keeps the replica connected until ctx ends, and then returns its error. It returns
// earlier only when the server refuses the connection for good. The caller may then call
// Run again, when access may have been granted.
func (s *Session) Run(ctx context.Context) error {
	s.mu.Lock()
	s.ended = nil
	s.mu.Unlock()
	err := s.run(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = err
	s.notifyLocked()
	return err
}

func (s *Session) run(ctx context.Context) error {
	wait := minPause
	for {
		began := time.Now()
		err := s.connect(ctx)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		var closed *protocol.Closed
		if errors.As(err, &closed) && closed.Code != protocol.CodeUnavailable && !s.renames(closed) {
			return err
		}
		s.cfg.Trouble(err)
		if errors.Is(err, errEditRefused) {
			continue
		}
		if time.Since(began) > maxPause {
			wait = minPause
		}
		pause := wait/2 + rand.N(wait) // spread, so that clients do not return in step
		if later, ok := errors.AsType[*WaitError](err); ok {
			pause += later.After
		}
		s.pause(ctx, pause)
		wait = min(2*wait, maxPause)
	}
}

// renames reports whether the replica will connect under another id.
func (s *Session) renames(closed *protocol.Closed) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.replica.mayRename(closed)
}

// connect serves one connection until it ends.
func (s *Session) connect(ctx context.Context) error {
	conn, err := s.cfg.Dial(ctx)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	var sending sync.WaitGroup
	defer func() {
		cancel()
		_ = conn.Close()
		sending.Wait()
		s.mu.Lock()
		s.replica.Disconnected()
		s.notifyLocked()
		s.mu.Unlock()
	}()
	if err := s.hello(ctx, conn); err != nil {
		return err
	}
	sending.Go(func() {
		s.send(ctx, conn)
		_ = conn.Close()
	})
	return s.receive(ctx, conn)
}

func (s *Session) hello(ctx context.Context, conn protocol.Conn) error {
	s.mu.Lock()
	hello := s.replica.Hello()
	s.mu.Unlock()
	data, err := protocol.EncodeToRoom(hello)
	if err != nil {
		return err
	}
	return conn.Send(ctx, data)
}

// send sends the messages of the replica until the connection fails.
func (s *Session) send(ctx context.Context, conn protocol.Conn) {
	for {
		s.mu.Lock()
		out := s.replica.Outgoing()
		s.sendings++
		s.mu.Unlock()
		for _, msg := range out {
			if s.sendOne(ctx, conn, msg) != nil {
				return
			}
		}
		select {
		case <-s.kick:
		case <-ctx.Done():
			return
		}
	}
}

// sendOne sends a message; a push that is larger than a room takes is sent in parts. A
// single event that is too large is refused here: the room would end this connection, and
// every later one. The event was small enough when it was made, and grew as it was
// transformed.
func (s *Session) sendOne(ctx context.Context, conn protocol.Conn, msg protocol.ToRoom) error {
	data, err := protocol.EncodeToRoom(msg)
	if err != nil {
		return err
	}
	push, ok := msg.(*protocol.Push)
	if !ok || len(data) <= protocol.MaxMessage {
		return conn.Send(ctx, data)
	}
	if len(push.Events) == 1 {
		d := push.Events[0]
		tooLong := tooLarge(d.Payload.Type(), len(data))
		return s.handle(&protocol.Refused{ID: d.ID, Code: protocol.CodeInvalid, Message: tooLong.Error()})
	}
	half := len(push.Events) / 2
	if err := s.sendOne(ctx, conn, &protocol.Push{Events: push.Events[:half]}); err != nil {
		return err
	}
	return s.sendOne(ctx, conn, &protocol.Push{Events: push.Events[half:]})
}

func (s *Session) receive(ctx context.Context, conn protocol.Conn) error {
	for {
		data, err := conn.Receive(ctx)
		if err != nil {
			return err
		}
		msg, err := protocol.DecodeToClient(data)
		if err != nil {
			return err
		}
		if err := s.handle(msg); err != nil {
			return err
		}
	}
}

// handle passes a message of the room to the replica.
func (s *Session) handle(msg protocol.ToClient) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	up, err := s.replica.Receive(msg)
	s.cfg.Updated(s.replica, up)
	s.notifyLocked()
	if s.replica.hasOutgoing() {
		s.kickSend()
	}
	return err
}

// hasOutgoing reports whether [Replica.Outgoing] has messages. Sent events precede unsent
// ones.
func (r *Replica) hasOutgoing() bool {
	n := min(len(r.pending), protocol.Window)
	return len(r.out) > 0 || n > 0 && !r.pending[n-1].sent && r.Online()
}

func (s *Session) notifyLocked() {
	close(s.changed)
	s.changed = make(chan struct{})
}

func (s *Session) kickSend() {
	select {
	case s.kick <- struct{}{}:
	default:
	}
}

// With calls f with the replica, and sends the events that f proposed. F owns the replica
// while it runs; it must not keep it and must not block.
func (s *Session) With(f func(*Replica) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	err := f(s.replica)
	s.notifyLocked()
	s.kickSend()
	return err
}

// Hold calls f as With does, but sends the events that f proposed with the next message,
// and after d at the latest.
func (s *Session) Hold(d time.Duration, f func(*Replica) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	err := f(s.replica)
	s.notifyLocked()
	before := s.sendings
	time.AfterFunc(d, func() { s.kickHeld(before) })
	return err
}

// kickHeld sends the held events, unless they were sent since.
func (s *Session) kickHeld(before uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sendings == before {
		s.kickSend()
	}
}

// Wait calls f after each change of the replica, and returns when f returns true. It
// returns an error when ctx or the session ends first.
func (s *Session) Wait(ctx context.Context, f func(*Replica) bool) error {
	for {
		s.mu.Lock()
		ok, news, ended := f(s.replica), s.changed, s.ended
		s.mu.Unlock()
		switch {
		case ok:
			return nil
		case ended != nil:
			return ended
		}
		select {
		case <-news:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Do proposes an event for each payload and waits until the room has acknowledged all of
// them: then they are on disk. The error says why one was refused.
func (s *Session) Do(ctx context.Context, payloads ...event.Payload) error {
	var ids []event.ID
	err := s.With(func(r *Replica) error {
		for _, p := range payloads {
			id, _, err := r.Do(p)
			if err != nil {
				return err
			}
			ids = append(ids, id)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return s.AwaitCommit(ctx, ids...)
}

// AwaitCommit waits until none of the events is pending. The error names the first that was
// refused.
func (s *Session) AwaitCommit(ctx context.Context, ids ...event.ID) error {
	var refused error
	err := s.Wait(ctx, func(r *Replica) bool {
		if no := r.refusal(ids); no != nil {
			refused = &RefusedError{Refusal: *no}
			return true
		}
		for _, id := range ids {
			if r.IsPending(id) {
				return false
			}
		}
		return true
	})
	return errors.Join(err, refused)
}

// WaitError is an error of a dialer: the server refused the connection for now, and named
// the least pause before the next attempt.
type WaitError struct {
	Closed *protocol.Closed
	After  time.Duration
}

// Error returns the reason.
func (e *WaitError) Error() string { return e.Closed.Error() }

// Unwrap returns the refusal of the server.
func (e *WaitError) Unwrap() error { return e.Closed }

// Retry ends the pause before the next attempt to connect, if there is one, for a caller
// that knows that the network is back.
func (s *Session) Retry() {
	select {
	case s.retry <- struct{}{}:
	default:
	}
}

// WaitRetry waits until [Session.Retry] is called. After Run has returned, a call of Run
// may succeed then.
func (s *Session) WaitRetry(ctx context.Context) error {
	select {
	case <-s.retry:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// pause waits between two attempts to connect.
func (s *Session) pause(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-s.retry:
	case <-ctx.Done():
	}
}
