package runtime

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/core/runtime/screen"
)

// produced is one call of an engine's sink.
type produced struct {
	Do       string
	Name     string
	Text     string
	ID       string
	Data     map[string]json.RawMessage
	Metadata map[string]json.RawMessage
	Trace    []string
	Line     int
	Count    int
	Wait     bool
}

// FuzzOutputs has an engine produce anything, each thing a line of JSON: every event is well
// formed, fits the notebook and is within the bounds, and text that nothing follows is shown as a
// terminal shows it.
func FuzzOutputs(f *testing.F) {
	for _, seed := range []string{
		`{"do":"stream","name":"stdout","text":"10%\r20%\n"}
{"do":"stream","name":"stderr","text":"\u001b[31mred\n"}
{"do":"display","id":"d","data":{"text/plain":"1","image/png":"iVBORw0K","application/json":"{\"a\":1}","text/html":["<b>","</b>"]},"metadata":{"image/png":{"width":1},"x":null}}
{"do":"update","id":"d","data":{"text/plain":2}}
{"do":"result","data":{"text/plain":"3"}}
{"do":"fail","name":"E","text":"v","trace":["a","b"],"line":-1}`,
		`{"do":"stream","name":"stdout","text":"0123456789abcdefghijklmnopqrstuvwxyz\né🐎"}
{"do":"clear","wait":true}
{"do":"stream","name":"stdout","text":"\ud800\u0000\u0007\u001b]0;title\u0007\b\bx"}`,
		`{"do":"display","data":{"text/plain":null}}
{"do":"update","id":"never","data":{"":""}}
{"do":"stream","name":"","text":"x"}
{"do":"result","data":{"text/plain":"1"}}
{"do":"result","data":{"text/plain":"2"},"id":"r"}`,
	} {
		f.Add(seed)
	}
	limits := Limits{Stream: 200, Tail: 50, Output: 1000}
	f.Fuzz(func(t *testing.T, script string) {
		d := newDesk(t, limits)
		var text, name string
		alone := true
		for line := range strings.SplitSeq(script, "\n") {
			var p produced
			if json.Unmarshal([]byte(line), &p) != nil {
				continue
			}
			b := lang.Bundle{Data: p.Data, Metadata: p.Metadata}
			switch p.Do {
			case "stream":
				if p.Name != lang.Stderr {
					p.Name = lang.Stdout
				}
				d.write(p.Name, p.Text)
				alone = alone && (name == "" || name == p.Name)
				text, name = text+p.Text, p.Name
				continue
			case "display":
				d.display(b, p.ID)
			case "update":
				d.update(p.ID, b)
			case "result":
				d.hold(b, p.ID)
			case "fail":
				d.fail(failure(&lang.Error{Name: p.Name, Message: p.Text, Trace: p.Trace, Line: p.Line, Column: p.Count}))
			case "clear":
				d.clear(p.Wait)
			case "flush":
				d.flush()
				continue
			}
			alone = false
		}
		d.finish(1, nil)
		held := 0
		for _, p := range d.stated {
			switch p := p.(type) {
			case *event.OutputAdded:
				held += len(p.Value.Text)
				if n := bundleLen(p.Value.Data) + bundleLen(p.Value.Metadata); n > limits.Output+1000 {
					t.Fatalf("a value of %d bytes is stated", n)
				}
			case *event.OutputAppended:
				held += len(p.Text) - p.Drop
			case *event.OutputsCleared:
				held = 0
			}
		}
		if most := limits.Stream + 2*limits.Tail + 1000; held > most {
			t.Fatalf("%d bytes of text are stated, and at most %d may be", held, most)
		}
		if got := d.outputs(); alone && text != "" && len(text) < limits.Stream/4 {
			want := screen.Shown([]byte(text))
			if shown := name + ": " + want; want != "" && (len(got) != 1 || got[0] != shown) {
				t.Fatalf("got %q, want %q", got, shown)
			}
		}
	})
}

