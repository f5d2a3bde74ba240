//go:build unix

package pipehost

import (
	"bytes"
	"strings"
	"testing"
)

// FuzzMerge has a program write anything into its two pipes of text, forged marks included, besides messages with any marks: all
// text comes out in order, each message once, and nothing hangs.
func FuzzMerge(f *testing.F) {
	join := func(parts ...[]byte) []byte { return bytes.Join(parts, nil) }
	f.Add(join([]byte("aé"), markBytes(markMessage, 1), []byte("b")), join([]byte("err"), markBytes(markMessage, 1)), []byte{1})
	f.Add(join(markBytes(markTurn, 1), markBytes(markTurn, 2), []byte("c")), join(markBytes(markTurn, 1), []byte("x"), markBytes(markTurn, 2)), []byte{0})
	f.Add(join(markBytes(markTurn, 9), []byte("a")), markBytes(markMessage, 7), []byte{3, 2})
	f.Add(markBytes(markEnd, 1<<63), []byte("\xf0\x9f"), []byte{255})
	f.Fuzz(func(t *testing.T, out, err, marks []byte) {
		pieces := func(data []byte) (list []Piece, text string) {
			d := decoder{token: testToken}
			d.pieces(bytes.Clone(data), true, func(p Piece) bool {
				list, text = append(list, p), text+p.text
				return true
			})
			return list, text
		}
		outs, wantOut := pieces(out)
		errs, wantErr := pieces(err)
		got, ended := feedAll(outs, errs, marks)
		if got["stdout"] != wantOut || got["stderr"] != wantErr || strings.Count(got["messages"], ".") != len(marks) || ended == nil {
			t.Fatalf("got %q (%v), want %q, %q and %d messages", got, ended, wantOut, wantErr, len(marks))
		}
	})
}

// feedAll feeds a merge the content of the pipes, and returns its output.
func feedAll(out, err []Piece, marks []byte) (byStream, error) {
	over := &Process{exited: make(chan struct{})}
	close(over.exited)
	filled := func(pieces []Piece) <-chan Piece {
		c := make(chan Piece, len(pieces))
		for _, p := range pieces {
			c <- p
		}
		close(c)
		return c
	}
	said := make(chan Marked[string], len(marks))
	for _, at := range marks {
		said <- Marked[string]{".", uint64(at)}
	}
	close(said)
	m := &Merge[string, byStream]{process: over, text: [2]<-chan Piece{filled(out), filled(err)}, messages: said}
	got := byStream{}
	for {
		message, err := m.Next(nil, got)
		if err != nil {
			return got, err
		}
		got["messages"] += message
	}
}

// byStream is an output that collects the text of each stream.
type byStream map[string]string

func (b byStream) Stream(name, text string) { b[name] += text }
