// Package engineprototest has a host for tests of interpreters. It uses only the standard library, like all of core.
package engineprototest

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"
	"testing"

	"github.com/quirehq/quire/core/engineproto"
)

// Host serves an interpreter in this process and is its host.
type Host struct {
	Hello *engineproto.Hello

	// Answer answers questions; nil says that nobody can be asked.
	Answer func(*engineproto.Ask) *engineproto.Answer

	// OnText is called with each text as it comes, if it is not nil.
	OnText func(text string)

	t        *testing.T
	mu       sync.Mutex // of requests
	requests *io.PipeWriter
	lines    *engineproto.Lines
	run      int
	call     int
	Late     []string // output of earlier runs
}

// Start loads an interpreter. It ends with the test.
func Start(t *testing.T, in engineproto.Interpreter) *Host {
	t.Helper()
	requests, toEngine := io.Pipe()
	fromEngine, messages := io.Pipe()
	h := &Host{t: t, requests: toEngine, lines: engineproto.NewLines(fromEngine)}
	served := make(chan error, 1)
	go func() {
		err := engineproto.Serve(context.WithoutCancel(t.Context()), engineproto.Pipes{Requests: requests, Messages: messages}, in)
		_ = messages.CloseWithError(err)
		served <- err
	}()
	t.Cleanup(func() {
		_ = toEngine.Close()
		_, _ = io.Copy(io.Discard, fromEngine)
		if err := <-served; err != nil {
			t.Errorf("serve: %v", err)
		}
	})
	for h.Hello == nil {
		h.Hello, _ = h.next().(*engineproto.Hello)
	}
	return h
}

func (h *Host) next() engineproto.FromEngine {
	h.t.Helper()
	line, err := h.lines.Next()
	if err != nil {
		h.t.Fatalf("read a message: %v", err)
	}
	m, err := engineproto.DecodeFromEngine(line)
	if err != nil {
		h.t.Fatal(err)
	}
	return m
}

func (h *Host) send(m engineproto.FromHost) {
	h.t.Helper()
	line, err := engineproto.EncodeFromHost(m)
	if err != nil {
		h.t.Fatal(err)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, err := h.requests.Write(line); err != nil {
		h.t.Fatal(err)
	}
}

// Interrupt interrupts the executing run. It may be called by any goroutine, and by OnText.
func (h *Host) Interrupt() { h.send(&engineproto.Interrupt{Run: h.run}) }

// Run executes a source and returns its outputs, a line each such as "stdout: hello\n" or "result: text/plain 42", with
// texts of one stream joined, and its error.
func (h *Host) Run(source string) ([]string, *engineproto.Error) {
	h.t.Helper()
	return h.RunNamed(fmt.Sprintf("cell %d", h.run+1), source)
}

// RunNamed is Run with a name for the source.
func (h *Host) RunNamed(name, source string) ([]string, *engineproto.Error) {
	h.t.Helper()
	h.run++
	h.send(&engineproto.Run{Run: h.run, Source: source, Name: name})
	var out transcript
	for {
		m := h.next()
		if done, ok := m.(*engineproto.Done); ok {
			return out.lines, done.Error
		}
		h.take(m, &out)
	}
}

// take takes one message that is not the end of what is waited for.
func (h *Host) take(m engineproto.FromEngine, out *transcript) {
	h.t.Helper()
	switch m := m.(type) {
	case *engineproto.Text:
		text := m.Text + string(m.Base64)
		if m.Run != 0 {
			h.Late = append(h.Late, fmt.Sprintf("%d %s: %s", m.Run, m.Stream, text))
		} else {
			out.text(m.Stream, text)
		}
		if h.OnText != nil {
			h.OnText(text)
		}
	case *engineproto.Display:
		out.bundle("display", m.Data, m.ID)
	case *engineproto.Update:
		out.bundle("update", m.Data, m.ID)
	case *engineproto.Result:
		out.bundle("result", m.Data, "")
	case *engineproto.Failure:
		out.add("error: " + m.Error.Error())
	case *engineproto.Clear:
		out.add(fmt.Sprintf("clear: %v", m.Wait))
	case *engineproto.Ask:
		answer := &engineproto.Answer{End: true, Why: "nobody is here"}
		if h.Answer != nil {
			if answer = h.Answer(m); answer == nil {
				return // never answered
			}
		}
		answer.ID = m.ID
		h.send(answer)
	}
}

// Call sends a call and decodes the value of its reply.
func (h *Host) Call(c engineproto.Call, value any) *engineproto.Error {
	h.t.Helper()
	h.call++
	c.ID = h.call
	h.send(&c)
	for {
		m := h.next()
		reply, ok := m.(*engineproto.Reply)
		if !ok {
			h.take(m, &transcript{})
			continue
		}
		if reply.Error == nil && value != nil {
			if err := json.Unmarshal(reply.Value, value); err != nil {
				h.t.Fatal(err)
			}
		}
		return reply.Error
	}
}

// WaitLate waits until so many texts of earlier runs have come.
func (h *Host) WaitLate(count int) {
	h.t.Helper()
	for len(h.Late) < count {
		h.take(h.next(), &transcript{})
	}
}

// transcript is the output of a run, a line each.
type transcript struct {
	lines  []string
	stream string // of the last line, if that is text
}

func (t *transcript) text(stream, text string) {
	if t.stream == stream {
		t.lines[len(t.lines)-1] += text
		return
	}
	t.lines, t.stream = append(t.lines, stream+": "+text), stream
}

func (t *transcript) add(line string) { t.lines, t.stream = append(t.lines, line), "" }

func (t *transcript) bundle(kind string, data map[string]json.RawMessage, id string) {
	line := kind + ":"
	if id != "" {
		line = kind + " " + id + ":"
	}
	for _, mime := range slices.Sorted(maps.Keys(data)) {
		var text string
		if json.Unmarshal(data[mime], &text) != nil {
			text = string(data[mime])
		}
		line += " " + mime + " " + text
	}
	t.add(line)
}
