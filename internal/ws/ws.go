// Package ws carries the messages of a room over WebSockets: [Dial] for clients
// and [Accept] for servers both give a protocol.Conn.
//
// A connection that has fallen silent ends by itself: each side pings the other,
// and gives up when nothing at all has come for two such intervals. Messages have
// a bound, and one that is over it is answered with the reason. Nothing is
// compressed. Who may connect, and what the messages say, is left to the caller.
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

// maxFromRoom is the most bytes that a message from a room may have by default. It
// is larger than what a room takes, since one message holds a whole snapshot.
const maxFromRoom = 512 << 20

// small is how many bytes a message may have that is read without asking, and largeTime how
// long a larger one may be on its way.
const (
	small     = 64 << 10
	largeTime = 2 * time.Minute
)

// linger is how long Close waits for the other side to close as well. Without it
// the last message could be lost to a reset, when the other side is still sending.
const linger = 500 * time.Millisecond

// Options are what both sides may set. The zero value is good.
type Options struct {
	// MaxMessage is the most bytes of a message that is received: protocol.MaxMessage
	// for a server and 512 MiB for a client if 0.
	MaxMessage int64
	// Ping is how often the other side is asked for a sign of life; 10 s if 0. When
	// none of any kind has come for twice as long, the connection ends.
	Ping time.Duration
	// Open opens the connection that a client speaks HTTP on, straight to the server; nil for
	// the usual way.
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
	wire   *wire
	opt    Options
	polite bool // Close tells the other side, and waits for it

	admit func(context.Context) error // asked before a large message is read; nil to read it

	large   atomic.Bool // a message was over the limit
	stop    context.CancelFunc
	pinging sync.WaitGroup
}

func newConn(socket *websocket.Conn, w *wire, opt Options, polite bool) *conn {
	socket.SetReadLimit(-1) // Receive has a limit of its own, with a better message
	ctx, stop := context.WithCancel(context.Background())
	c := &conn{socket: socket, wire: w, opt: opt, polite: polite, stop: stop}
	c.pinging.Go(func() { c.keepAlive(ctx) })
	return c
}

// Send sends a message. It fails when the other side takes nothing for too long.
func (c *conn) Send(ctx context.Context, message []byte) error {
	if err := c.socket.Write(ctx, websocket.MessageText, message); err != nil {
		return fmt.Errorf("send: %w", err)
	}
	return nil
}

// Receive returns the next message. When that is over the limit the error is a
// *protocol.Closed which says so, and the connection is good for nothing but
// sending that answer.
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

// Admit has f asked before a message of more than 64 KiB is read as a whole, by the goroutine
// that receives. Its error ends the connection, and is that of Receive. It is called before the
// first Receive.
func (c *conn) Admit(f func(context.Context) error) { c.admit = f }

// receiveLarge returns a message that begins with data, as far as it is not over the limit.
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

// Close ends the connection and waits for what it started.
func (c *conn) Close() error {
	c.stop()
	if c.polite {
		c.closePolitely()
	} else {
		_ = c.socket.CloseNow() // that it was closed already is no error
	}
	c.pinging.Wait()
	return nil
}

func (c *conn) closePolitely() {
	// The library waits for the rest of a frame without a bound of time.
	cut := time.AfterFunc(linger, func() { _ = c.wire.Close() })
	defer cut.Stop()
	status, reason := websocket.StatusNormalClosure, ""
	if c.large.Load() {
		status, reason = websocket.StatusMessageTooBig, c.tooLarge()
	}
	_ = c.socket.Close(status, reason) // that the other side was gone already is no error
}

// keepAlive asks for signs of life, and ends the connection when there are none.
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

// ping sends a ping and waits for its answer until the next one is due. Only what
// the wire heard counts: the answer may be behind a large message.
func (c *conn) ping(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, c.opt.Ping*9/10)
	defer cancel()
	_ = c.socket.Ping(ctx)
}
