package zmtp

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"io"
	"net"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// hello returns the first bytes of a peer: its greeting, and the READY with its socket type.
func hello(kind string) []byte {
	return appendCommand(greeting(), "READY", appendProperty(nil, "Socket-Type", kind))
}

// peer listens on a Unix socket and serves the first connection. The error of serve is the outcome
// of the test.
func peer(t *testing.T, serve func(net.Conn) error) (address string) {
	t.Helper()
	address = filepath.Join(t.TempDir(), "peer")
	listener, err := net.Listen("unix", address)
	if err != nil {
		t.Skipf("this test needs Unix sockets: %v", err)
	}
	served := make(chan error, 1)
	go func() {
		conn, err := listener.Accept()
		if err == nil {
			err = errors.Join(serve(conn), conn.Close())
		}
		served <- err
	}()
	t.Cleanup(func() {
		_ = listener.Close()
		if err := <-served; err != nil && !errors.Is(err, net.ErrClosed) {
			t.Errorf("the peer: %v", err)
		}
	})
	return address
}

func dial(t *testing.T, kind Kind, identity string, serve func(net.Conn) error) (*Conn, error) {
	t.Helper()
	conn, err := Dial(t.Context(), Config{Network: "unix", Address: peer(t, serve), Kind: kind, Identity: identity, MaxMessage: 1000})
	if conn != nil {
		t.Cleanup(func() { _ = conn.Close() })
	}
	return conn, err
}

// expectBytes reads bytes that must equal want.
func expectBytes(conn net.Conn, want []byte) error {
	got := make([]byte, len(want))
	if _, err := io.ReadFull(conn, got); err != nil {
		return err
	}
	if !bytes.Equal(got, want) {
		return errors.New("got " + hex.EncodeToString(got) + "\nwant " + hex.EncodeToString(want))
	}
	return nil
}

