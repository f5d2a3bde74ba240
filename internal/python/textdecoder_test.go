package python

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

var testToken = append([]byte{markStart}, "secret-of-tests"...)

func markBytes(kind byte, number uint64) []byte {
	return binary.BigEndian.AppendUint64(append(bytes.Clone(testToken), kind), number)
}

// decode feeds data in parts of the given size. It writes a mark as <number>.
func decode(data []byte, part int) string {
	d := decoder{token: testToken}
	var all strings.Builder
	emit := func(p piece) bool {
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
		"a mark":                     {join([]byte("a"), markBytes(markBefore, 1), []byte("b")), "a<1>b"},
		"marks in a row":             {join(markBytes(markTurn, 1), markBytes(markEnd, 2)), "<1><2>"},
		"a byte that starts a mark":  {[]byte("a\xffb"), "a\uFFFDb"},
		"the start of a token":       {join([]byte("a"), testToken[:5], []byte("b")), "a\uFFFDsecrb"},
		"a token without its number": {join([]byte("a"), testToken), "a\uFFFDsecret-of-tests"},
		"a character around a mark":  {join([]byte("\xf0\x9f"), markBytes(markBefore, 1), []byte("\x90\x8e")), "<1>🐎"},
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

func FuzzDecoder(f *testing.F) {
	f.Add([]byte("aé🐎"), uint8(1))
	f.Add(append([]byte("\xff\xf0"), markBytes(markEnd, 3)...), uint8(7))
	f.Add(append(markBytes(markTurn, 1), testToken...), uint8(5))
	f.Fuzz(func(t *testing.T, data []byte, part uint8) {
		got := decode(data, int(part)+1)
		if !utf8.ValidString(got) {
			t.Errorf("got %q, want valid UTF-8", got)
		}
		if utf8.Valid(data) && got != string(data) {
			t.Errorf("got %q, want %q", got, data)
		}
	})
}

func FuzzReadMessage(f *testing.F) {
	f.Add([]byte("\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00\x01{}"))
	f.Add([]byte("\xff\xff\xff\xff\x00\x00\x00\x00\x00\x00\x00\x01{}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := readMessage(bytes.NewReader(data))
		if (m == nil) != (err != nil) {
			t.Errorf("got %v and %v, want one of them", m, err)
		}
	})
}
