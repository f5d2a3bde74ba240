package ws

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"
)

// pair returns both ends of a WebSocket over a pipe, for tests that move the clock: the one under
// test, a raw one that answers pings only while it is read, and the pipe below that.
func pair(t *testing.T) (*conn, *websocket.Conn, net.Conn) {
	t.Helper()
	near, far := net.Pipe()
	servers := make(chan *conn, 1)
	srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, err := Accept(w, r, Options{})
		if err != nil {
			t.Error(err)
		}
		servers <- c.(*conn)
	})}
	ln := &pipeListener{conns: make(chan net.Conn, 1), closed: make(chan struct{})}
	ln.conns <- far
	go func() { _ = srv.Serve(ln) }()
	transport := &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) { return near, nil }}
	raw, resp, err := websocket.Dial(t.Context(), "http://pipe/", &websocket.DialOptions{HTTPClient: &http.Client{Transport: transport}})
	if err != nil {
		t.Fatal(resp, err)
	}
	t.Cleanup(func() {
		_ = raw.CloseNow()
		_ = srv.Close()
	})
	c := <-servers
	t.Cleanup(func() { _ = c.Close() })
	return c, raw, near
}

// pipeListener accepts the connections it was created with.
type pipeListener struct {
	conns  chan net.Conn
	closed chan struct{}
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.closed:
		return nil, io.EOF
	}
}

func (l *pipeListener) Close() error {
	close(l.closed)
	return nil
}

func (l *pipeListener) Addr() net.Addr { return &net.UnixAddr{} }

func TestAPeerThatFallsSilentIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _, near := pair(t)
		go func() { _, _ = io.Copy(io.Discard, near) }() // reads pings and answers none
		began := time.Now()
		if _, err := c.Receive(context.WithoutCancel(t.Context())); err == nil {
			t.Fatal("got no error")
		}
		if got, least, most := time.Since(began), 20*time.Second, 30*time.Second; got < least || got > most {
			t.Errorf("got an end after %v, want %v to %v", got, least, most)
		}
	})
}

func TestAQuietPeerThatAnswersPingsStays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, raw, _ := pair(t)
		ctx := context.WithoutCancel(t.Context())
		go func() { _, _, _ = raw.Read(ctx) }()
		ended := make(chan error, 1)
		go func() {
			_, err := c.Receive(ctx)
			ended <- err
		}()
		select {
		case err := <-ended:
			t.Errorf("got %v, want a connection that stays", err)
		case <-time.After(10 * time.Minute):
		}
		_ = raw.CloseNow()
		<-ended
	})
}

func TestAConnectionThatIsNotReadIsNotTakenForSilent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		near, far := net.Pipe()
		defer far.Close()
		defer near.Close()
		w := newMonitoredConn(near)
		time.Sleep(time.Hour) // of the test's clock: the room is slow
		if got := w.silent(); got != 0 {
			t.Errorf("got a silence of %v, want none", got)
		}
	})
}

func TestAWriteThatNobodyTakesFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		near, far := net.Pipe()
		defer near.Close()
		defer far.Close()
		began := time.Now()
		if n, err := newMonitoredConn(near).Write([]byte("x")); n != 0 || err == nil {
			t.Errorf("got %d, %v, want an error", n, err)
		}
		if got := time.Since(began); got != stuck {
			t.Errorf("got an end after %v, want %v", got, stuck)
		}
	})
}

func TestALargeMessageThatMovesIsASignOfLife(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		near, far := net.Pipe()
		defer near.Close()
		defer far.Close()
		w := newMonitoredConn(near)
		reading := make(chan struct{})
		go func() {
			defer close(reading)
			_, _ = w.Read(make([]byte, 1)) // as Receive does
		}()
		want := make([]byte, 10*piece)
		var got bytes.Buffer
		taken := make(chan struct{})
		go func() {
			defer close(taken)
			for got.Len() < len(want) {
				time.Sleep(15 * time.Second)
				if s := w.silent(); s > 16*time.Second {
					t.Errorf("got a silence of %v while a message moves", s)
				}
				_, _ = io.CopyN(&got, far, piece)
			}
		}()
		if n, err := w.Write(want); n != len(want) || err != nil {
			t.Errorf("got %d, %v, want %d", n, err, len(want))
		}
		<-taken
		if !bytes.Equal(got.Bytes(), want) {
			t.Error("got other bytes than were written")
		}
		_ = near.Close()
		<-reading
	})
}
