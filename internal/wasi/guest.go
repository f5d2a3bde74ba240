package wasi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"sync"
	"time"

	"github.com/quirehq/quire/core/engineproto"
	"github.com/quirehq/quire/core/lang"
)

// guest is the host's end of the channels to a driver. The module runs on a goroutine of its own, on which all that it reads and
// writes is handled; so a program waits while its output is not taken.
type guest struct {
	requests chan []byte                 // lines for the driver, one at a time
	answers  chan engineproto.FromEngine // a Done or a Reply, when a run or a call ends
	versions chan string                 // of the language, once
	ended    chan struct{}               // closed when the module has ended
	collect  *collector
	// diesSaying says that stderr has the last error of the interpreter: it is kept and not shown.
	diesSaying bool

	unread  []byte // of a request; of the module's goroutine
	partial []byte // of a message; of the module's goroutine

	mu          sync.Mutex
	ctx         context.Context // of the run
	out         *engineproto.Output
	interrupted chan struct{} // closed when the run is interrupted
	stopped     bool          // interrupted is closed
	said        []byte        // the end of what was printed on stderr
	err         error         // with which the module has ended
}

// lastSaid is how much of stderr is kept to tell why a module has ended.
const lastSaid = 4 << 10

func newGuest() *guest {
	return &guest{
		requests: make(chan []byte, 2), answers: make(chan engineproto.FromEngine, 1), versions: make(chan string, 1), ended: make(chan struct{}),
	}
}

// devices returns the files of the channels.
func (g *guest) devices() *devices {
	return &devices{files: map[string]device{"requests": {read: g.read}, "messages": {write: g.write}}}
}

// stream returns what an output of the module is written to.
func (g *guest) stream(name string) io.Writer { return streamWriter{g, name} }

type streamWriter struct {
	g    *guest
	name string
}

// Write prints in the run.
func (w streamWriter) Write(p []byte) (int, error) {
	g := w.g
	g.mu.Lock()
	out := g.out
	if w.name == lang.Stderr {
		g.said = append(g.said, p...)
		g.said = g.said[max(0, len(g.said)-lastSaid):]
	}
	g.mu.Unlock()
	g.collect.made(len(p))
	if w.name == lang.Stderr && g.diesSaying {
		return len(p), nil
	}
	if out != nil {
		if err := out.Text(w.name, string(p)); err != nil {
			return 0, err
		}
	}
	return len(p), nil
}

// read gives the driver its requests.
func (g *guest) read(p []byte) (int, error) {
	if len(g.unread) == 0 {
		var ok bool
		if g.unread, ok = <-g.requests; !ok {
			return 0, io.EOF
		}
	}
	n := copy(p, g.unread)
	g.unread = g.unread[n:]
	return n, nil
}

// write takes messages of the driver.
func (g *guest) write(p []byte) (int, error) {
	g.collect.made(len(p))
	g.partial = append(g.partial, p...)
	for {
		line, rest, whole := bytes.Cut(g.partial, []byte("\n"))
		if !whole {
			break
		}
		if err := g.handle(line); err != nil {
			return 0, err
		}
		g.partial = rest
	}
	if len(g.partial) > engineproto.MaxLine {
		return 0, engineproto.ErrTooLong
	}
	if len(g.partial) == 0 {
		g.partial = nil
	}
	return len(p), nil
}

// private is what a driver says to this package alone.
type private struct {
	Type    string  `json:"type"`
	Version string  `json:"version"` // of ready
	Seconds float64 `json:"seconds"` // of sleep
}

func (g *guest) handle(line []byte) error {
	var p private
	if err := json.Unmarshal(line, &p); err != nil {
		return fmt.Errorf("a message of the driver: %w", err)
	}
	switch p.Type {
	case "ready":
		select {
		case g.versions <- p.Version:
		default:
		}
		return nil
	case "sleep":
		g.sleep(p.Seconds)
		return nil
	}
	m, err := engineproto.DecodeFromEngine(line)
	if err != nil {
		return err
	}
	switch m := m.(type) {
	case *engineproto.Done, *engineproto.Reply:
		select {
		case g.answers <- m:
		default: // more than one, which the driver never says
		}
		return nil
	case *engineproto.Ask:
		g.ask(m)
		return nil
	default:
		return g.show(m)
	}
}

