//go:build unix

package python

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/core/lang/langtest"
)

// sent encodes a message as the driver does.
func sent(mark uint64, body string) []byte {
	head := binary.BigEndian.AppendUint32(nil, uint32(len(body)))
	return append(binary.BigEndian.AppendUint64(head, mark), body...)
}

func FuzzReadMessage(f *testing.F) {
	f.Add([]byte("\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00\x01{}"))
	f.Add([]byte("\xff\xff\xff\xff\x00\x00\x00\x00\x00\x00\x00\x01{}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := readMessage(bytes.NewReader(data))
		if (m.Message == nil) != (err != nil) {
			t.Errorf("got %v and %v, want one of them", m, err)
		}
	})
}

// FuzzDelivery has the driver, in whose place a program can write, send anything: a message makes
// at most one output, and one that is no output makes none.
func FuzzDelivery(f *testing.F) {
	for _, seed := range []string{
		`{"kind":"text","name":"stdout","text":"x"}`, `{"kind":"display","data":{"text/plain":"1"},"id":"d"}`, `{"kind":"update","id":"","data":null}`, `{"kind":"result","data":{"text/plain":1}}`,
		`{"kind":"error","error":{"name":"E","line":-1,"column":1,"trace":null}}`, `{"kind":"error"}`, `{"kind":"clear","wait":true}`, `{"kind":"comm","do":"open","id":"w","target":"jupyter.widget","value":{},"buffers":["AAAA"]}`,
		`{"kind":"done","run":1,"exit":"gone","shown":true}`, `{"kind":"ask","prompt":"?"}`, `{}`, `{"of":18446744073709551616}`,
	} {
		f.Add([]byte(seed), uint64(1))
	}
	f.Fuzz(func(t *testing.T, body []byte, mark uint64) {
		marked, err := readMessage(bytes.NewReader(sent(mark, string(body))))
		if err != nil {
			if !strings.HasPrefix(err.Error(), "decode a message of the driver: ") {
				t.Fatal(err)
			}
			return
		}
		m := marked.Message
		if marked.At != mark || m.size != len(body) {
			t.Fatalf("got the mark %d and %d bytes, want %d and %d", marked.At, m.size, mark, len(body))
		}
		sink := &langtest.Recorder{}
		m.deliver(sink)
		if n := len(sink.Events); n > 1 || n == 1 && !strings.Contains(" text display update result error clear ", " "+m.Kind+" ") {
			t.Fatalf("got %d outputs of a %q", n, m.Kind)
		}
		e := &Engine{}
		e.Comms(sink)
		before := len(sink.Comms)
		e.deliverComm(m, nil)
		if len(sink.Comms) != before+1 {
			t.Fatal("what was said over a comm is lost")
		}
		if err := m.refusal(); (err != nil) != (m.Error != nil) || errors.Is(err, errSlow) != (m.Error != nil && m.Error.Name == interruptName) {
			t.Fatalf("got %v of %+v", err, m.Error)
		}
	})
}

// FuzzInstallTails checks that the end of an installer's output is text within its bounds.
func FuzzInstallTails(f *testing.F) {
	f.Add("ERROR: no matching distribution\n", "\xf0\x9f", uint8(3))
	f.Add(strings.Repeat("line\n", 2000), "é🐎", uint8(1))
	f.Fuzz(func(t *testing.T, a, b string, times uint8) {
		tail := &tailSink{Sink: &langtest.Recorder{}}
		for range times % 16 {
			tail.Stream(lang.Stdout, a)
			tail.Stream(lang.Stderr, b)
		}
		if end := tail.end(); !utf8.ValidString(end) || len(end) > tailSize || strings.Count(end, "\n") >= tailLines {
			t.Fatalf("got %q", end)
		}
	})
}
