// Package ws carries the messages of a room over WebSockets: [Dial] for clients
// and [Accept] for servers both give a protocol.Conn.
//
// A silent connection ends by itself: each side pings the other, and closes after two
// such intervals without any data. Messages are bounded, and one beyond the bound is
// answered with the reason. Messages are not compressed. Authorisation and the content
// of messages are left to the caller.
package ws

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"

	"github.com/quirehq/quire/core/protocol"
)

// maxFromRoom is the default bound of a message from a room. It is larger than that to a room,
// since one message holds a whole snapshot.
const maxFromRoom = 512 << 20

// small is the largest message that is read without admission, and largeTime bounds the transfer of
// a larger one.
const (
	small     = 64 << 10
	largeTime = 2 * time.Minute
)

// linger bounds the wait of Close for the other side's close. Without the wait the last message
// could be lost to a reset, when the other side is still sending.
const linger = 500 * time.Millisecond

// Options are the options of both sides. The zero value is useful.
type Options struct {
	// MaxMessage bounds a received message: protocol.MaxMessage for a server and 512 MiB for a
	// client if 0.
	MaxMessage int64
	// Ping is the interval of pings; 10 s if 0. After twice that time without any data the
	// connection ends.
	Ping time.Duration
	// Open opens the connection for a client's HTTP, straight to the server; nil for the default.
	Open func(ctx context.Context, network, address string) (net.Conn, error)
}

func (o *Options) setDefaults(maxMessage int64) {
	if o.MaxMessage == 0 {
		o.MaxMessage = maxMessage
	}
	if o.Ping == 0 {
		o.Ping = 10 * time.Second
	}
}

// conn is a WebSocket as a protocol.Conn.
type conn struct {
	socket *websocket.Conn
	wire   *monitoredConn
	opt    Options
	polite bool // Close sends a close frame and waits for the answer

	admit func(context.Context) error // called before a large message is read; nil to read it

	large   atomic.Bool // a message exceeded the limit
	stop    context.CancelFunc
	pinging sync.WaitGroup
}

func newConn(socket *websocket.Conn, w *monitoredConn, opt Options, polite bool) *conn {
	socket.SetReadLimit(-1) // Receive has its own limit, with a better message
	ctx, stop := context.WithCancel(context.Background())
	c := &conn{socket: socket, wire: w, opt: opt, polite: polite, stop: stop}
	c.pinging.Go(func() { c.keepAlive(ctx) })
	return c
}

// Send sends a message. It fails when the other side does not read for too long.
func (c *conn) Send(ctx context.Context, message []byte) error {
	if err := c.socket.Write(ctx, websocket.MessageText, message); err != nil {
		return fmt.Errorf("send: %w", err)
	}
	return nil
}

// Receive returns the next message. If that exceeds the limit the error is a *protocol.Closed that
// says so, and the connection can only be used to send it.
func (c *conn) Receive(ctx context.Context) ([]byte, error) {
	_, r, err := c.socket.Reader(ctx)
	if err != nil {
		return nil, fmt.Errorf("receive: %w", err)
	}
	data, err := io.ReadAll(io.LimitReader(r, min(small, c.opt.MaxMessage)+1))
	if err != nil {
		return nil, fmt.Errorf("receive: %w", err)
	}
	if len(data) > small {
		if data, err = c.receiveLarge(ctx, data, r); err != nil {
			return nil, err
		}
	}
	if int64(len(data)) > c.opt.MaxMessage {
		c.large.Store(true)
		return nil, &protocol.Closed{Code: protocol.CodeInvalid, Message: c.tooLarge()}
	}
	return data, nil
}

// Admit sets a function that is called before a message of more than 64 KiB is read as a whole, by
// the receiving goroutine. Its error ends the connection, and is returned by Receive. Admit is
// called before the first Receive.
func (c *conn) Admit(f func(context.Context) error) { c.admit = f }

// receiveLarge returns a message that begins with data, unless it exceeds the limit.
func (c *conn) receiveLarge(ctx context.Context, data []byte, r io.Reader) ([]byte, error) {
	if c.admit != nil {
		if err := c.admit(ctx); err != nil {
			return nil, err
		}
	}
	late := time.AfterFunc(largeTime, func() { _ = c.socket.CloseNow() })
	defer late.Stop()
	whole := bytes.NewBuffer(data)
	if _, err := whole.ReadFrom(io.LimitReader(r, c.opt.MaxMessage+1-int64(len(data)))); err != nil {
		return nil, fmt.Errorf("receive: %w", err)
	}
	return whole.Bytes(), nil
}

func (c *conn) tooLarge() string {
	if mib := c.opt.MaxMessage >> 20; mib > 0 && mib<<20 == c.opt.MaxMessage {
		return fmt.Sprintf("message of more than %d MiB", mib)
	}
	return fmt.Sprintf("message of more than %d bytes", c.opt.MaxMessage)
}

// Close closes the connection and waits for its goroutines.
func (c *conn) Close() error {
	c.stop()
	if c.polite {
		c.closePolitely()
	} else {
		_ = c.socket.CloseNow() // it may be closed already
	}
	c.pinging.Wait()
	return nil
}

func (c *conn) closePolitely() {
	// The library waits for the rest of a frame without a timeout.
	cut := time.AfterFunc(linger, func() { _ = c.wire.Close() })
	defer cut.Stop()
	status, reason := websocket.StatusNormalClosure, ""
	if c.large.Load() {
		status, reason = websocket.StatusMessageTooBig, c.tooLarge()
	}
	_ = c.socket.Close(status, reason) // the other side may have closed already
}

// keepAlive sends pings, and ends the connection without signs of life.
func (c *conn) keepAlive(ctx context.Context) {
	tick := time.NewTicker(c.opt.Ping)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		if c.wire.silent() >= 2*c.opt.Ping {
			_ = c.wire.Close()
			return
		}
		c.ping(ctx)
	}
}

// ping sends a ping and waits for its answer until the next one is due. Only data on the wire
// counts: the answer may be queued behind a large message.
func (c *conn) ping(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, c.opt.Ping*9/10)
	defer cancel()
	_ = c.socket.Ping(ctx)
}
