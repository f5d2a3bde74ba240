package python

import (
	"github.com/quirehq/quire/internal/pipehost"
)

// merge puts the text and the messages of the driver in the order in which it wrote them. To these come the pipes of processes
// of earlier runs.
type merge struct {
	*pipehost.Merge[*message, output]
	process  *process
	token    string
	helpers  int  // of the further pipes those that only helpers hold, which end with the driver
	draining bool // next returns once only helpers hold pipes
}

// next delivers text until the next message, and returns it, as [pipehost.Merge.Next] does.
func (m *merge) next(stop <-chan struct{}, out output) (*message, error) {
	for {
		if m.draining && m.Open <= m.helpers {
			return nil, errDrained
		}
		message, err := m.Next(stop, out)
		if err != nil || message.Kind != "pipes" {
			return message, err
		}
		m.addPipes(message)
	}
}

// idle reads output between two runs.
func (m *merge) idle(out output, handle func(*message) bool) *pipehost.Idle {
	next := func(stop <-chan struct{}) (*message, error) { return m.next(stop, out) }
	return pipehost.StartIdle(m.process.Process, next, func(message *message) {
		if !handle(message) {
			out.message(message)
		}
	})
}

// maxLatePipes bounds the pipes of processes of earlier runs. Beyond it a run reuses the pipes of the run before.
const maxLatePipes = 256

// addPipes starts to read two pipes that the driver has made. With Main they are the main pipes of the next run, and the
// present ones stay with the processes that hold them.
func (m *merge) addPipes(message *message) {
	files := m.process.receive()
	if len(files) != len(pipehost.Names) {
		return // the process is ending
	}
	for i, file := range files {
		text := m.process.Text(file, m.token, message.Main)
		if message.Main {
			text = m.Replace(i, text)
		}
		m.Open++
		if message.Helper {
			m.helpers++
		}
		m.follow(text, i, message)
	}
}

// follow passes on the text of a pipe until it ends.
func (m *merge) follow(text <-chan pipehost.Piece, stream int, of *message) {
	m.process.Follow(text, func(text string, end bool) bool {
		return m.Beside(func(out output) error {
			if !end {
				out.late(of.Of, pipehost.Names[stream], text)
				return nil
			}
			m.Open--
			if of.Helper {
				m.helpers--
			}
			if m.draining && m.Open <= m.helpers {
				return errDrained
			}
			return nil
		})
	})
}
