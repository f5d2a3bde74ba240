package server_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/host/server"
	"github.com/quirehq/quire/host/server/signin"
)

// flood is how many connections do the same at once. Each ends by itself, however many there
// are: what counts is that none is left.
const flood = 200

func TestAC31ConnectionsThatAreTooSlowAreEndedHoweverManyThereAre(t *testing.T) {
	drip := func(conn net.Conn, text string, every time.Duration) {
		for i := range len(text) {
			if _, err := io.WriteString(conn, text[i:i+1]); err != nil {
				return
			}
			time.Sleep(every)
		}
	}
	auth := "Host: 127.0.0.1\r\nAuthorization: Bearer " + ownerToken + "\r\nContent-Type: application/json\r\n"
	for name, test := range map[string]struct {
		behave func(conn net.Conn)
		within time.Duration
	}{
		"nothing is sent":        {func(net.Conn) {}, 10 * time.Second},
		"a head that never ends": {func(c net.Conn) { drip(c, "GET / HTTP/1.1\r\nX: "+strings.Repeat("x", 1_000), time.Second) }, 10 * time.Second},
		"a body that never ends": {func(c net.Conn) {
			_, _ = io.WriteString(c, "POST /api/notebooks HTTP/1.1\r\n"+auth+"Content-Length: 1000\r\n\r\n")
			drip(c, strings.Repeat(" ", 1_000), 10*time.Second)
		}, 5 * time.Minute},
		"a body in pieces that never ends": {func(c net.Conn) {
			_, _ = io.WriteString(c, "POST /api/notebooks HTTP/1.1\r\n"+auth+"Transfer-Encoding: chunked\r\n\r\n")
			drip(c, strings.Repeat("1\r\n \r\n", 200), 10*time.Second)
		}, 5 * time.Minute},
		"a body that was announced and never comes": {func(c net.Conn) {
			_, _ = io.WriteString(c, "POST /api/notebooks/import HTTP/1.1\r\n"+auth+"Content-Length: 1000\r\nExpect: 100-continue\r\n\r\n")
		}, 5 * time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			inSlowWorld(t, func(w *slowWorld) {
				began := time.Now()
				var all sync.WaitGroup
				var ended atomic.Int32
				for range flood {
					conn := w.connect()
					all.Go(func() { test.behave(conn) })
					all.Go(func() {
						_, _ = io.Copy(io.Discard, conn)
						if time.Since(began) <= test.within+time.Second {
							ended.Add(1)
						}
						_ = conn.Close()
					})
				}
				if resp, err := w.do("GET", "/../../../health", nil); err != nil {
					t.Errorf("while they go on: %v", err)
				} else {
					_ = resp.Body.Close()
				}
				all.Wait()
				if got := ended.Load(); got != flood {
					t.Errorf("got %d of %d connections ended within %v", got, flood, test.within)
				}
			})
		})
	}
}

func TestAC31AnAnswerThatNobodyTakesIsCutOff(t *testing.T) {
	inSlowWorld(t, func(w *slowWorld) {
		var conns []net.Conn
		for range flood {
			conn := w.connect()
			conns = append(conns, conn)
			if _, err := io.WriteString(conn, "GET /api/openapi.json HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(5*time.Minute + time.Second)
		for i, conn := range conns {
			if _, err := conn.Write([]byte("x")); err == nil {
				t.Errorf("connection %d is still open", i)
			}
		}
	})
}

// TestAC32ASocketEndsWithItsToken has sockets of tokens that end at different times.
func TestAC32ASocketEndsWithItsToken(t *testing.T) {
	inSlowWorld(t, func(w *slowWorld) {
		began := time.Now()
		var all sync.WaitGroup
		for _, life := range []time.Duration{3 * time.Second, time.Minute, time.Hour} {
			c := signin.Claims{Kind: event.ActorKey, Name: "ci", Notebook: "b1", Role: access.Viewer, Expires: began.Add(life).Unix()}
			p := w.join(sign(t, c), event.ClientID(fmt.Sprint("c", int(life.Seconds()))))
			all.Go(func() {
				if got := p.ended(); got != nil {
					if _, ok := got.(*protocol.Peers); !ok {
						t.Errorf("got %T %v, want no word", got, got)
					}
				}
				if took := time.Since(began); took < life-time.Second || took > life+time.Second {
					t.Errorf("a token for %v: its socket ended after %v", life, took)
				}
			})
		}
		all.Wait()
	})
}

func TestAC32ASocketEndsWithItsTokenThoughTheMachineSlept(t *testing.T) {
	var slept atomic.Int64
	inSlowWorld(t, func(w *slowWorld) {
		c := signin.Claims{Kind: event.ActorKey, Name: "ci", Notebook: "b1", Role: access.Editor, Expires: time.Now().Add(time.Hour).Unix()}
		p := w.join(sign(t, c), "c1")
		p.committed(p.push(metadata("a", []byte("1")))[0])
		slept.Store(int64(2 * time.Hour))
		woke := time.Now()
		p.ended()
		if took := time.Since(woke); took > time.Minute {
			t.Errorf("the socket ended %v after the machine woke, want a minute at most", took)
		}
	}, func(c *server.Config) {
		c.Now = func() time.Time { return time.Now().Add(time.Duration(slept.Load())) }
	})
}

func TestAC35AStopIsOverInFiveSecondsWhateverClientsDo(t *testing.T) {
	inSlowWorld(t, func(w *slowWorld) {
		silent, half := w.connect(), w.connect()
		defer silent.Close()
		defer half.Close()
		if _, err := io.WriteString(half, "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: "); err != nil {
			t.Fatal(err)
		}
		slow := w.join(ownerToken, "slow") // reads nothing from now on
		defer slow.Close()
		fast := w.join(ownerToken, "fast")
		defer fast.Close()
		for range 10 {
			fast.committed(fast.push(metadata("same", []byte(`"`+strings.Repeat("x", 16<<10)+`"`)))[0])
		}
		began := time.Now()
		w.stop()
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("got a stop after %v, want at most 5s", took)
		}
	})
}

// connect opens a connection that says nothing yet.
func (w *slowWorld) connect() net.Conn {
	w.t.Helper()
	conn, err := w.ln.dial(w.t.Context(), "", "")
	if err != nil {
		w.t.Fatal(err)
	}
	return conn
}

// join becomes a member of b1.
func (w *slowWorld) join(token string, client event.ClientID) *peer {
	w.t.Helper()
	header := http.Header{"Authorization": {"Bearer " + token}}
	conn, _, err := websocket.Dial(w.t.Context(), "http://127.0.0.1/api/notebooks/b1/sync", &websocket.DialOptions{HTTPClient: w.http, HTTPHeader: header})
	if err != nil {
		w.t.Fatal(err)
	}
	p := &peer{Conn: patient{browser{conn}}, t: w.t}
	p.hello(protocol.Hello{Client: client})
	p.welcome = next[*protocol.Welcome](p)
	return p
}

// patient is a socket that is read for as long as it lasts.
type patient struct{ browser }

func (p patient) Receive(context.Context) ([]byte, error) {
	return p.browser.Receive(context.Background())
}
