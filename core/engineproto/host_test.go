package engineproto_test

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/quirehq/quire/core/engineproto"
)

// host is the other side of an engine under test.
type host struct {
	t        *testing.T
	requests *io.PipeWriter
	lines    *engineproto.Lines
	messages *io.PipeReader
	raw      strings.Builder // that gets marks
	served   chan error
}

// serve starts an engine and reads its Hello.
func serve(t *testing.T, in engineproto.Interpreter) (*host, *engineproto.Hello) {
	t.Helper()
	h := start(t.Context(), t, in)
	hello, ok := h.next().(*engineproto.Hello)
	if !ok {
		t.Fatal("the first message is no hello")
	}
	return h, hello
}

func start(ctx context.Context, t *testing.T, in engineproto.Interpreter) *host {
	requests, toEngine := io.Pipe()
	fromEngine, messages := io.Pipe()
	h := &host{t: t, requests: toEngine, messages: fromEngine, lines: engineproto.NewLines(fromEngine), served: make(chan error, 1)}
	go func() {
		err := engineproto.Serve(ctx, engineproto.Pipes{Requests: requests, Messages: messages, Raw: []io.Writer{&h.raw}}, in)
		_ = messages.Close()
		h.served <- err
	}()
	t.Cleanup(func() {
		_ = toEngine.Close()
		_ = fromEngine.Close()
	})
	return h
}

func (h *host) send(messages ...engineproto.FromHost) {
	h.t.Helper()
	for _, m := range messages {
		line, err := engineproto.EncodeFromHost(m)
		if err != nil {
			h.t.Fatal(err)
		}
		h.write(string(line))
	}
}

func (h *host) write(text string) {
	h.t.Helper()
	if _, err := io.WriteString(h.requests, text); err != nil {
		h.t.Fatal(err)
	}
}

// next returns the next message, nil when there are no more.
func (h *host) next() engineproto.FromEngine {
	h.t.Helper()
	line, err := h.lines.Next()
	if err == io.EOF {
		return nil
	}
	if err != nil {
		h.t.Fatal(err)
	}
	m, err := engineproto.DecodeFromEngine(line)
	if err != nil {
		h.t.Fatal(err)
	}
	return m
}

// until returns the messages up to the Done of a run, with texts of one stream that follow one another joined.
func (h *host) until(run int) []engineproto.FromEngine {
	h.t.Helper()
	var all []engineproto.FromEngine
	for {
		m := h.next()
		if m == nil {
			h.t.Fatal("the messages end before the run is done")
		}
		if text, ok := m.(*engineproto.Text); ok && len(all) > 0 {
			if last, ok := all[len(all)-1].(*engineproto.Text); ok && last.Stream == text.Stream && last.Run == text.Run {
				last.Text += text.Text
				last.Base64 = append(last.Base64, text.Base64...)
				continue
			}
		}
		all = append(all, m)
		if done, ok := m.(*engineproto.Done); ok && done.Run == run {
			return all
		}
	}
}

// execute runs a source and returns its messages.
func (h *host) execute(run int, source string) []engineproto.FromEngine {
	h.t.Helper()
	h.send(&engineproto.Run{Run: run, Source: source})
	return h.until(run)
}

// end closes the requests and returns what Serve returned.
func (h *host) end() error {
	h.t.Helper()
	_ = h.requests.Close()
	for h.next() != nil {
	}
	return <-h.served
}
