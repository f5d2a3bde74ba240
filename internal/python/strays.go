package python

const (
	// straySize is how much is read at once of what a process prints that an earlier run
	// has started.
	straySize = 8 << 10
	// maxStrays is how many of the pipes of such processes are read before a run keeps those
	// of the one before.
	maxStrays = 256
)

// stray is text of a process that an earlier run has started, or the end of its pipe.
type stray struct {
	run   uint64
	name  string
	text  string
	ended bool

	helper bool // nobody waits for the process
}

// take reads two pipes that the driver has made. With Main they are those of the next run, and
// those up to here stay with the processes that have them.
func (m *merge) take(message *message) {
	files := m.process.receive()
	if len(files) != len(m.text) {
		return // the process is ending
	}
	for i, file := range files {
		var text <-chan piece
		if message.Main {
			text, m.text[i] = m.text[i], m.process.readText(file, m.token, readSize)
		} else {
			text = m.process.readText(file, m.token, straySize)
		}
		m.open++
		if message.Helper {
			m.helpers++
		}
		m.process.workers.Go(func() { m.follow(text, stray{run: message.Of, name: streamNames[i], helper: message.Helper}) })
	}
}

// follow passes on what comes from a pipe until it ends.
func (m *merge) follow(text <-chan piece, from stray) {
	send := func(s stray) bool {
		select {
		case m.strays <- s:
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
