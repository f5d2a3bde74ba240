// Package zmtp is the part of ZeroMQ's wire protocol that a client of Jupyter
// kernels needs: it connects to one peer, over TCP or a Unix socket, and sends and
// receives messages of several parts.
//
// It speaks version 3.0 of the protocol (rfc.zeromq.org/spec/23) with the mechanism
// NULL, as a DEALER, SUB or REQ socket, and of version 3.1
// (rfc.zeromq.org/spec/37) the answer to a PING. It promises that no peer makes it
// keep more than a bound: what is larger is read past and reported, and the
// connection goes on. It leaves out what a client of one local peer does not need:
// other mechanisms, listening, several peers a socket, and reconnecting, which is
// for whoever dials.
package zmtp

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"
)

// Kind is how a socket talks.
type Kind string

// The kinds of sockets that we can be.
const (
	Dealer Kind = "DEALER" // to a ROUTER: sends and receives freely
	Sub    Kind = "SUB"    // to a PUB: receives what it subscribed to
	Req    Kind = "REQ"    // to a REP: sends and receives in turn
)

// accepts says whether a peer of that kind can talk to us.
func (k Kind) accepts(peer string) bool {
	switch k {
	case Dealer:
		return peer == "ROUTER" || peer == "DEALER" || peer == "REP"
	case Sub:
		return peer == "PUB" || peer == "XPUB"
	case Req:
		return peer == "REP" || peer == "ROUTER"
	}
	return false
}

// defaultMessage is the size of the largest message if none is set.
const defaultMessage = 64 << 20

// Config says whom to connect to, and as what.
type Config struct {
	Network string // "tcp" or "unix"
	Address string
	Kind    Kind
	// Identity is how a ROUTER knows us: at most 255 bytes; it chooses one if empty.
	Identity string
	// MaxMessage bounds the bytes of a message that is received; 64 MiB if 0.
	MaxMessage int64
}

// Conn is a socket with its one peer. Send may be called by any goroutine, Receive
// by one at a time, Close by any and more than once.
type Conn struct {
	conn net.Conn
	kind Kind
	read reader

	mu  sync.Mutex // held while something is written
	out []byte
}

// Dial connects and shakes hands. It tries once: whoever waits for a peer to come up
// calls it again.
func Dial(ctx context.Context, cfg Config) (*Conn, error) {
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, cfg.Network, cfg.Address)
	if err != nil {
		return nil, err
	}
	c := &Conn{conn: conn, kind: cfg.Kind, read: reader{from: bufio.NewReaderSize(conn, 64<<10), limit: cfg.MaxMessage}}
	if c.read.limit == 0 {
		c.read.limit = defaultMessage
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
	err = c.shakeHands(cfg)
	if !stop() {
		err = errors.Join(context.Cause(ctx), err)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("greet %s: %w", cfg.Address, err), conn.Close())
	}
	return c, nil
}

// Send sends a message. It blocks while the peer takes nothing.
func (c *Conn) Send(parts ...[]byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.out = c.out[:0]
	if c.kind == Req {
		c.out = appendFrame(c.out, flagMore, nil) // the delimiter of an envelope
	}
	for i, part := range parts {
		flags := byte(0)
		if i < len(parts)-1 {
			flags = flagMore
		}
		c.out = appendFrame(c.out, flags, part)
	}
	return c.flushLocked()
}

// maxKept is how much of a buffer is kept for the next message.
const maxKept = 1 << 20

func (c *Conn) flushLocked() error {
	_, err := c.conn.Write(c.out)
	if cap(c.out) > maxKept {
		c.out = nil
	}
	return err
}

// Subscribe asks a PUB for the messages whose first part begins with a prefix.
func (c *Conn) Subscribe(prefix string) error {
	return c.Send(append([]byte{1}, prefix...)) // in 3.0 that is a message, only in 3.1 a command
}

// Receive returns the parts of the next message, which are the caller's. A
// [TooLargeError] says that one was left out, and is not the end; any other is.
func (c *Conn) Receive() ([][]byte, error) {
	for {
		parts, err := c.read.message(c.obey)
		if err != nil || c.kind != Req {
			return parts, err
		}
		if len(parts) > 0 && len(parts[0]) == 0 {
			return parts[1:], nil
		}
	}
}

// obey does what a command says that comes between messages.
func (c *Conn) obey(name string, body []byte) error {
	switch name {
	case "ERROR":
		return fmt.Errorf("the peer says: %q", errorReason(body))
	case "PING":
		if len(body) < 2 {
			return errors.New("a PING without its time to live")
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		c.out = appendCommand(c.out[:0], "PONG", body[2:])
		return c.flushLocked()
	}
	return nil // other commands are not for us
}

// SetReadDeadline ends a Receive that waits at that time, and every later one.
func (c *Conn) SetReadDeadline(t time.Time) error { return c.conn.SetReadDeadline(t) }

// Close ends the connection, and whatever waits for it.
func (c *Conn) Close() error {
	err := c.conn.Close()
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}