func unhex(t *testing.T, text string) []byte {
	t.Helper()
	data, err := hex.DecodeString(strings.ReplaceAll(text, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestADealerGreetsAsTheProtocolHasIt(t *testing.T) {
	want := unhex(t, "ff 0000000000000001 7f 03 00 4e554c4c"+strings.Repeat("00", 16)+"00"+strings.Repeat("00", 31)+
		"04 2b 05 5245414459"+ // READY
		"0b 536f636b65742d54797065 00000006 4445414c4552"+ // Socket-Type DEALER
		"08 4964656e74697479 00000002 6d65") // Identity me
	conn, err := dial(t, Dealer, "me", func(conn net.Conn) error {
		_, err := conn.Write(hello("ROUTER"))
		return errors.Join(err, expectBytes(conn, want), expectBytes(conn, unhex(t, "01 01 61 00 02 6262")))
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := conn.Send([]byte("a"), []byte("bb")); err != nil {
		t.Error(err)
	}
}

func TestMessagesArriveInPartsOfAnySize(t *testing.T) {
	long := bytes.Repeat([]byte("x"), 300)
	conn, err := dial(t, Dealer, "", func(conn net.Conn) error {
		out := appendFrame(hello("ROUTER"), flagMore, nil)
		out = appendFrame(out, flagMore, long)
		out = appendFrame(out, 0, []byte("end"))
		_, err := conn.Write(appendFrame(out, 0, []byte("next")))
		return errors.Join(err, skipHello(conn))
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range [][][]byte{{{}, long, []byte("end")}, {[]byte("next")}} {
		got, err := conn.Receive()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

// skipHello reads the first bytes of a client without an identity.
func skipHello(conn net.Conn) error {
	_, err := io.ReadFull(conn, make([]byte, len(hello("DEALER"))))
	return err
}

func TestASubscriptionIsAMessage(t *testing.T) {
	conn, err := dial(t, Sub, "", func(conn net.Conn) error {
		_, err := conn.Write(hello("PUB"))
		return errors.Join(err, expectBytes(conn, hello("SUB")), expectBytes(conn, unhex(t, "00 02 01 61")))
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := conn.Subscribe("a"); err != nil {
		t.Error(err)
	}
}

func TestARequestHasAnEnvelope(t *testing.T) {
	conn, err := dial(t, Req, "", func(conn net.Conn) error {
		_, err := conn.Write(hello("REP"))
		err = errors.Join(err, expectBytes(conn, hello("REQ")), expectBytes(conn, unhex(t, "01 00 00 04 70696e67")))
		_, werr := conn.Write(unhex(t, "00 01 78 01 00 00 04 70696e67")) // the first has no envelope
		return errors.Join(err, werr)
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := conn.Send([]byte("ping")); err != nil {
		t.Fatal(err)
	}
	got, err := conn.Receive()
	if err != nil || len(got) != 1 || string(got[0]) != "ping" {
		t.Errorf("got %q, %v, want ping", got, err)
	}
}

func TestWhatIsTooLargeIsLeftOutAndTheRestArrives(t *testing.T) {
	conn, err := dial(t, Dealer, "", func(conn net.Conn) error {
		out := appendFrame(hello("ROUTER"), flagMore, make([]byte, 700))
		out = appendFrame(out, flagMore, make([]byte, 700))
		out = appendFrame(out, 0, make([]byte, 700))
		_, err := conn.Write(appendFrame(out, 0, []byte("next")))
		return errors.Join(err, skipHello(conn))
	})
	if err != nil {
		t.Fatal(err)
	}
	var large *TooLargeError
	if _, err := conn.Receive(); !errors.As(err, &large) || large.Size != 2100 || large.Limit != 1000 {
		t.Errorf("got %v, want a message of 2100 bytes to be left out", err)
	}
	if got, err := conn.Receive(); err != nil || string(got[0]) != "next" {
		t.Errorf("got %q, %v, want the next message", got, err)
	}
}

func TestAPingIsAnsweredWithItsContext(t *testing.T) {
	conn, err := dial(t, Dealer, "", func(conn net.Conn) error {
		out := appendCommand(hello("ROUTER"), "PING", []byte("\x00\x0actx"))
		_, err := conn.Write(appendFrame(out, 0, []byte("m")))
		return errors.Join(err, skipHello(conn), expectBytes(conn, appendCommand(nil, "PONG", []byte("ctx"))))
	})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := conn.Receive(); err != nil || string(got[0]) != "m" {
		t.Errorf("got %q, %v, want the message behind the ping", got, err)
	}
}

func TestAPeerThatIsNotOneIsRefused(t *testing.T) {
	older, secured := greeting(), greeting()
	older[10] = 1
	copy(secured[12:], "CURVE")
	for name, c := range map[string]struct {
		sends []byte
		want  string
	}{
		"something else":        {append([]byte("HTTP/1.1 400 Bad Request"), make([]byte, 64)...), "does not speak ZMTP"},
		"an older version":      {older, "version 1"},
		"another mechanism":     {secured, `"CURVE"`},
		"the wrong kind":        {hello("PUB"), "PUB socket"},
		"no kind":               {appendCommand(greeting(), "READY", nil), "which kind"},
		"a property cut off":    {appendCommand(greeting(), "READY", unhex(t, "01 61 000000ff 62")), "cut off"},
		"an error":              {appendCommand(greeting(), "ERROR", []byte("\x02no")), `"no"`},
		"another command":       {appendCommand(greeting(), "HELLO", nil), `"HELLO" instead of READY`},
		"a message":             {appendFrame(greeting(), 0, []byte("x")), "before it is ready"},
		"a greeting cut off":    {greeting()[:20], "no greeting"},
		"a command too large":   {append(greeting(), unhex(t, "06 00000000 00ffffff")...), "at most"},
		"a frame without sense": {append(greeting(), 0x80, 0), "unknown flags"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := dial(t, Dealer, "", func(conn net.Conn) error {
				_, err := conn.Write(c.sends)
				return errors.Join(err, conn.(*net.UnixConn).CloseWrite(), skipHello(conn))
			})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

func TestDialEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	reason := errors.New("not wanted any more")
	address := peer(t, func(conn net.Conn) error {
		err := skipHello(conn)
		cancel(reason) // no greeting was sent
		_, _ = conn.Read(make([]byte, 1))
		return err
	})
	if _, err := Dial(ctx, Config{Network: "unix", Address: address, Kind: Dealer}); !errors.Is(err, reason) {
		t.Errorf("got %v, want the cause of the context", err)
	}
}

func TestAConnectionThatEndsSaysSo(t *testing.T) {
	conn, err := dial(t, Dealer, "", func(conn net.Conn) error {
		_, err := conn.Write(append(hello("ROUTER"), 0, 5, 'c', 'u', 't'))
		return errors.Join(err, skipHello(conn))
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Receive(); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("got %v, want an unexpected end", err)
	}
	for range 2 {
		if err := conn.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	}
}
