package jupyter

import "encoding/json"

// handle handles what comes from the kernel, one after another, until it has ended.
// All that a run does to its sink happens here.
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

// current returns the run that goes on and that the kernel was told of, if there is one.
func (e *Engine) current() *run {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.run == nil || e.run.id == "" {
		return nil
	}
	return e.run
}

// handleText shows what was written outside the protocol: with the run that goes on, or else
// with the last. What a kernel says of its own end is of none.
func (e *Engine) handleText(i *item) {
	e.words.add(i.stream, i.text)
	r := e.current()
	if r == nil {
		r = e.past.last
	}
	if r != nil && !e.config.Kernel.isIPykernel() && !e.isClosed() {
		r.sink.Stream(i.stream, i.text)
		e.heard()
	}
}

// heard says that something came, to who waits for the end.
func (e *Engine) heard() {
	if d := e.draining.Load(); d != nil {
		d.Heard()
	}
}

func (e *Engine) handleMessage(l *link, m *message) {
	r := e.current()
	mine := r != nil && m.parent.ID == r.id
	switch m.channel {
	case iopub:
		e.published(l, r, mine, m)
	case stdin:
		if mine && m.header.Type == "input_request" {
			e.reach(l, r, true)
			r.asking.put(m)
		}
	case shell, control:
		if mine && m.header.Type == "execute_reply" {
			r.reply = m
			e.progress(l, r)
		} else {
			e.replied(l, r, m)
		}
	}
}

// replied gives a reply to who waits for it.
func (e *Engine) replied(l *link, r *run, m *message) {
	e.mu.Lock()
	w := e.waiting[m.parent.ID]
	settles := r != nil && r.settling[m.parent.ID]
	if settles {
		delete(r.settling, m.parent.ID)
	}
	e.mu.Unlock()
	if w != nil {
		select {
		case w.replied <- result{message: m}:
		default:
		}
	}
	if settles {
		e.progress(l, r)
	}
}

// published handles what the kernel tells everybody.
func (e *Engine) published(l *link, r *run, mine bool, m *message) {
	if m.header.Type == "status" {
		e.stated(l, r, mine, m)
		return
	}
	if m.parent.Type == "comm_msg" {
		e.echo(m)
	}
	if said, ok := commMessage(m); ok {
		e.saidOver(r, m, said)
		return
	}
	if mine {
		e.reach(l, r, m.header.Type != "execute_input")
	}
	if m.header.Type == "execute_input" {
		if mine {
			r.count = m.count()
		}
		return
	}
	of := r
	if !mine {
		of = e.past.of(e.parent(m), r)
	}
	if of == nil {
		e.past.hold(m)
		return
	}
	of.deliver(m, mine)
	e.heard()
	if of == r && r.overdue != nil {
		r.overdue.Reset(e.patience) // it has more to say
	}
}

// stated handles that the kernel is busy or idle with a request.
func (e *Engine) stated(l *link, r *run, mine bool, m *message) {
	var status struct {
		State string `json:"execution_state"`
	}
	m.decode(&status)
	switch {
	case mine && status.State == "busy":
		e.reach(l, r, false)
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

// count returns the number of the execution that a message is of, 0 if it has none.
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
