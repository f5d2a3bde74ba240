package browser

import (
	"context"
	"errors"
	"sync"

	"github.com/quirehq/quire/core/protocol"
)

// Socket is a connection to a room over a socket that the browser owns. The browser passes received
// messages to it, and it passes sent ones to its wire.
type Socket struct {
	wire Wire

	mu     sync.Mutex
	queue  []string
	err    error         // the reason why it is closed
	news   chan struct{} // has a token when the queue or err changed
	opened chan struct{} // closed when the socket may send
	once   sync.Once
}

// Wire is the socket of the browser.
type Wire interface {
	// Send passes a message to the socket. It never blocks.
	Send(message string)
	// Full reports whether the buffer of the socket is full.
	Full() bool
	// Wait waits for a moment, in which the socket may send its buffer.
	Wait(context.Context)
	Close()
}

// errClosed is the error of a socket that was closed by [Socket.Close].
var errClosed = errors.New("the connection was closed")

// NewSocket returns a socket that is not open yet.
func NewSocket(w Wire) *Socket {
	return &Socket{wire: w, news: make(chan struct{}, 1), opened: make(chan struct{})}
}

// Opened says that the socket may send.
func (s *Socket) Opened() { s.once.Do(func() { close(s.opened) }) }

// Received queues a message for Receive.
func (s *Socket) Received(message string) {
	s.mu.Lock()
	s.queue = append(s.queue, message)
	s.mu.Unlock()
	s.tell()
}

// Lost says that the connection is lost, and why. The first reason counts.
func (s *Socket) Lost(err error) {
	s.mu.Lock()
	if s.err == nil {
		s.err = err
	}
	s.mu.Unlock()
	s.tell()
}

func (s *Socket) tell() {
	select {
	case s.news <- struct{}{}:
	default:
	}
}

// Open waits until the socket is open, and returns the error if it cannot be opened.
func (s *Socket) Open(ctx context.Context) (protocol.Conn, error) {
	for {
		if err := s.lost(); err != nil {
			return nil, err
		}
		select {
		case <-s.opened:
			return s, nil
		case <-s.news:
		case <-ctx.Done():
			_ = s.Close()
			return nil, ctx.Err()
		}
	}
}

func (s *Socket) lost() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// Send passes a message to the wire, and waits while that is full.
func (s *Socket) Send(ctx context.Context, message []byte) error {
	for s.wire.Full() && ctx.Err() == nil && s.lost() == nil {
		s.wire.Wait(ctx)
	}
	if err := errors.Join(s.lost(), ctx.Err()); err != nil {
		return err
	}
	s.wire.Send(string(message))
	return nil
}

// Receive returns the next message.
func (s *Socket) Receive(ctx context.Context) ([]byte, error) {
	for {
		message, ok, err := s.next()
		if ok || err != nil {
			return []byte(message), err
		}
		select {
		case <-s.news:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// next takes the first message of the queue. Messages that came before the end of the connection are
// received before its error.
func (s *Socket) next() (message string, ok bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.queue) == 0 {
		return "", false, s.err
	}
	message, s.queue = s.queue[0], s.queue[1:]
	return message, true, nil
}

// Close closes the socket.
func (s *Socket) Close() error {
	s.wire.Close()
	s.Lost(errClosed)
	return nil
}
