package terminal

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/quirehq/quire/core/event"
)

func stream(id event.OutputID, name, text string) event.Payload {
	return &event.OutputAdded{Output: id, Value: event.Output{Kind: event.OutputStream, Stream: name, Text: text}}
}

// testPrinter returns a printer to writers, which are the same terminal or two pipes.
func testPrinter(out, err io.Writer, terminal bool) *Printer {
	c := StreamConfig{Terminal: terminal}
	stdout, stderr := NewStream(out, c), NewStream(err, c)
	return NewPrinter(stdout, stderr, stderr)
}

func more(id event.OutputID, drop int, text string) event.Payload {
	return &event.OutputAppended{Output: id, Drop: drop, Text: text}
}

func result(mime, value string) event.Payload {
	raw, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return &event.OutputAdded{Output: "r", Value: event.Output{
		Kind: event.OutputResult, Data: map[string]json.RawMessage{mime: raw},
	}}
}

func failed(trace ...string) event.Payload {
	return &event.OutputAdded{Output: "e", Value: event.Output{
		Kind: event.OutputError, Error: &event.Error{Name: "ValueError", Message: "no", Trace: trace},
	}}
}

func TestWhatRunsPrintIsWrittenAsItComes(t *testing.T) {
	for _, c := range []struct {
		name           string
		events         []event.Payload
		stdout, stderr string // of a pipe
		terminal       string // where both meet
	}{{
		name:     "a stream that goes on",
		events:   []event.Payload{stream("a", "stdout", "one\ntw"), more("a", 0, "o\n")},
		stdout:   "one\ntwo\n",
		terminal: "one\ntwo\n",
	}, {
		name:     "a last line without an end gets one",
		events:   []event.Payload{stream("a", "stdout", "one")},
		stdout:   "one\n",
		terminal: "one\n",
	}, {
		name:     "streams keep apart in pipes and in order on a terminal",
		events:   []event.Payload{stream("a", "stdout", "out\n"), stream("b", "stderr", "err\n"), stream("c", "stdout", "out\n")},
		stdout:   "out\nout\n",
		stderr:   "err\n",
		terminal: "out\nerr\nout\n",
	}, {
		name: "lines that are taken back again and again are written once, as they are in the end",
		events: []event.Payload{
			stream("a", "stdout", "head\n"), stream("b", "stdout", "a\nb\n"), more("b", 4, "c\nd\n"), more("b", 2, "e\n"), more("b", 0, "f"),
			stream("c", "stdout", "end\n"),
		},
		stdout:   "head\na\nb\nc\ne\nfend\n",
		terminal: "head\na\nb\n\x1b[2A\r\x1b[Jc\nd\n\x1b[1A\r\x1b[Je\nfend\n",
	}, {
		name: "what is kept apart is named",
		events: []event.Payload{stream("a", "stdout", "…"), &event.OutputStored{Output: "a", Artifacts: map[string]event.Artifact{
			"text/plain": {Hash: "9f86", Size: 4},
		}}},
		stdout:   "…\n",
		stderr:   "[all of it: text/plain, 4 bytes, artifact 9f86]\n",
		terminal: "…\n[all of it: text/plain, 4 bytes, artifact 9f86]\n",
	}, {
		name:     "a progress bar is one line",
		events:   []event.Payload{stream("a", "stdout", "x\n 1%"), more("a", 3, " 50%"), more("a", 4, "100%\n")},
		stdout:   "x\n100%\n",
		terminal: "x\n 1%\r\x1b[J 50%\r\x1b[J100%\n",
	}, {
		name:     "what goes beyond the line is written again",
		events:   []event.Payload{stream("a", "stdout", "a\nb\nc"), more("a", 3, "B\nC")},
		stdout:   "a\nb\nB\nC\n",
		terminal: "a\nb\nc\x1b[1A\r\x1b[JB\nC\n",
	}, {
		name:     "a character outside the basic plane counts twice",
		events:   []event.Payload{stream("a", "stdout", "x😀"), more("a", 2, "y\n")},
		stdout:   "xy\n",
		terminal: "x😀\r\x1b[Jxy\n",
	}, {
		name:     "a bar that something came after is begun anew",
		events:   []event.Payload{stream("a", "stdout", "1%"), stream("b", "stderr", "warning\n"), more("a", 2, "2%\n")},
		stdout:   "1%2%\n",
		stderr:   "warning\n",
		terminal: "1%warning\n2%\n",
	}, {
		name:     "a result stands on lines of its own",
		events:   []event.Payload{stream("a", "stdout", "one"), result("text/plain", "2")},
		stdout:   "one\n2\n",
		terminal: "one\n2\n",
	}, {
		name:     "a picture is named",
		events:   []event.Payload{result("image/png", "aGk=")},
		stdout:   "[image/png, 6 bytes]\n",
		terminal: "[image/png, 6 bytes]\n",
	}, {
		name:     "an error goes to stderr with its trace",
		events:   []event.Payload{failed("Traceback:", "ValueError: no")},
		stderr:   "Traceback:\nValueError: no\n",
		terminal: "Traceback:\nValueError: no\n",
	}, {
		name:     "an error without a trace",
		events:   []event.Payload{failed()},
		stderr:   "ValueError: no\n",
		terminal: "ValueError: no\n",
	}, {
		name:     "a terminal is not steered, but may be coloured",
		events:   []event.Payload{stream("a", "stdout", "\x1b[31mred\x1b[0m \x1b]0;title\a\x1b[2J\x1b["), more("a", 0, "1mbold\n")},
		stdout:   "\x1b[31mred\x1b[0m \x1b]0;title\a\x1b[2J\x1b[1mbold\n",
		terminal: "\x1b[31mred\x1b[0m ␛]0;title␛[2J\x1b[1mbold\n",
	}} {
		t.Run(c.name, func(t *testing.T) {
			var out, err, both bytes.Buffer
			pipe, terminal := testPrinter(&out, &err, false), testPrinter(&both, &both, true)
			for _, p := range c.events {
				pipe.Event(&event.Event{Payload: p})
				terminal.Event(&event.Event{Payload: p})
			}
			pipe.finish()
			terminal.finish()
			if out.String() != c.stdout || err.String() != c.stderr {
				t.Errorf("pipe: got %q and %q, want %q and %q", out.String(), err.String(), c.stdout, c.stderr)
			}
			if both.String() != c.terminal {
				t.Errorf("terminal: got %q, want %q", both.String(), c.terminal)
			}
		})
	}
}

