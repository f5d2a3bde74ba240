package server

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/room"
	"github.com/quirehq/quire/host/server/origin"
	"github.com/quirehq/quire/host/server/problem"
	"github.com/quirehq/quire/host/server/rooms"
)

func (s *Server) sync() endpoint {
	return endpoint{status: http.StatusSwitchingProtocols, serve: s.openSocket}
}

// flushLast bounds the time for the last messages to a socket that ends.
const flushLast = 2 * time.Second

// openSocket upgrades a request to the socket of a member of the notebook's room.
func (s *Server) openSocket(c *call) error {
	// An ordinary request is told too: the page of a browser does not see the answer to its socket.
	if wait := s.rates.waitToJoin(c, origin.WantsSocket(c.r)); wait > 0 {
		return problem.TooMany(c.w, wait, "you have connected to this notebook too often within a short time; wait a moment")
	}
	if !origin.WantsSocket(c.r) {
		c.w.Header().Set("Upgrade", "websocket")
		return problem.WithStatus(http.StatusUpgradeRequired, protocol.CodeInvalid, "this path is for WebSockets")
	}
	opened, err := s.rooms.Use(c.r.Context(), c.book.ID)
	if err != nil {
		return err
	}
	defer s.rooms.Release(opened)
	conn, err := s.cfg.Upgrade(c.w, c.r)
	if err != nil {
		s.log.Debug("socket not opened", "notebook", c.book.ID, "error", err)
		return nil // the upgrade has answered
	}
	ctx, cancel := s.socketContext(c)
	defer cancel()
	out := room.NewOutbox(s.cfg.Limits.Outbox)
	out.Reserve = s.memory.hold
	sock := &socket{
		s: s, call: c, room: opened, conn: conn,
		member:   &room.Member{Actor: c.who.Actor, Role: c.role, Brings: c.who.Brings, Out: out, Present: !s.maySeePast(c.role)},
		messages: rate.NewLimiter(rate.Limit(s.cfg.Limits.Messages), int(s.cfg.Limits.Messages)),
		bytes:    rate.NewLimiter(rate.Limit(s.cfg.Limits.Bytes), max(int(s.cfg.Limits.Bytes), protocol.MaxMessage)),
	}
	if conn, ok := conn.(admitter); ok {
		conn.Admit(sock.admit)
	}
	sock.serve(ctx)
	return nil
}

// admitter is a connection that calls a function before it reads a large message.
type admitter interface {
	// Admit sets f. It is called before the first Receive, whose goroutine calls f.
	Admit(f func(context.Context) error)
}

// socketContext returns a context that ends with the credentials. It does not depend on the request's
// context, which does not follow an upgraded connection.
func (s *Server) socketContext(c *call) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(c.r.Context()))
	if !c.who.MayEnd() {
		return ctx, cancel
	}
	var watching sync.WaitGroup
	watching.Go(func() {
		c.who.AwaitEnd(ctx, s.cfg.Now)
		cancel()
	})
	return ctx, func() { cancel(); watching.Wait() }
}

// socket is a connection of a room's member.
type socket struct {
	s        *Server
	call     *call // that opened it
	room     *rooms.Room
	conn     protocol.Conn
	member   *room.Member
	messages *rate.Limiter
	bytes    *rate.Limiter
	admitted func() // releases the memory of a large message; nil if there is none. Its owner is the goroutine that receives
}

// admit waits until a large message may be read. A viewer has none to send.
func (k *socket) admit(ctx context.Context) error {
	if !k.member.Role.May(access.Run) && !k.member.Role.May(access.Execute) {
		return &protocol.Closed{Code: protocol.CodeInvalid, Message: "a viewer has nothing to send that is as large as this message"}
	}
	release, err := k.s.inbound.take(ctx, protocol.MaxMessage)
	k.admitted = release
	return err
}

// receiveOne receives a message, after the one before was handled.
func (k *socket) receiveOne(ctx context.Context) ([]byte, error) {
	k.done()
	return k.conn.Receive(ctx)
}

// done releases the memory of a message that was handled.
func (k *socket) done() {
	if k.admitted != nil {
		k.admitted()
		k.admitted = nil
	}
}

