package zmtp

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net"
	"testing"
)

// script is a connection to a peer with fixed output, which ignores its input.
type script struct {
	net.Conn
	from io.Reader
	told bytes.Buffer
}

func (s *script) Read(p []byte) (int, error)  { return s.from.Read(p) }
func (s *script) Write(p []byte) (int, error) { return s.told.Write(p) }

// FuzzConnections has a peer send anything from its greeting on. It gets nothing but our greeting
// and the answers to its pings, and no message exceeds the bound.
func FuzzConnections(f *testing.F) {
	router := appendCommand(greeting(), "READY", appendProperty(nil, "Socket-Type", "ROUTER"))
	f.Add(appendFrame(appendFrame(bytes.Clone(router), flagMore, []byte("a")), 0, []byte("b")), uint8(0))
	f.Add(appendCommand(bytes.Clone(router), "PING", []byte("\x00\x01context")), uint8(0))
	f.Add(appendFrame(appendFrame(bytes.Clone(router), 0, make([]byte, 2000)), 0, []byte("next")), uint8(0))
	f.Add(appendFrame(appendCommand(greeting(), "READY", appendProperty(nil, "socket-type", "XPUB")), 0, nil), uint8(1))
	f.Add(appendFrame(appendFrame(appendCommand(greeting(), "READY", appendProperty(nil, "Socket-Type", "REP")), flagMore, nil), 0, []byte("x")), uint8(2))
	f.Add(appendCommand(greeting(), "ERROR", []byte("\x02no")), uint8(0))
	f.Add([]byte("SSH-2.0-OpenSSH_9.6\r\n"), uint8(0))
	f.Fuzz(func(t *testing.T, data []byte, as uint8) {
		const limit = 1024
		kind := []Kind{Dealer, Sub, Req}[as%3]
		peer := &script{from: bytes.NewReader(data)}
		c := &Conn{conn: peer, kind: kind, read: reader{from: bufio.NewReader(peer.from), limit: limit}}
		if err := c.shakeHands(Config{Kind: kind}); err != nil {
			return
		}
		told := peer.told.Len()
		for {
			parts, err := c.Receive()
			var large *TooLargeError
			switch {
			case errors.As(err, &large):
				if large.Size <= limit || large.Limit != limit {
					t.Fatalf("got %v", large)
				}
				continue
			case err != nil:
				if n := peer.told.Len() - told; n > 2*len(data) {
					t.Fatalf("%d bytes are answered to %d", n, len(data))
				}
				return
			}
			size := 0
			for _, part := range parts {
				size += len(part)
			}
			if size > limit {
				t.Fatalf("got a message of %d bytes", size)
			}
		}
	})
}
