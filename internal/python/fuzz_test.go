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

// FuzzMerge has a program write anything into its two text pipes and that of messages, forged marks
// included: all text comes out in order, each message once, and nothing hangs.
func FuzzMerge(f *testing.F) {
	join := func(parts ...[]byte) []byte { return bytes.Join(parts, nil) }
	f.Add(join([]byte("aé"), markBytes(markBefore, 1), []byte("b")), join([]byte("err"), markBytes(markBefore, 1)), sent(1, `{"kind":"display","data":{"text/plain":"1"}}`))
	f.Add(join(markBytes(markTurn, 1), markBytes(markTurn, 2), []byte("c")), join(markBytes(markTurn, 1), []byte("x"), markBytes(markTurn, 2)), sent(0, `{"kind":"hello","version":"3"}`))
	f.Add(join(markBytes(markTurn, 9), []byte("a")), markBytes(markBefore, 7), join(sent(3, `{"kind":"done","run":1}`), sent(2, `{"kind":"reply"}`)))
	f.Add(markBytes(markEnd, 1<<63), []byte("\xf0\x9f"), sent(1<<64-1, `{"kind":"comm","do":"open","buffers":["AAAA"]}`))
	f.Fuzz(func(t *testing.T, out, err, said []byte) {
		pieces := func(data []byte) (list []piece, text string) {
			d := decoder{token: testToken}
			d.pieces(bytes.Clone(data), true, func(p piece) bool {
				list, text = append(list, p), text+p.text
				return true
			})
			return list, text
		}
		outs, wantOut := pieces(out)
		errs, wantErr := pieces(err)
		var messages []*message
		for r := bytes.NewReader(said); ; {
			m, err := readMessage(r)
			if err != nil {
				break
			}
			m.Kind = "display" // pipes would need a process
			messages = append(messages, m)
		}
		got, ended := feedMerge(outs, errs, messages)
		if got["stdout"] != wantOut || got["stderr"] != wantErr || strings.Count(got["messages"], ".") != len(messages) || ended == nil {
			t.Fatalf("got %q (%v), want %q, %q and %d messages", got, ended, wantOut, wantErr, len(messages))
		}
	})
}

// feedMerge feeds a merge the content of the pipes, and returns its output.
func feedMerge(out, err []piece, messages []*message) (map[string]string, error) {
	over := &process{exited: make(chan struct{})}
	close(over.exited)
	filled := func(pieces []piece) <-chan piece {
		c := make(chan piece, len(pieces))
		for _, p := range pieces {
			c <- p
		}
		close(c)
		return c
	}
	said := make(chan *message, len(messages))
	for _, m := range messages {
		said <- m
	}
	close(said)
	m := &merge{process: over, text: [2]<-chan piece{filled(out), filled(err)}, messages: said}
	got := byStream{}
	for {
		if _, err := m.next(nil, got); err != nil {
			return got, err
		}
		got["messages"] += "."
	}
}

// byStream is an output that collects the text of each stream.
type byStream map[string]string

func (b byStream) stream(name, text string)         { b[name] += text }
func (b byStream) late(_ uint64, name, text string) { b.stream(name, text) }
func (byStream) message(*message)                   {}

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
		m, err := readMessage(bytes.NewReader(sent(mark, string(body))))
		if err != nil {
			if !strings.HasPrefix(err.Error(), "decode a message of the driver: ") {
				t.Fatal(err)
			}
			return
		}
		if m.mark != mark || m.size != len(body) {
			t.Fatalf("got the mark %d and %d bytes, want %d and %d", m.mark, m.size, mark, len(body))
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