// serve serves the connection until one side or the room ends it.
func (k *socket) serve(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer func() { _ = k.conn.Close() }() // it may be closed already
	defer k.done()
	hello, said := context.WithTimeout(ctx, k.s.cfg.Limits.Hello)
	defer said()
	detach, ok := k.s.rooms.Attach(k.room, func() {
		said()
		k.member.Out.Close()
		time.AfterFunc(flushStop, cancel)
	})
	if !ok {
		return
	}
	defer detach()
	defer k.s.rates.joined(k.call)()
	h, err := k.hello(hello)
	said()
	if err != nil {
		k.refuse(ctx, err)
		return
	}
	k.s.log.Debug("socket joins", "notebook", k.room.ID, "actor", k.member.Actor, "client", h.Client, "since", h.Since)
	if err := k.room.Join(ctx, k.member, h); err != nil {
		return // the client connects again, and gets the error
	}
	if err := k.confirm(ctx); err != nil {
		_ = k.room.Leave(context.WithoutCancel(ctx), k.member)
		k.refuse(ctx, err)
		return
	}
	k.pass(ctx, cancel)
}

// confirm checks the permission of the member again. Before it joined, the room did not know it, and
// a change of its role did not reach it.
func (k *socket) confirm(ctx context.Context) error {
	again := *k.call
	again.r = k.call.r.WithContext(ctx)
	if err := k.s.permitNotebook(&again, need{action: access.Read}); err == nil && again.role == k.call.role {
		return nil
	}
	return &protocol.Closed{Code: protocol.CodeUnavailable, Message: "your role in this notebook has just changed; connect again"}
}

// hello reads the first message.
func (k *socket) hello(ctx context.Context) (*protocol.Hello, error) {
	data, err := k.receiveOne(ctx)
	if err != nil {
		return nil, err
	}
	msg, err := protocol.DecodeToRoom(data)
	if err != nil {
		return nil, &protocol.Closed{Code: protocol.CodeInvalid, Message: err.Error()}
	}
	h, ok := msg.(*protocol.Hello)
	if !ok {
		return nil, &protocol.Closed{Code: protocol.CodeInvalid, Message: "the first message must be a hello"}
	}
	return h, nil
}

// refuse tells a client that it cannot join, and why.
func (k *socket) refuse(ctx context.Context, err error) {
	var closed *protocol.Closed
	if !errors.As(err, &closed) {
		return
	}
	if data, err := protocol.EncodeToClient(closed); err == nil {
		_ = k.conn.Send(ctx, data) // it is lost either way
	}
}

// pass passes messages in both directions until one of them ends. Cancel ends both at once.
func (k *socket) pass(ctx context.Context, cancel context.CancelFunc) {
	var sending sync.WaitGroup
	sending.Go(func() {
		k.send(ctx)
		_ = k.conn.Close() // ends receive
	})
	k.receive(ctx)
	// Leaving closes the outbox, behind the last answer; so does the end of the room.
	_ = k.room.Leave(context.WithoutCancel(ctx), k.member)
	late := time.AfterFunc(flushLast, cancel)
	defer late.Stop()
	sending.Wait()
}

// receive passes messages to the room, as fast as the limits and the room allow. A client that sends
// faster has to wait.
func (k *socket) receive(ctx context.Context) {
	for {
		data, err := k.receiveOne(ctx)
		var closed *protocol.Closed
		if errors.As(err, &closed) {
			k.malformed(ctx, closed)
			return
		}
		if err != nil || k.messages.Wait(ctx) != nil || k.bytes.WaitN(ctx, len(data)) != nil {
			return
		}
		if err := k.room.ReceiveData(ctx, k.member, data); err != nil {
			k.s.log.Debug("socket ends", "notebook", k.room.ID, "actor", k.member.Actor, "error", err)
			return
		}
	}
}

// malformed lets the room answer a message that cannot be decoded.
func (k *socket) malformed(ctx context.Context, err error) {
	k.s.log.Debug("socket sent a malformed message", "notebook", k.room.ID, "actor", k.member.Actor, "error", err)
	_ = k.room.Malformed(context.WithoutCancel(ctx), k.member, err) // a room that has ended answers by itself
}

// A socket that has just sent a frame waits for a moment, so that the next has more events: a frame
// costs far more than an event in it. The wait grows with the sockets of the room. A room with few
// sockets needs none, and after a pause a frame does not wait.
const (
	tickFrom   = 8 // sockets
	tickEach   = 25 * time.Microsecond
	tickAtMost = 2500 * time.Microsecond
)

func tick(sockets int) time.Duration {
	if sockets <= tickFrom {
		return 0
	}
	return min(time.Duration(sockets)*tickEach, tickAtMost)
}

// send sends the frames of the outbox, until it is closed.
func (k *socket) send(ctx context.Context) {
	defer k.member.Out.Sent()
	for {
		messages, err := k.member.Out.Next(ctx)
		if err != nil || len(messages) == 0 {
			return
		}
		for _, m := range messages {
			if k.conn.Send(ctx, m) != nil {
				return
			}
		}
		if d := tick(k.room.Clients()); d > 0 {
			time.Sleep(d)
		}
	}
}