// FuzzBundles wants of any bundle a value that an event can have, within its bound.
func FuzzBundles(f *testing.F) {
	f.Add([]byte(`{"text/plain":["a\n","b"],"application/json":"[1]","image/svg+xml":{"a":1},"x":null}`), []byte(`{"a":1}`), 100)
	f.Add([]byte(`{"":"","application/vnd.x+json":"{"}`), []byte(`null`), 0)
	f.Add([]byte(`{"image/png":"AAAA","text/plain":"long text that does not fit"}`), []byte(`{"k":[]}`), 40)
	f.Fuzz(func(t *testing.T, data, metadata []byte, limit int) {
		var b lang.Bundle
		if limit < 0 || limit > 1<<20 || json.Unmarshal(data, &b.Data) != nil || json.Unmarshal(metadata, &b.Metadata) != nil {
			return
		}
		names := 0
		for mime := range b.Data {
			names += len(mime) + 2
		}
		got := shapeBundle(b, limit)
		if n := bundleLen(got.data) + bundleLen(got.metadata); n > limit && (len(got.data) != 1 || n > 200+6*names) {
			t.Fatalf("got %d bytes, and at most %d fit", n, limit)
		}
		for mime, raw := range got.data {
			if !json.Valid(raw) || !utf8.Valid(raw) || string(raw) == "null" {
				t.Fatalf("got %s for %s", raw, mime)
			}
		}
		again := shapeBundle(lang.Bundle{Data: got.data, Metadata: got.metadata}, max(limit, bundleLen(got.data)+bundleLen(got.metadata)))
		for mime, raw := range got.data {
			if !bytes.Equal(again.data[mime], raw) {
				t.Fatalf("%s: got %s, and %s when it is shaped again", mime, raw, again.data[mime])
			}
		}
	})
}

// FuzzWidgetMessages wants two changes of a widget's state together to be what they are one after
// another, whatever their data says of buffers.
func FuzzWidgetMessages(f *testing.F) {
	f.Add([]byte(`{"method":"update","state":{"value":1,"text":"a"},"buffer_paths":[["data"]]}`), []byte(`{"method":"echo_update","state":{"value":2},"buffer_paths":[["data","x",1]]}`), []byte("bytes"))
	f.Add([]byte(`{"method":"update","state":null,"buffer_paths":[[],[null],["a"]]}`), []byte(`{"state":{"a":null}}`), []byte(""))
	f.Add([]byte(`[]`), []byte(`{"method":1}`), []byte("\xff"))
	f.Fuzz(func(t *testing.T, first, second, buffer []byte) {
		c := &comms{rt: &Runtime{}}
		read := func(data []byte) *event.CommUpdated {
			w := readWidget(data)
			m := lang.CommMessage{Comm: "w", Data: data, Buffers: [][]byte{buffer, nil}}
			u := &event.CommUpdated{Comm: "w", Epoch: 1, State: cleanMap(w.State), Buffers: placed(m, w.BufferPaths)}
			for i, b := range u.Buffers {
				if got, err := base64.StdEncoding.DecodeString(b.Data); err != nil || i == 0 && !bytes.Equal(got, buffer) {
					t.Fatalf("buffer %d is %q (%v), want %q", i, got, err, buffer)
				}
			}
			if got := c.update(m); (got != nil) != (w.Method == methodUpdate || w.Method == methodEcho) {
				t.Fatalf("%s: got the update %v", data, got)
			}
			return u
		}
		a, b, both := read(first), read(second), read(first)
		merge(both, b)
		if a.Check() == nil && b.Check() == nil {
			if err := both.Check(); err != nil {
				t.Fatalf("two that are well formed make one that is not: %v", err)
			}
		}
		for key, raw := range b.State {
			if !bytes.Equal(both.State[key], raw) {
				t.Fatalf("got %s for %q, want the later %s", both.State[key], key, raw)
			}
		}
		for key := range a.State {
			_, kept := both.State[key]
			replaced := false
			for i := range b.Buffers {
				of, ok := b.Buffers[i].Key()
				replaced = replaced || ok && of == key
			}
			if !kept && !replaced {
				t.Fatalf("%q is lost", key)
			}
		}
	})
}
