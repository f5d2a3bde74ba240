package jupyter

import "encoding/json"

// handle processes the inbox in order until the kernel has ended. All calls of a run's sink are
// made here.
func (e *Engine) handle(l *link) {
	go func() {
		<-l.process.exited
		l.readers.Wait()
		l.inbox.end()
	}()
	for {
		i, ok := l.inbox.next()
		if !ok {
			break
		}
		e.handleItem(l, &i)
	}
	e.die(l)
}

func (e *Engine) handleItem(l *link, i *item) {
	switch {
	case i.call != nil:
		i.call()
	case i.begin != nil:
		e.startRun(l, i.begin)
	case i.expired != nil:
		if i.expired == e.current() {
			e.finish(l, i.expired)
		}
	case i.parts != nil:
		m, err := l.signer.open(i.channel, i.parts)
		if err != nil {
			l.refused.Add(1)
			return
		}
		e.handleMessage(l, m)
	default:
		e.handleText(i)
	}
}

// current returns the run whose request was sent, nil if there is none.
func (e *Engine) current() *run {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.run == nil || e.run.id == "" {
		return nil
	}
	return e.run
}

// handleText shows text written outside the protocol, in the current run or else the last one. Text
// that a kernel writes when it is closed belongs to no run.
func (e *Engine) handleText(i *item) {
	e.words.add(i.stream, i.text)
	r := e.current()
	if r == nil {
		r = e.ended.last
	}
	if r != nil && !e.config.Kernel.isIPykernel() && !e.isClosed() {
		r.sink.Stream(i.stream, i.text)
		e.noteOutput()
	}
}

// noteOutput reports output to Drain.
func (e *Engine) noteOutput() {
	if d := e.draining.Load(); d != nil {
		d.Heard()
	}
}

func (e *Engine) handleMessage(l *link, m *message) {
	r := e.current()
	mine := r != nil && m.parent.ID == r.id
	switch m.channel {
	case iopub:
		e.handlePublished(l, r, mine, m)
	case stdin:
		if mine && m.header.Type == "input_request" {
			e.noteProgress(l, r, true)
			r.asking.begin(m)
		}
	case shell, control:
		if mine && m.header.Type == "execute_reply" {
			r.reply = m
			e.progress(l, r)
		} else {
			e.handleReply(l, r, m)
		}
	}
}

// handleReply passes a reply to the request that waits for it.
func (e *Engine) handleReply(l *link, r *run, m *message) {
	e.mu.Lock()
	w := e.waiting[m.parent.ID]
	awaited := r != nil && r.outstanding[m.parent.ID]
	if awaited {
		delete(r.outstanding, m.parent.ID)
	}
	e.mu.Unlock()
	if w != nil {
		select {
		case w.replied <- result{message: m}:
		default:
		}
	}
	if awaited {
		e.progress(l, r)
	}
}

// handlePublished handles a message on iopub.
func (e *Engine) handlePublished(l *link, r *run, mine bool, m *message) {
	if m.header.Type == "status" {
		e.handleStatus(l, r, mine, m)
		return
	}
	if m.parent.Type == "comm_msg" {
		e.echo(m)
	}
	if said, ok := commMessage(m); ok {
		e.deliverComm(r, m, said)
		return
	}
	if mine {
		e.noteProgress(l, r, m.header.Type != "execute_input")
	}
	if m.header.Type == "execute_input" {
		if mine {
			r.count = m.count()
		}
		return
	}
	of := r
	if !mine {
		of = e.ended.find(e.parent(m), r)
	}
	if of == nil {
		e.ended.hold(m)
		return
	}
	of.deliver(m, mine)
	e.noteOutput()
	if of == r && r.overdue != nil {
		r.overdue.Reset(e.patience) // more output may come
	}
}

// handleStatus handles the status of a request: busy or idle.
func (e *Engine) handleStatus(l *link, r *run, mine bool, m *message) {
	var status struct {
		State string `json:"execution_state"`
	}
	m.decode(&status)
	switch {
	case mine && status.State == "busy":
		e.noteProgress(l, r, false)
	case mine && status.State == "idle":
		r.idle = true
		e.progress(l, r)
	case status.State == "idle":
		e.echo(m)
		e.mu.Lock()
		defer e.mu.Unlock()
		delete(e.comms.sent, m.parent.ID)
		if w := e.waiting[m.parent.ID]; w != nil && !w.isIdle {
			w.isIdle = true
			close(w.idle)
		}
	}
}

// count returns the execution number in a message, 0 if it has none.
func (m *message) count() int {
	var counted struct {
		Count json.Number `json:"execution_count"`
	}
	m.decode(&counted)
	n, err := counted.Count.Int64()
	if err != nil || n < 0 {
		return 0
	}
	return int(n)
}
