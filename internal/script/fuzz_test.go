//go:build unix

package script

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/quirehq/quire/core/engineproto"
	"github.com/quirehq/quire/core/lang/langtest"
)

// FuzzMessages has an engine send anything: a message makes at most one output, and the text and the error of one are what a
// sink takes.
func FuzzMessages(f *testing.F) {
	for _, seed := range []string{
		`{"type":"hello","protocol":1,"language":"x","version":"1","interrupt":"signal","can":["complete"],"raw":false}`,
		`{"type":"text","stream":"stdout","text":"x"}` + "\n" + `{"type":"text","stream":"stderr","base64":"8J+Q"}`,
		`{"type":"text","base64":"!"}`, `{"type":"text","text":"\ud83d"}`, `{"type":"display","data":{"text/plain":"1"},"id":"d"}`, `{"type":"update","id":"","data":null}`,
		`{"type":"result","data":{"text/plain":1}}`, `{"type":"error","error":{"line":-1,"column":1,"trace":["a\nb"]}}`, `{"type":"error"}`,
		`{"type":"clear","wait":true}`, `{"type":"done","run":1,"exit":"gone"}`, `{"type":"ask","id":-1}`, `{"type":"reply","id":18446744073709551616}`, "{}\n[]\nnull\n\n",
		`{"type":"result","id":["x"]}`, `{"type":1}`,
	} {
		f.Add([]byte(seed + "\n"))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		lines := engineproto.NewLines(bytes.NewReader(data))
		for {
			line, err := lines.Next()
			if err != nil {
				return
			}
			m, err := engineproto.DecodeFromEngine(line)
			if err != nil {
				return
			}
			sink := &langtest.Recorder{OnStream: func(_, text string) {
				if text == "" || !utf8.ValidString(text) {
					t.Fatalf("got the text %q", text)
				}
			}}
			var s sinks
			s.begin(1, sink)
			sinkOutput{&s, sink}.message(m)
			s.end()
			if _, isOutput := runOf(m); len(sink.Events) > 1 || len(sink.Events) == 1 && !isOutput {
				t.Fatalf("got %d outputs of %q", len(sink.Events), line)
			}
			for _, event := range sink.Events {
				if e := event.Err; e != nil && (e.Name == "" || e.Line < 0 || e.Column < 0 || strings.Contains(strings.Join(e.Trace, ""), "\n")) {
					t.Fatalf("got the error %+v of %q", e, line)
				}
			}
		}
	})
}

// FuzzManifest has a user write anything as a manifest: it is one that can be started, or it is refused with a reason.
func FuzzManifest(f *testing.F) {
	f.Add([]byte(`{"language":"echo","command":["python3","./engine.py"]}`))
	f.Add([]byte(`{"name":"x","language":"x","command":["x"],"pipes":"fds"}`))
	f.Add([]byte(`{"language":"x","command":[""],"pipes":1} {}`))
	f.Add([]byte(`{"language":"","unknown":null}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := DecodeManifest(data)
		if err == nil && (m.Language == "" || len(m.Command) == 0 || m.Command[0] == "") {
			t.Fatalf("got %+v of %q", m, data)
		}
		if err != nil && err.Error() == "" {
			t.Fatal("refused without a reason")
		}
	})
}
