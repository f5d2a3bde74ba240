package python

const (
	// lateReadSize is the size of one read from a process of an earlier run.
	lateReadSize = 8 << 10
	// maxLatePipes bounds the pipes of such processes. Beyond it a run reuses the pipes of the run
	// before.
	maxLatePipes = 256
)

// lateText is text of a process of an earlier run, or the end of its pipe.
type lateText struct {
	run   uint64
	name  string
	text  string
	ended bool

	helper bool // Drain does not wait for the process
}

// addPipes starts to read two pipes that the driver has made. With Main they are the main pipes of
// the next run, and the present ones stay with the processes that hold them.
func (m *merge) addPipes(message *message) {
	files := m.process.receive()
	if len(files) != len(m.text) {
		return // the process is ending
	}
	for i, file := range files {
		var text <-chan piece
		if message.Main {
			text, m.text[i] = m.text[i], m.process.readText(file, m.token, readSize)
		} else {
			text = m.process.readText(file, m.token, lateReadSize)
		}
		m.open++
		if message.Helper {
			m.helpers++
		}
		m.process.workers.Go(func() { m.follow(text, lateText{run: message.Of, name: streamNames[i], helper: message.Helper}) })
	}
}

// follow passes on the text of a pipe until it ends.
func (m *merge) follow(text <-chan piece, from lateText) {
	send := func(s lateText) bool {
		select {
		case m.late <- s:
			return true
		case <-m.process.quit:
			return false
		}
	}
	for p := range text {
		from.text = p.text
		if p.text != "" && !send(from) {
			return
		}
	}
	from.ended = true
	send(from)
}
