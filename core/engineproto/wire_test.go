package engineproto_test

import (
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/core/engineproto"
)

// engineLines has each message of an engine, with all members.
var engineLines = []string{
	`{"type":"hello","protocol":1,"language":"lua","version":"5.1","interrupt":"message","can":["complete","reset"],"raw":true,"extension":".lua","mime":"text/x-lua"}`,
	`{"type":"progress","text":"compiling","done":1,"total":9}`,
	`{"type":"text","stream":"stdout","text":"<é & \"🐎\">\n","run":3}`,
	`{"type":"text","stream":"stderr","base64":"/wD+"}`,
	`{"type":"display","data":{"text/html":"<b>b</b>","application/json":{"a":[1]}},"metadata":{"x":1},"id":"d","run":1}`,
	`{"type":"update","data":{"text/plain":"2"},"metadata":{"x":1},"id":"d","run":1}`,
	`{"type":"result","data":{"text/plain":"42"},"metadata":{"x":1}}`,
	`{"type":"error","error":{"name":"E","message":"m","line":2,"column":5,"trace":["a","b"],"cause":"limit","lack":"memory"},"run":1}`,
	`{"type":"clear","wait":true,"run":1}`,
	`{"type":"ask","id":1,"prompt":"name? ","secret":true}`,
	`{"type":"done","run":2,"error":{"name":"Interrupted","cause":"interrupted"},"exit":"gone"}`,
	`{"type":"reply","id":7,"value":[{"name":"x"}]}`,
	`{"type":"reply","id":7,"error":{"name":"E"}}`,
}

// hostLines has each message of a host, with all members.
var hostLines = []string{
	`{"type":"run","run":2,"source":"print(1)","name":"cell 3","mark":"m"}`,
	`{"type":"interrupt","run":2,"id":3}`,
	`{"type":"answer","id":1,"text":"Ada","end":true,"why":"no answer came"}`,
	`{"type":"call","id":7,"method":"set","source":"pri","cursor":3,"packages":["a"],"name":"x","value":{"y":1}}`,
}

func TestEachMessageIsWrittenAsItWasRead(t *testing.T) {
	for _, line := range engineLines {
		m, err := engineproto.DecodeFromEngine([]byte(line))
		if err != nil {
			t.Fatal(err)
		}
		sameJSON(t, line, must(engineproto.EncodeFromEngine(m)))
	}
	for _, line := range hostLines {
		m, err := engineproto.DecodeFromHost([]byte(line))
		if err != nil {
			t.Fatal(err)
		}
		sameJSON(t, line, must(engineproto.EncodeFromHost(m)))
	}
}

func must(line []byte, err error) string {
	if err != nil {
		panic(err)
	}
	return string(line)
}

// sameJSON wants a line, with one line end, that has the same value as another.
func sameJSON(t *testing.T, want, got string) {
	t.Helper()
	var a, b any
	if err := json.Unmarshal([]byte(want), &a); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(got), &b); err != nil {
		t.Fatalf("%s: %v", got, err)
	}
	if diff := cmp.Diff(a, b); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if strings.Index(got, "\n") != len(got)-1 {
		t.Errorf("got %q, want one line", got)
	}
}

func TestAMessageWithoutMembersHasItsTypeAlone(t *testing.T) {
	if got, want := must(engineproto.EncodeFromEngine(&engineproto.Clear{})), `{"type":"clear"}`+"\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestAMessageOfANewerProtocolIsIgnored(t *testing.T) {
	if m, err := engineproto.DecodeFromEngine([]byte(`{"type":"hologram","data":[1]}`)); m != nil || err != nil {
		t.Errorf("got %v, %v, want neither", m, err)
	}
	if m, err := engineproto.DecodeFromHost([]byte(`{"type":"hologram","run":"x"}`)); m != nil || err != nil {
		t.Errorf("got %v, %v, want neither", m, err)
	}
}

func TestAMalformedMessageIsRefusedWithItsText(t *testing.T) {
	for _, line := range []string{``, `null`, `[]`, `print(1)`, `{"run":1}`, `{"type":5}`, `{"type":"run","run":"1"}`, `{"type":"answer","id":1,"text":[]}`, `{"type":"run"} {}`} {
		m, err := engineproto.DecodeFromHost([]byte(line))
		if err == nil {
			t.Errorf("%s: got %+v, want an error", line, m)
		} else if !strings.Contains(err.Error(), strconv.Quote(line)) {
			t.Errorf("%s: got %q, want the line in it", line, err)
		}
	}
	if _, err := engineproto.DecodeFromEngine([]byte(`{"type":"error"}`)); err == nil {
		t.Error("an error message without its error is taken")
	}
}

func TestAMessageThatIsTooLongIsNotWritten(t *testing.T) {
	_, err := engineproto.EncodeFromEngine(&engineproto.Text{Base64: make([]byte, engineproto.MaxLine)})
	if !errors.Is(err, engineproto.ErrTooLong) {
		t.Errorf("got %v, want ErrTooLong", err)
	}
}

func TestLinesAreReadUpToTheirBound(t *testing.T) {
	const most = 100_000 // more than is read at once
	longest := strings.Repeat("x", most)
	for _, c := range []struct {
		name, text string
		want       []int // lengths of lines
		end        error
	}{
		{"nothing", "", nil, io.EOF},
		{"lines", "ab\n\nc\r\n", []int{2, 0, 1}, io.EOF},
		{"a line that is cut", "ab\nc", []int{2}, io.ErrUnexpectedEOF},
		{"the longest line", longest + "\n", []int{most}, io.EOF},
		{"a longer line", "a\n" + longest + "x\n", []int{1}, engineproto.ErrTooLong},
	} {
		t.Run(c.name, func(t *testing.T) {
			lines := engineproto.NewLines(strings.NewReader(c.text))
			lines.Bound(most)
			var got []int
			for {
				line, err := lines.Next()
				if err != nil {
					if !errors.Is(err, c.end) {
						t.Errorf("got %v, want %v", err, c.end)
					}
					break
				}
				if got = append(got, len(line)); lines.Number() != len(got) {
					t.Errorf("got number %d for line %d", lines.Number(), len(got))
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func FuzzEngineMessages(f *testing.F) {
	for _, line := range engineLines {
		f.Add([]byte(line))
	}
	f.Add([]byte(`{"type":"hologram"}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		m, err := engineproto.DecodeFromEngine(line)
		if err != nil || m == nil {
			return
		}
		written, err := engineproto.EncodeFromEngine(m)
		if err != nil {
			t.Fatal(err)
		}
		again, err := engineproto.DecodeFromEngine(written)
		if err != nil {
			t.Fatalf("%s: %v", written, err)
		}
		sameJSON(t, string(written), must(engineproto.EncodeFromEngine(again)))
	})
}

func FuzzHostMessages(f *testing.F) {
	for _, line := range hostLines {
		f.Add([]byte(line))
	}
	f.Add([]byte(`{"type":"hologram"}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		m, err := engineproto.DecodeFromHost(line)
		if err != nil || m == nil {
			return
		}
		written, err := engineproto.EncodeFromHost(m)
		if err != nil {
			t.Fatal(err)
		}
		again, err := engineproto.DecodeFromHost(written)
		if err != nil {
			t.Fatalf("%s: %v", written, err)
		}
		sameJSON(t, string(written), must(engineproto.EncodeFromHost(again)))
	})
}