// show passes an output on.
func (g *guest) show(m engineproto.FromEngine) error {
	g.mu.Lock()
	out := g.out
	g.mu.Unlock()
	if out == nil {
		return nil
	}
	var err error
	switch m := m.(type) {
	case *engineproto.Text:
		err = out.Text(m.Stream, m.Text)
	case *engineproto.Display:
		err = out.Display(lang.Bundle{Data: m.Data, Metadata: m.Metadata}, m.ID)
	case *engineproto.Update:
		err = out.Update(lang.Bundle{Data: m.Data, Metadata: m.Metadata}, m.ID)
	case *engineproto.Result:
		err = out.Result(lang.Bundle{Data: m.Data, Metadata: m.Metadata})
	case *engineproto.Failure:
		err = out.Fail(m.Error)
	case *engineproto.Clear:
		err = out.Clear(m.Wait)
	}
	if errors.Is(err, engineproto.ErrTooLong) {
		return out.Fail(&engineproto.Error{Name: "OutputError", Message: "an output is longer than a message may be, 64 MiB"})
	}
	return err
}

// sleep waits until the time is over or the run is interrupted, and says which to the driver.
func (g *guest) sleep(seconds float64) {
	g.mu.Lock()
	interrupted := g.interrupted
	g.mu.Unlock()
	limit := time.Duration(math.MaxInt64)
	if seconds < limit.Seconds() {
		limit = time.Duration(seconds * float64(time.Second))
	}
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-timer.C:
		g.request("slept", struct{}{})
	case <-interrupted:
		g.request("interrupt", struct{}{})
	}
}

// ask asks a user, and gives the driver the answer, the end of all answers, or the interrupt that came first.
func (g *guest) ask(m *engineproto.Ask) {
	g.mu.Lock()
	ctx, out := g.ctx, g.out
	g.mu.Unlock()
	if out == nil {
		g.request("answer", &engineproto.Answer{ID: m.ID, End: true})
		return
	}
	text, err := out.Ask(ctx, m.Prompt, m.Secret)
	switch {
	case err == nil:
		g.request("answer", &engineproto.Answer{ID: m.ID, Text: text})
	case ctx.Err() != nil:
		g.request("interrupt", struct{}{})
	default:
		g.request("answer", &engineproto.Answer{ID: m.ID, End: true, Why: err.Error()})
	}
}

// request gives the driver a line. It never waits: there is at most a request, and an answer to a question of its program.
func (g *guest) request(kind string, m any) {
	text, err := json.Marshal(m)
	if err != nil {
		panic(err) // messages of the host always encode
	}
	g.collect.made(4 * len(text))
	line := append([]byte(`{"type":"`+kind+`"`), ',')
	if len(text) > 2 {
		line = append(line, text[1:]...)
	} else {
		line = append(line[:len(line)-1], '}')
	}
	select {
	case g.requests <- append(line, '\n'):
	case <-g.ended:
	}
}

func (g *guest) beginRun(ctx context.Context, out *engineproto.Output) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.ctx, g.out, g.interrupted, g.stopped, g.said = ctx, out, make(chan struct{}), false, nil
}

func (g *guest) endRun() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.out, g.stopped = nil, false
}

// interrupt ends what the program waits for.
func (g *guest) interrupt() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.stopped {
		close(g.interrupted)
		g.stopped = true
	}
}

// end notes that the module has ended.
func (g *guest) end(err error) {
	g.mu.Lock()
	g.err = err
	g.mu.Unlock()
	close(g.ended)
}

// last returns the end of what the module printed on stderr, and why it has ended.
func (g *guest) last() (said string, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return string(g.said), g.err
}

// ready waits for the driver and returns the version of the language.
func (g *guest) ready(ctx context.Context) (string, error) {
	select {
	case version := <-g.versions:
		return version, nil
	case <-g.ended:
		said, err := g.last()
		return "", fmt.Errorf("the interpreter ended at once: %w; it said: %q", err, said)
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}