func TestAPipeGetsALineOnceItIsWhole(t *testing.T) {
	var out bytes.Buffer
	p := testPrinter(&out, &out, false)
	p.Event(&event.Event{Payload: stream("a", "stdout", "one\ntwo")})
	if got, want := out.String(), "one\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestOutputThatWasMissedIsWrittenOnce(t *testing.T) {
	var out bytes.Buffer
	p := testPrinter(&out, &out, false)
	p.Event(&event.Event{Payload: stream("a", "stdout", "one\n")})
	for range 2 {
		p.catchUp("a", &event.Output{Kind: event.OutputStream, Stream: "stdout", Text: "one\ntwo\n"})
		p.catchUp("b", &event.Output{Kind: event.OutputStream, Stream: "stdout", Text: "three\n"})
	}
	p.finish()
	if got, want := out.String(), "one\ntwo\nthree\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestALongTextKeepsABoundedTail(t *testing.T) {
	var out bytes.Buffer
	p := testPrinter(&out, &out, true)
	p.Event(&event.Event{Payload: stream("a", "stdout", "")})
	line := bytes.Repeat([]byte("x"), 99)
	for range 10_000 {
		p.Event(&event.Event{Payload: more("a", 0, string(line)+"\n")})
	}
	if got := len(p.texts["a"].tail); got > 2*maxTail {
		t.Errorf("got a tail of %d bytes, want at most %d", got, 2*maxTail)
	}
	if got, want := out.Len(), 10_000*100; got != want {
		t.Errorf("got %d bytes, want %d", got, want)
	}
}

func TestTracesHaveNoColoursWhereThoseCannotBeShown(t *testing.T) {
	for _, plain := range []bool{true, false} {
		var out bytes.Buffer
		p := testPrinter(&out, &out, true)
		p.err.stream.SetColours(ColourAuto, plain)
		failed := &event.Error{Name: "E", Trace: []string{"\x1b[31mTraceback\x1b[0m"}}
		p.Event(&event.Event{Payload: &event.OutputAdded{Value: event.Output{Kind: event.OutputError, Error: failed}}})
		if got := strings.Contains(out.String(), "\x1b[31m"); got == plain {
			t.Errorf("plain %t: got %q", plain, out.String())
		}
	}
}
