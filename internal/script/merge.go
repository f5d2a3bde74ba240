package script

import (
	"errors"
	"fmt"
	"io"

	"github.com/quirehq/quire/core/engineproto"
	"github.com/quirehq/quire/internal/pipehost"
)

// merge puts the text and the messages of an engine in the order in which it wrote them.
type merge = pipehost.Merge[engineproto.FromEngine, output]

func newMerge(p *pipehost.Process, token string) *merge {
	return pipehost.NewMerge[engineproto.FromEngine, output](p, token, func(from io.Reader) func() (marked, error) {
		return (&messageReader{process: p, lines: engineproto.NewLines(from)}).next
	})
}

type marked = pipehost.Marked[engineproto.FromEngine]

// messageReader reads messages. A line that is no message ends the process.
type messageReader struct {
	process *pipehost.Process
	lines   *engineproto.Lines
	raw     bool // the end of a run has its mark
}

// next returns the next message that this version knows.
func (r *messageReader) next() (marked, error) {
	for {
		line, err := r.lines.Next()
		if errors.Is(err, engineproto.ErrTooLong) {
			r.process.Fail(fmt.Errorf("the engine broke the protocol: %w", err))
		}
		if err != nil {
			return marked{}, err
		}
		m, at, err := engineproto.DecodeMarked(line)
		if err != nil {
			r.process.Fail(fmt.Errorf("the engine broke the protocol in its line %d: %w", r.lines.Number(), err))
			return marked{}, err
		}
		switch m := m.(type) {
		case nil:
			continue
		case *engineproto.Hello:
			r.raw = m.Raw && !m.Marks
		case *engineproto.Done:
			if r.raw {
				at = uint64(max(m.Run, 0))
			}
		}
		return marked{Message: m, At: at}, nil
	}
}

// idle has the output between two runs read.
func (e *Engine) idle() *pipehost.Idle {
	out := sinkOutput{sinks: &e.sinks}
	next := func(stop <-chan struct{}) (engineproto.FromEngine, error) { return e.merge.Next(stop, out) }
	return pipehost.StartIdle(e.process, next, func(m engineproto.FromEngine) {
		if !e.handleIdle(m) {
			out.message(m)
		}
	})
}
