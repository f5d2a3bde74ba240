package jupyter

import (
	"fmt"

	"github.com/quirehq/quire/core/lang"
)

// maxEarly is how many bytes of what a kernel says before its first run are kept for that.
const maxEarly = 4 << 20

// maxPast is how many runs are known that may have something to say when they have ended.
// Beyond that, those that have been silent for longest are forgotten.
const maxPast = 10_000

// past is the runs that have ended, by the ids of their requests, which is what the messages
// name that come of them later. It is owned by the goroutine that handles what comes.
type past struct {
	runs  map[string]*run
	order []string        // the oldest first
	spoke map[string]bool // has had something to say since it was looked at
	last  *run
	early []*message // that came before the first run, which gets them
	held  int        // about how many bytes they have
	left  int        // messages that were left out
}

// hold keeps a message for the first run.
func (p *past) hold(m *message) {
	const overhead = 512 // of a message
	if p.held+m.size+overhead > maxEarly {
		p.left++
		return
	}
	p.held += m.size + overhead
	p.early = append(p.early, m)
}

// giveEarly gives the first run what came before it.
func (p *past) giveEarly(r *run) {
	for _, m := range p.early {
		r.deliver(m, false)
	}
	if p.left > 0 {
		r.sink.Stream(lang.Stderr, fmt.Sprintf("[%d messages were left out that the kernel sent before its first run]\n", p.left))
	}
	p.early, p.held, p.left = nil, 0, 0
}

// add notes a run that has ended. Of it only what can take late output is kept.
func (p *past) add(r *run) {
	if p.runs == nil {
		p.runs, p.spoke = map[string]*run{}, map[string]bool{}
	}
	p.last = &run{id: r.id, sink: r.sink, over: true}
	p.runs[r.id] = p.last
	p.order = append(p.order, r.id)
	for len(p.runs) > maxPast {
		oldest := p.order[0]
		p.order = p.order[1:]
		if p.spoke[oldest] {
			delete(p.spoke, oldest)
			p.order = append(p.order, oldest)
			continue
		}
		delete(p.runs, oldest)
	}
}

// of returns the run that a request made, or else the one that goes on, or else the last.
func (p *past) of(request string, current *run) *run {
	if r := p.runs[request]; r != nil {
		p.spoke[request] = true
		return r
	}
	if current != nil {
		return current
	}
	return p.last
}

// parent returns the id of the request that a message comes of. What a message over a comm
// sets off is of the run that has opened the comm.
func (e *Engine) parent(m *message) string {
	if m.parent.Type != "comm_msg" {
		return m.parent.ID
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.comms.sent[m.parent.ID]
}
