package ws_test

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/coder/websocket"
	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/internal/ws"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// serve starts a server that passes each connection to f, and returns its URL.
func serve(t *testing.T, opt ws.Options, f func(ctx context.Context, c protocol.Conn)) string {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, err := ws.Accept(w, r, opt)
		if err != nil {
			return
		}
		defer c.Close()
		f(context.WithoutCancel(r.Context()), c)
	}))
	t.Cleanup(srv.Close)
	return srv.URL
}

func echo(ctx context.Context, c protocol.Conn) {
	for {
		m, err := c.Receive(ctx)
		if err != nil || c.Send(ctx, m) != nil {
			return
		}
	}
}

func dial(t *testing.T, url string, opt ws.Options) protocol.Conn {
	t.Helper()
	c, err := ws.Dial(t.Context(), url, "", opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func TestMessagesArriveWholeAndInOrder(t *testing.T) {
	const limit = 2 << 20
	c := dial(t, serve(t, ws.Options{MaxMessage: limit}, echo), ws.Options{})
	messages := [][]byte{[]byte("{}"), bytes.Repeat([]byte("x"), 1<<20), []byte("é"), bytes.Repeat([]byte("y"), limit)}
	for _, want := range messages {
		if err := c.Send(t.Context(), want); err != nil {
			t.Fatal(err)
		}
		got, err := c.Receive(t.Context())
		if err != nil || !bytes.Equal(got, want) {
			t.Fatalf("got %d bytes, %v, want %d", len(got), err, len(want))
		}
	}
}

func TestTheTokenIsSentAsABearers(t *testing.T) {
	var got string
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = r.Header.Get("Authorization") + r.URL.RawQuery
		w.WriteHeader(http.StatusForbidden)
	}))
	defer srv.Close()
	_, err := ws.Dial(t.Context(), srv.URL, "secret", ws.Options{})
	if want := "Bearer secret"; got != want || err == nil {
		t.Errorf("got %q, %v, want %q and an error", got, err, want)
	}
}

func TestARefusalSaysWhyAndWhetherToTryAgain(t *testing.T) {
	const body = `{"detail":"because"}`
	tests := []struct {
		status int
		body   string
		want   *protocol.Closed // nil for a temporary error
	}{
		{401, body, &protocol.Closed{Code: protocol.CodeForbidden, Message: "because"}},
		{403, body, &protocol.Closed{Code: protocol.CodeForbidden, Message: "because"}},
		{421, body, &protocol.Closed{Code: protocol.CodeForbidden, Message: "because"}},
		{404, body, &protocol.Closed{Code: protocol.CodeNotFound, Message: "because"}},
		{429, body, &protocol.Closed{Code: protocol.CodeUnavailable, Message: "because"}},
		{503, body, &protocol.Closed{Code: protocol.CodeUnavailable, Message: "because"}},
		{502, "<html>", &protocol.Closed{Code: protocol.CodeUnavailable, Message: "the server answered 502 Bad Gateway"}},
		{404, strings.Repeat("x", 5000), &protocol.Closed{Code: protocol.CodeNotFound, Message: "the server answered 404 Not Found"}},
		{200, body, nil},
		{302, body, nil},
		{418, body, nil},
	}
	for _, test := range tests {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "/elsewhere")
			w.WriteHeader(test.status)
			_, _ = w.Write([]byte(test.body))
		}))
		c, err := ws.Dial(t.Context(), srv.URL, "", ws.Options{})
		srv.Close()
		if c != nil || err == nil {
			t.Fatalf("%d: got %v, %v, want an error", test.status, c, err)
		}
		var got *protocol.Closed
		errors.As(err, &got)
		if diff := cmp.Diff(got, test.want); diff != "" {
			t.Errorf("%d: got-, want+\n%s", test.status, diff)
		}
	}
}

func TestAServerThatIsNotThereMayComeBack(t *testing.T) {
	_, err := ws.Dial(t.Context(), "http://127.0.0.1:1", "", ws.Options{}) // a port that no other program uses by chance
	var closed *protocol.Closed
	if err == nil || errors.As(err, &closed) {
		t.Errorf("got %v, want an error that is no refusal", err)
	}
}

func TestARequestForNoWebSocketIsAnswered(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if c, err := ws.Accept(w, r, ws.Options{}); err == nil {
			t.Errorf("got %v, want an error", c)
		}
	}))
	defer srv.Close()
	resp, err := srv.Client().Get(srv.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if got, want := resp.StatusCode, http.StatusUpgradeRequired; got != want {
		t.Errorf("got %d, want %d", got, want)
	}
}

func TestAMessageOverTheLimitIsAnsweredWithTheReason(t *testing.T) {
	url := serve(t, ws.Options{}, func(ctx context.Context, c protocol.Conn) {
		_, err := c.Receive(ctx)
		var closed *protocol.Closed
		if !errors.As(err, &closed) || closed.Code != protocol.CodeInvalid {
			t.Errorf("got %v, want a *Closed with code invalid", err)
			return
		}
		if err := c.Send(ctx, []byte(closed.Message)); err != nil {
			t.Errorf("send after a large message: %v", err)
		}
	})
	c, resp, err := websocket.Dial(t.Context(), url, nil)
	if err != nil {
		t.Fatal(resp, err)
	}
	defer c.CloseNow()
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		_ = c.Write(t.Context(), websocket.MessageText, make([]byte, protocol.MaxMessage+1))
	}()
	_, got, err := c.Read(t.Context())
	if want := "message of more than 16 MiB"; string(got) != want || err != nil {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
	_, _, err = c.Read(t.Context())
	var closed websocket.CloseError
	want := websocket.CloseError{Code: websocket.StatusMessageTooBig, Reason: "message of more than 16 MiB"}
	if !errors.As(err, &closed) || closed != want {
		t.Errorf("got %v, want %v", err, want)
	}
	<-sent
}

func TestALimitThatIsNotInMiBIsNamedInBytes(t *testing.T) {
	url := serve(t, ws.Options{}, func(ctx context.Context, c protocol.Conn) {
		_ = c.Send(ctx, make([]byte, 101))
		_, _ = c.Receive(ctx)
	})
	_, err := dial(t, url, ws.Options{MaxMessage: 100}).Receive(t.Context())
	if got, want := err.Error(), "message of more than 100 bytes"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestCloseMakesSendAndReceiveReturnAndMayBeRepeated(t *testing.T) {
	for _, side := range []string{"client", "server"} {
		t.Run(side, func(t *testing.T) {
			servers := make(chan protocol.Conn, 1)
			release := make(chan struct{})
			url := serve(t, ws.Options{}, func(_ context.Context, c protocol.Conn) {
				servers <- c
				<-release
			})
			defer close(release)
			c := dial(t, url, ws.Options{})
			if s := <-servers; side == "server" {
				c = s
			}
			ended := make(chan error, 2)
			go func() {
				_, err := c.Receive(context.WithoutCancel(t.Context()))
				ended <- err
			}()
			go func() {
				for {
					if err := c.Send(context.WithoutCancel(t.Context()), make([]byte, 1<<20)); err != nil {
						ended <- err
						return
					}
				}
			}()
			for range 2 {
				if err := c.Close(); err != nil {
					t.Errorf("close: %v", err)
				}
			}
			for range 2 {
				if err := <-ended; err == nil {
					t.Error("got no error after close")
				}
			}
		})
	}
}

func TestTheEndOfTheContextEndsReceive(t *testing.T) {
	c := dial(t, serve(t, ws.Options{}, echo), ws.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Receive(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
}
