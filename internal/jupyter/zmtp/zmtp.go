// Package zmtp is the part of ZeroMQ's wire protocol that a client of Jupyter
// kernels needs: it connects to one peer, over TCP or a Unix socket, and sends and
// receives messages of several parts.
//
// It speaks version 3.0 of the protocol (rfc.zeromq.org/spec/23) with the mechanism
// NULL, as a DEALER, SUB or REQ socket, and of version 3.1
// (rfc.zeromq.org/spec/37) the answer to a PING. It promises a bound on the memory that
// a peer can cause: a larger message is skipped and reported, and the connection goes
// on. It omits the parts that a client of one local peer does not need: other
// mechanisms, listening, several peers a socket, and reconnecting, which is left to the
// caller.
package zmtp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"time"
)

// Kind is the type of a socket.
type Kind string

// The supported socket types.
const (
	Dealer Kind = "DEALER" // to a ROUTER: sends and receives freely
	Sub    Kind = "SUB"    // to a PUB: receives what it subscribed to
	Req    Kind = "REQ"    // to a REP: sends and receives in turn
)

// accepts reports whether the socket can be connected to a peer of a type.
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

// defaultMessage bounds a message if no bound is set.
const defaultMessage = 64 << 20

// Config is the peer's address and the socket's properties.
type Config struct {
	Network string // "tcp" or "unix"
	Address string
	Kind    Kind
	// Identity is the identity that a ROUTER sees, at most 255 bytes; if empty, the ROUTER chooses
	// one.
	Identity string
	// MaxMessage bounds the bytes of a message that is received; 64 MiB if 0.
	MaxMessage int64
}

// Conn is a socket connected to one peer. Any goroutine may call Send; only one at a time Receive.
// Close may be called by any goroutine, and more than once.
type Conn struct {
	conn net.Conn
	kind Kind
	read reader

	mu  sync.Mutex // held during a write
	out []byte
}

// Dial connects and exchanges greetings. It tries once: a caller that waits for a peer to start
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

// Send sends a message. It blocks while the peer does not read.
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

// maxKept bounds the buffer that is kept for the next message.
const maxKept = 1 << 20

func (c *Conn) flushLocked() error {
	_, err := c.conn.Write(c.out)
	if cap(c.out) > maxKept {
		c.out = nil
	}
	return err
}

// Subscribe subscribes to the messages of a PUB whose first part begins with a prefix.
func (c *Conn) Subscribe(prefix string) error {
	return c.Send(append([]byte{1}, prefix...)) // a message in version 3.0; only 3.1 has a command for it
}

// Receive returns the parts of the next message; the caller owns them. A [TooLargeError] says that
// one was dropped, and later messages can be received; any other error is final.
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

// obey handles a command.
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
	return nil // other commands do not concern us
}

// SetReadDeadline ends a Receive that waits at that time, and every later one.
func (c *Conn) SetReadDeadline(t time.Time) error { return c.conn.SetReadDeadline(t) }

// Close closes the connection and unblocks all callers.
func (c *Conn) Close() error {
	err := c.conn.Close()
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}

// greetingSize is that of the first bytes which both peers send.
const greetingSize = 64

// greeting returns ours: the signature, version 3.0, and the mechanism NULL.
func greeting() []byte {
	g := make([]byte, greetingSize)
	g[0], g[8], g[9], g[10] = 0xFF, 1, 0x7F, 3
	copy(g[12:], "NULL")
	return g
}

// checkGreeting returns why the peer's greeting does not suit us.
func checkGreeting(g []byte) error {
	mechanism := string(bytes.TrimRight(g[12:32], "\x00"))
	switch {
	case g[0] != 0xFF || g[9] != 0x7F:
		return errors.New("it does not speak ZMTP")
	case g[10] < 3:
		return fmt.Errorf("it speaks version %d of ZMTP, and we need 3", g[10])
	case mechanism != "NULL":
		return fmt.Errorf("it wants the mechanism %q, and we have only NULL", mechanism)
	}
	return nil
}

// shakeHands exchanges greetings and the READY commands with the socket types.
func (c *Conn) shakeHands(cfg Config) error {
	ready := appendProperty(nil, "Socket-Type", string(cfg.Kind))
	if cfg.Identity != "" {
		ready = appendProperty(ready, "Identity", cfg.Identity)
	}
	if _, err := c.conn.Write(appendCommand(greeting(), "READY", ready)); err != nil {
		return err
	}
	g := make([]byte, greetingSize)
	if _, err := io.ReadFull(c.read.from, g); err != nil {
		return fmt.Errorf("it sends no greeting: %w", err)
	}
	if err := checkGreeting(g); err != nil {
		return err
	}
	peer, err := c.read.ready()
	if err == nil && !cfg.Kind.accepts(peer) {
		err = fmt.Errorf("it is a %s socket, which cannot talk to a %s", peer, cfg.Kind)
	}
	return err
}

// ready reads the peer's READY and returns its kind.
func (r *reader) ready() (kind string, err error) {
	h, err := r.header()
	if err != nil {
		return "", err
	}
	if h.flags&flagCommand == 0 {
		return "", errors.New("it sends a message before it is ready")
	}
	err = r.command(h, func(name string, body []byte) error {
		if name == "ERROR" {
			return fmt.Errorf("it says: %q", errorReason(body))
		}
		if name != "READY" {
			return fmt.Errorf("it says %q instead of READY", name)
		}
		kind, err = socketType(body)
		return err
	})
	return kind, err
}

// appendProperty appends a property of a READY.
func appendProperty(out []byte, name, value string) []byte {
	out = append(append(out, byte(len(name))), name...)
	return append(binary.BigEndian.AppendUint32(out, uint32(len(value))), value...)
}

// socketType finds the socket type among the properties of a peer.
func socketType(properties []byte) (string, error) {
	for len(properties) > 0 {
		name, rest, err := cutShort(properties)
		if err != nil || len(rest) < 4 {
			return "", errors.New("a property is cut off")
		}
		size := binary.BigEndian.Uint32(rest)
		if rest = rest[4:]; uint64(size) > uint64(len(rest)) {
			return "", fmt.Errorf("the property %q is cut off", name)
		}
		if strings.EqualFold(name, "Socket-Type") {
			return string(rest[:size]), nil
		}
		properties = rest[size:]
	}
	return "", errors.New("it does not say which kind of socket it is")
}

// errorReason reads the reason in an ERROR.
func errorReason(body []byte) string {
	reason, _, err := cutShort(body)
	if err != nil {
		return ""
	}
	return reason
}
