package terminal

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
)

func numbered(from, to int) string {
	var b strings.Builder
	for i := from; i < to; i++ {
		fmt.Fprintf(&b, "line %d é🐎\n", i)
	}
	return b.String()
}

func excerptOf(id event.OutputID, drop int, text string) event.Payload {
	return &event.OutputAppended{Output: id, Drop: drop, Text: text, Excerpt: true}
}

func storedText(id event.OutputID) event.Payload {
	return &event.OutputStored{Output: id, Artifacts: map[string]event.Artifact{"text/plain": {Hash: "9f86", Size: 4}}}
}

func opens(text string) OpenArtifact {
	return func(event.Artifact) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }
}

func TestAPipeGetsAllOfALongText(t *testing.T) {
	all := numbered(0, 1000)
	live, end := "… of what follows the last lines are shown …\nline 500\n", "… left out …\nline 999\n"
	for _, c := range []struct {
		name   string
		whole  string
		events []event.Payload
		stdout string
	}{{
		name: "after whole lines", whole: all, stdout: all,
		events: []event.Payload{stream("a", "stdout", numbered(0, 10)), excerptOf("a", 0, live), excerptOf("a", len([]rune(live)), end), storedText("a")},
	}, {
		name: "after a line that is not whole", whole: all, stdout: all,
		events: []event.Payload{stream("a", "stdout", numbered(0, 10)+"li"), excerptOf("a", 2, live), excerptOf("a", len([]rune(live)), end), storedText("a")},
	}, {
		name: "within a long line", whole: strings.Repeat("x", 9999), stdout: strings.Repeat("x", 9999) + "\n",
		events: []event.Payload{stream("a", "stdout", "xxx"), excerptOf("a", 0, "\n"+live), storedText("a")},
	}, {
		name: "in colours", whole: "\x1b[31mred\nstill red\x1b[0m\nmore\n", stdout: "\x1b[31mred\x1b[m\nstill red\x1b[0m\nmore\n",
		events: []event.Payload{stream("a", "stdout", "\x1b[31mred\x1b[m\n"), excerptOf("a", 0, live), storedText("a")},
	}, {
		name: "of an output that is long from its beginning", whole: all, stdout: all,
		events: []event.Payload{
			&event.OutputAdded{Output: "a", Excerpt: true, Value: event.Output{Kind: event.OutputStream, Stream: "stdout", Text: live}}, storedText("a"),
		},
	}, {
		name: "beside something else", whole: all, stdout: numbered(0, 10) + "2\n" + numbered(10, 1000),
		events: []event.Payload{stream("a", "stdout", numbered(0, 10)), excerptOf("a", 0, live), result("text/plain", "2"), storedText("a")},
	}, {
		name: "that comes to fit after all", stdout: numbered(0, 12),
		events: []event.Payload{stream("a", "stdout", numbered(0, 10)), excerptOf("a", 0, live), more("a", len([]rune(live)), numbered(10, 12))},
	}, {
		name: "of which there is no more than the end", stdout: numbered(0, 10) + end,
		events: []event.Payload{stream("a", "stdout", numbered(0, 10)), excerptOf("a", 0, end)},
	}, {
		name: "that is stored again as it grows", whole: all, stdout: all,
		events: []event.Payload{stream("a", "stdout", numbered(0, 10)), excerptOf("a", 0, live), storedText("a"), excerptOf("a", 0, end), storedText("a")},
	}, {
		name: "of a value", whole: all, stdout: all,
		events: []event.Payload{&event.OutputAdded{Output: "r", Value: event.Output{
			Kind: event.OutputResult, Artifacts: map[string]event.Artifact{"text/plain": {Hash: "9f86", Size: 4}},
		}}},
	}} {
		t.Run(c.name, func(t *testing.T) {
			var out, err bytes.Buffer
			p := testPrinter(&out, &err, false)
			p.Open = opens(c.whole)
			for _, e := range c.events {
				p.Event(&event.Event{Payload: e})
			}
			p.finish()
			if out.String() != c.stdout || err.String() != "" || p.Failed != nil {
				t.Errorf("got %q, %q and %v, want %q", out.String(), err.String(), p.Failed, c.stdout)
			}
		})
	}
}

func TestALongTextThatCannotBeReadIsAFailure(t *testing.T) {
	var out, err bytes.Buffer
	p := testPrinter(&out, &err, false)
	p.Open = func(event.Artifact) (io.ReadCloser, error) { return nil, errors.New("the server is away") }
	for _, e := range []event.Payload{stream("a", "stdout", "one\n"), excerptOf("a", 0, "… the end\n"), storedText("a")} {
		p.Event(&event.Event{Payload: e})
	}
	p.finish()
	if out.String() != "one\n… the end\n" || p.Failed == nil || !strings.Contains(p.Failed.Error(), "the server is away") {
		t.Errorf("got %q and %v", out.String(), p.Failed)
	}
}

func TestALongTextIsShownWholeInAPipeAndWithATrueNoticeOnATerminal(t *testing.T) {
	n := notebook.New()
	for _, p := range []event.Payload{
		&event.CellCreated{Cell: "c", Kind: event.KindCode, Order: "V"},
		&event.OutputsImported{Cell: "c", Outputs: []event.Output{
			{Kind: event.OutputStream, Stream: "stdout", Text: "one\nt"},
			{
				Kind: event.OutputStream, Stream: "stdout", Text: "… left out …\nthree\n",
				Artifacts: map[string]event.Artifact{"text/plain": {Hash: "9f86", Size: 10}},
			},
		}},
	} {
		if _, err := n.Apply(&event.Event{ID: event.ID{Client: "a", N: 1}, Payload: p}, nil); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		open OpenArtifact
		want string
	}{
		{opens("wo\nthree\n"), "\n    one\n    two\n    three\n"},
		{nil, "\n    one\n    t\n    … left out …\n    three\n    [all that follows its first 5 bytes: text/plain, 10 bytes, artifact 9f86]\n"},
	} {
		var out bytes.Buffer
		if err := Show(&out, "k3x9ab", n, c.open == nil, c.open); err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(out.String(), c.want) {
			t.Errorf("got %q, want %q at the end", out.String(), c.want)
		}
	}
}
