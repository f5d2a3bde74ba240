//go:build unix

package pipehost

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/core/lang"
)

const testToken = markEdge + "secret-of-tests-"

func markBytes(kind byte, number uint64) []byte {
	return fmt.Appendf(nil, "%s%c%016x", testToken, kind, number)
}

// decode feeds data in parts of the given size. It writes a mark as <number>.
func decode(data []byte, part int) string {
	d := decoder{token: testToken}
	var all strings.Builder
	emit := func(p Piece) bool {
		if p.mark.number != 0 {
			p.text = "<" + string(rune('0'+p.mark.number%10)) + ">"
		}
		all.WriteString(p.text)
		return true
	}
	for len(data) > 0 {
		n := min(part, len(data))
		d.pieces(bytes.Clone(data[:n]), false, emit)
		data = data[n:]
	}
	d.pieces(nil, true, emit)
	return all.String()
}

func TestTextIsTheSameHoweverItIsCut(t *testing.T) {
	join := func(parts ...[]byte) []byte { return bytes.Join(parts, nil) }
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"plain":                      {[]byte("abc"), "abc"},
		"characters":                 {[]byte("aé🐎z"), "aé🐎z"},
		"a mark":                     {join([]byte("a"), markBytes(markMessage, 1), []byte("b")), "a<1>b"},
		"marks in a row":             {join(markBytes(markTurn, 1), markBytes(markEnd, 2)), "<1><2>"},
		"a byte that starts a mark":  {[]byte("a\x1eb"), "a\x1eb"},
		"the start of a token":       {[]byte("a" + testToken[:6] + "b"), "a\x1esecreb"},
		"a token without its number": {[]byte("a" + testToken), "a\x1esecret-of-tests-"},
		"a token with something else": {
			[]byte(testToken + "x0000000000000001b" + testToken + "t000000000000000gb"),
			testToken + "x0000000000000001b" + testToken + "t000000000000000gb",
		},
		"a character around a mark":  {join([]byte("\xf0\x9f"), markBytes(markMessage, 1), []byte("\x90\x8e")), "<1>🐎"},
		"a character cut by the end": {join([]byte("\xf0\x9f"), markBytes(markEnd, 1), []byte("\x90\x8e")), "\uFFFD\uFFFD<1>\uFFFD\uFFFD"},
		"a character cut for good":   {[]byte("a\xf0\x9f"), "a\uFFFD\uFFFD"},
	} {
		t.Run(name, func(t *testing.T) {
			for part := 1; part <= len(c.data); part++ {
				if diff := cmp.Diff(c.want, decode(c.data, part)); diff != "" {
					t.Errorf("in parts of %d (-want +got):\n%s", part, diff)
				}
			}
		})
	}
}

// FuzzDecoder has a program write anything into a pipe, the beginnings of marks included: the text is the same wherever the reads
// are cut, and the mark is found.
func FuzzDecoder(f *testing.F) {
	f.Add([]byte("aé🐎\xff"), []byte("b"), uint8(1))
	f.Add([]byte("a"+testToken[:9]), []byte(testToken[:3]+"\x1e"), uint8(3))
	f.Add([]byte("\xf0\x9f"+testToken[:5]), []byte("\x90\x8e"), uint8(5))
	f.Fuzz(func(t *testing.T, before, after []byte, part uint8) {
		if bytes.Contains(before, []byte(testToken)) || bytes.Contains(after, []byte(testToken)) {
			return // a program that knows the token
		}
		var want string
		for _, text := range [][]byte{before, nil, after} {
			var d lang.TextDecoder
			if text == nil {
				want += "<7>"
			}
			want += d.Decode(bytes.Clone(text), true)
		}
		whole := bytes.Join([][]byte{before, markBytes(markEnd, 7), after}, nil)
		if got := decode(whole, int(part)+1); got != want {
			t.Fatalf("got %q, want %q", got, want)
		}
	})
}
