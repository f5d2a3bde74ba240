package jupyter

import (
	"encoding/json"
	"fmt"

	"github.com/quirehq/quire/core/lang"
)

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

// isClosed reports whether the engine was closed.
func (e *Engine) isClosed() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.closed
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

// maxEarly bounds the bytes of messages that are kept for the first run.
const maxEarly = 4 << 20

// endedRuns finds the run that late output belongs to, by the id of the request that the
// message names as its parent. The goroutine of handle owns it.
type endedRuns struct {
	recent  lang.Recent[string, *run]
	last    *run
	early   []*message // that came before the first run, which gets them
	held    int        // estimate of their bytes
	dropped int        // messages beyond the bound
}

// hold keeps a message for the first run.
func (p *endedRuns) hold(m *message) {
	const overhead = 512 // of a message
	if p.held+m.size+overhead > maxEarly {
		p.dropped++
		return
	}
	p.held += m.size + overhead
	p.early = append(p.early, m)
}

// deliverEarly delivers to the first run the messages that came before it.
func (p *endedRuns) deliverEarly(r *run) {
	for _, m := range p.early {
		r.deliver(m, false)
	}
	if p.dropped > 0 {
		r.sink.Stream(lang.Stderr, fmt.Sprintf("[%d messages were left out that the kernel sent before its first run]\n", p.dropped))
	}
	p.early, p.held, p.dropped = nil, 0, 0
}

// add remembers a run that has ended, without the parts that late output does not need.
func (p *endedRuns) add(r *run) {
	p.last = &run{id: r.id, sink: r.sink, over: true}
	p.recent.Add(r.id, p.last)
}

// find returns the run of a request, or else the current one, or else the last.
func (p *endedRuns) find(request string, current *run) *run {
	if r, ok := p.recent.Find(request); ok {
		return r
	}
	if current != nil {
		return current
	}
	return p.last
}

// parent returns the id of the request that a message belongs to. The effect of a comm message
// belongs to the run that opened the comm.
func (e *Engine) parent(m *message) string {
	if m.parent.Type != "comm_msg" {
		return m.parent.ID
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.comms.sent[m.parent.ID]
}
