package ws_test

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/internal/ws"
)

// clientFrame returns a frame in a client's form, masked with zeros.
func clientFrame(first byte, body string) []byte {
	frame := []byte{first}
	switch {
	case len(body) < 126:
		frame = append(frame, 0x80|byte(len(body)))
	default:
		frame = binary.BigEndian.AppendUint16(append(frame, 0x80|126), uint16(len(body)))
	}
	return append(append(frame, 0, 0, 0, 0), body...)
}

// FuzzFrames has a client send anything over an open WebSocket: the server's messages are within
// the bound and end, and it does not block after the client has closed.
func FuzzFrames(f *testing.F) {
	const limit = 256
	hello := `{"kind":"hello","version":1}`
	f.Add(append(clientFrame(0x81, hello), clientFrame(0x88, "\x03\xe8")...))
	f.Add(append(clientFrame(0x01, "begin"), append(clientFrame(0x89, "ping"), clientFrame(0x80, "end")...)...))
	f.Add(clientFrame(0x81, fmt.Sprintf("%300s", "x")))
	f.Add([]byte{0x81, 0xff, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0})
	f.Add([]byte{0xf1, 0x05, 'a'})
	f.Add(clientFrame(0x82, "\xff\xfe"))
	received := make(chan []int, 1)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, err := ws.Accept(w, r, ws.Options{MaxMessage: limit})
		if err != nil {
			received <- nil
			return
		}
		var sizes []int
		for {
			data, err := c.Receive(context.WithoutCancel(r.Context()))
			if err != nil {
				break
			}
			sizes = append(sizes, len(data))
		}
		_ = c.Close()
		received <- sizes
	}))
	f.Cleanup(srv.Close)
	at, err := url.Parse(srv.URL)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		conn, err := net.Dial("tcp", at.Host)
		if err != nil {
			t.Fatal(err)
		}
		const ask = "GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
		_, err = io.WriteString(conn, ask)
		if err == nil {
			_, err = http.ReadResponse(bufio.NewReader(conn), nil)
		}
		if err == nil {
			_, err = conn.Write(data)
		}
		_ = conn.Close() // otherwise the server would wait for more
		if err != nil {
			t.Fatal(err)
		}
		select {
		case sizes := <-received:
			for _, n := range sizes {
				if n > limit || n > len(data) {
					t.Fatalf("got a message of %d bytes of %d that were sent", n, len(data))
				}
			}
		case <-time.After(time.Minute):
			t.Fatal("the server waits for a client that has gone")
		}
	})
}

// FuzzRefusals has a server send any answer to an upgrade: the socket is opened, or refused with a
// bounded reason.
func FuzzRefusals(f *testing.F) {
	f.Add([]byte("HTTP/1.1 403 Forbidden\r\nContent-Type: application/problem+json\r\nContent-Length: 18\r\n\r\n{\"detail\":\"go off\"}"))
	f.Add([]byte("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: x\r\n\r\n"))
	f.Add([]byte("HTTP/1.1 302 Found\r\nLocation: http://evil.example/\r\n\r\n"))
	f.Add([]byte("HTTP/1.1 503 x\r\nTransfer-Encoding: chunked\r\n\r\nffffffff\r\n"))
	f.Add([]byte("SSH-2.0-OpenSSH_9.6\r\n"))
	f.Fuzz(func(t *testing.T, answer []byte) {
		client, server := net.Pipe()
		done := make(chan struct{})
		go func() {
			defer close(done)
			if _, err := http.ReadRequest(bufio.NewReader(server)); err == nil {
				_, _ = server.Write(answer) // the client may stop reading
			}
			_ = server.Close()
		}()
		open := func(context.Context, string, string) (net.Conn, error) { return client, nil }
		c, err := ws.Dial(t.Context(), "http://127.0.0.1:8642/sync", "token", ws.Options{Open: open})
		if err == nil {
			_ = c.Close()
		}
		_ = client.Close()
		<-done
		var closed *protocol.Closed
		if errors.As(err, &closed) && (closed.Message == "" || closed.Code == "" || len(closed.Message) > 2<<10) {
			t.Fatalf("got %+v", closed)
		}
	})
}
