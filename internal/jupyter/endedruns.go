package jupyter

import (
	"fmt"

	"github.com/quirehq/quire/core/lang"
)

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
