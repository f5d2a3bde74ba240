package server_test

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/protocol"
)

// frame is one of a WebSocket, however wrong it may be.
type frame struct {
	first   byte // the final bit, the reserved ones and the opcode
	bare    bool // not masked
	length  uint64
	payload string
}

const (
	final, opText, opClose, opPing, opRest = 0x80, 0x1, 0x8, 0x9, 0x0
)

func (f frame) bytes() []byte {
	length, mask := f.length, byte(0x80)
	if length == 0 {
		length = uint64(len(f.payload))
	}
	if f.bare {
		mask = 0
	}
	out := []byte{f.first}
	switch {
	case length < 126:
		out = append(out, mask|byte(length))
	case length < 1<<16:
		out = binary.BigEndian.AppendUint16(append(out, mask|126), uint16(length))
	default:
		out = binary.BigEndian.AppendUint64(append(out, mask|127), length)
	}
	if !f.bare {
		out = append(out, 0, 0, 0, 0) // a mask that changes nothing
	}
	return append(out, f.payload...)
}

// upgraded opens a socket to b1 by hand.
func (w *world) upgraded(t *testing.T) (net.Conn, *bufio.Reader) {
	t.Helper()
	conn, err := new(net.Dialer).DialContext(soon(t), "tcp", strings.TrimPrefix(w.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	deadline, _ := soon(t).Deadline()
	_ = conn.SetDeadline(deadline)
	fmt.Fprintf(conn, "GET /api/notebooks/b1/sync HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n", strings.TrimPrefix(w.url, "http://"), ownerToken)
	for name, value := range socketHeader() {
		fmt.Fprintf(conn, "%s: %s\r\n", name, value)
	}
	fmt.Fprint(conn, "\r\n")
	r := bufio.NewReader(conn)
	resp, err := http.ReadResponse(r, nil)
	if err != nil {
		t.Fatal(err)
	}
	if resp.StatusCode != http.StatusSwitchingProtocols {
		t.Fatalf("got %s, want a socket", resp.Status)
	}
	return conn, r
}

// reasons reads until the connection ends, and returns the codes with which it ended: those of the
// protocol and of the room.
func reasons(t *testing.T, r io.Reader) (all []string) {
	t.Helper()
	for {
		head := make([]byte, 2)
		if _, err := io.ReadFull(r, head); err != nil {
			if nerr, ok := err.(net.Error); ok && nerr.Timeout() {
				t.Error("the connection did not end")
			}
			return all
		}
		length := int64(head[1] & 0x7f)
		if more := map[int64]int{126: 2, 127: 8}[length]; more > 0 {
			long := make([]byte, 8)
			if _, err := io.ReadFull(r, long[8-more:]); err != nil {
				return all
			}
			length = int64(binary.BigEndian.Uint64(long))
		}
		payload, err := io.ReadAll(io.LimitReader(r, length))
		if err != nil {
			return all
		}
		var closed struct{ Kind, Code, Message string }
		switch head[0] & 0xf {
		case opClose:
			if len(payload) >= 2 {
				all = append(all, fmt.Sprint(binary.BigEndian.Uint16(payload)))
			}
		case opText:
			if json.Unmarshal(payload, &closed) == nil && closed.Kind == "closed" && closed.Message != "" {
				all = append(all, closed.Code)
			}
		}
	}
}

func TestFramesThatAreNoneEndTheSocketWithAReason(t *testing.T) {
	w := newWorld(t)
	w.book("b1")
	other := w.join(t, "b1", person(t, "editor"), "other")
	hello := fmt.Sprintf(`{"kind":"hello","version":%d,"client":"raw","since":0}`, protocol.Version)
	for name, frames := range map[string][]frame{
		"a frame that is not masked":        {{first: final | opText, bare: true, payload: hello}},
		"a reserved bit":                    {{first: final | 0x20 | opText, payload: hello}},
		"an opcode that there is not":       {{first: final | 0x3, payload: hello}},
		"a control opcode that is none":     {{first: final | 0xb, payload: ""}},
		"a ping in parts":                   {{first: opPing, payload: "x"}},
		"a ping that is too long":           {{first: final | opPing, payload: strings.Repeat("x", 126)}},
		"a part of nothing":                 {{first: final | opRest, payload: hello}},
		"a message within another":          {{first: opText, payload: hello[:9]}, {first: final | opText, payload: hello}},
		"a close of one byte":               {{first: final | opClose, payload: "\x03"}},
		"a close with a code that is none":  {{first: final | opClose, payload: "\x00\x01"}},
		"a length that there is not":        {{first: final | opText, length: 1 << 63, payload: hello}},
		"a length that is too large":        {{first: final | opText, length: protocol.MaxMessage + 1, payload: strings.Repeat(" ", 1<<20)}},
		"text that is none":                 {{first: final | opText, payload: "\xff\xfe"}},
		"a hello that is none, in parts":    {{first: opText, payload: `{"kind":`}, {first: opRest, payload: `"hel`}, {first: final | opRest, payload: `lo"`}},
		"another protocol":                  {{first: 'G', bare: true, payload: "ET / HTTP/1.1\r\nHost: x\r\n\r\n"}},
		"nothing but zeros":                 {{first: 0, bare: true, payload: strings.Repeat("\x00", 1_000)}},
		"a compressed message, unasked for": {{first: final | 0x40 | opText, payload: hello}},
	} {
		t.Run(name, func(t *testing.T) {
			conn, r := w.upgraded(t)
			for _, f := range frames {
				if _, err := conn.Write(f.bytes()); err != nil {
					break // it has ended already
				}
			}
			if tcp, ok := conn.(*net.TCPConn); ok && strings.Contains(name, "length") {
				_ = tcp.CloseWrite()
			}
			if got := reasons(t, r); len(got) == 0 {
				t.Error("got the end without a reason")
			}
		})
	}
	other.committed(other.push(metadata("a", []byte("1")))[0])
}

func TestMessagesThatAreNoneEndTheSocketWithAReason(t *testing.T) {
	w := newWorld(t)
	w.book("b1")
	other := w.join(t, "b1", person(t, "editor"), "other")
	push := func(events string) string { return `{"kind":"push","events":` + events + `}` }
	one := func(members string) string { return push(`[{` + members + `}]`) }
	deep := strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000)
	for name, message := range map[string]string{
		"nothing":                 "",
		"a word":                  "hello",
		"a list":                  "[]",
		"null":                    "null",
		"a number":                "1",
		"a string":                `"push"`,
		"no kind":                 `{}`,
		"a kind that is none":     `{"kind":"own"}`,
		"a kind that is a number": `{"kind":1}`,
		"a kind of the room's":    `{"kind":"events","events":[]}`,
		"two values":              push("[]") + push("[]"),
		"half a value":            push("[")[:20],
		"a mark of the order":     "\ufeff" + push("[]"),
		"no text":                 "{\"kind\":\"\xff\"}",
		"very deep":               push(deep),
		"a deep payload":          one(`"id":"c1.1","type":"NotebookMetadataSet","payload":{"key":"a","value":` + deep + `}`),
		"events that are none":    push(`{}`),
		"an event that is null":   push(`[null]`),
		"no id":                   one(`"type":"NotebookTitled","payload":{"title":"x"}`),
		"an id without a counter": one(`"id":"c1","type":"NotebookTitled","payload":{"title":"x"}`),
		"a counter of zero":       one(`"id":"c1.0","type":"NotebookTitled","payload":{"title":"x"}`),
		"a counter with a zero":   one(`"id":"c1.01","type":"NotebookTitled","payload":{"title":"x"}`),
		"a counter beyond all":    one(`"id":"c1.18446744073709551616","type":"NotebookTitled","payload":{"title":"x"}`),
		"a negative counter":      one(`"id":"c1.-1","type":"NotebookTitled","payload":{"title":"x"}`),
		"a client that is none":   one(`"id":"a b.1","type":"NotebookTitled","payload":{"title":"x"}`),
		"no type":                 one(`"id":"c1.1","payload":{"title":"x"}`),
		"a payload of two types":  one(`"id":"c1.1","type":"NotebookTitled","payload":{"title":1}`),
		"a number of 400 digits":  one(`"id":"c1.1","type":"RunFinished","payload":{"run":"x","status":"ok","epoch":` + strings.Repeat("9", 400) + `}`),
		"a presence of a list":    `{"kind":"presence","name":[]}`,
	} {
		t.Run(name, func(t *testing.T) {
			p := w.join(t, "b1", ownerToken, event.ClientID("c"+fmt.Sprint(len(name))))
			p.raw([]byte(message))
			if closed := wantClosed(t, p, protocol.CodeInvalid); closed.Message == "" || len(closed.Message) > 1_000 {
				t.Errorf("got %q, want the reason", closed.Message)
			}
		})
	}
	e := other.committed(other.push(metadata("a", []byte("1")))[0])
	if e.Seq != 1 {
		t.Errorf("got event %d, want none before it", e.Seq)
	}
}
