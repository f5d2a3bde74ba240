//go:build linux

package faults_test

import (
	"math/rand/v2"
	"sync"
	"time"
)

// cut breaks the links of a notebook in one of the ways in which networks break, and
// says in which, when that is over. What is left half open is found out by neither
// side but by its own patience.
func (n *network) cut(notebook string, draw int, lasts time.Duration) string {
	links := n.linksOf(notebook)
	up := draw/7%2 == 0
	switch draw % 7 {
	case 0:
		eachLink(links, (*link).reset)
		return "reset"
	case 1:
		eachLink(links, func(l *link) { l.way(up).allow(int64(draw % 3_000)) })
		return "cut within a message"
	case 2:
		n.hold(links, lasts, (*link).leave, (*link).leave)
		return "half open"
	case 3:
		n.hold(links, lasts, (*link).leave, (*link).reset)
		return "half open and reset"
	case 4:
		n.deafen(links, lasts)
		return "unanswered and reset"
	case 5:
		half := func(l *link) { _ = l.server.Close() }
		if up {
			half = func(l *link) { _ = l.client.Close() }
		}
		n.hold(links, lasts, half, (*link).close)
		return "half closed"
	default:
		n.setDown(notebook, 1)
		eachLink(links, (*link).close)
		time.Sleep(lasts)
		n.setDown(notebook, -1)
		return "outage"
	}
}

// slow delays all that passes between a notebook and others for some time.
func (n *network) slow(notebook string, delay, lasts time.Duration) {
	n.setDelay(notebook, delay)
	time.Sleep(lasts)
	n.setDelay(notebook, 0)
}

func (n *network) setDelay(notebook string, d time.Duration) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.linesLocked(notebook).delay = d
}

// delay returns how long something that passes is on its way now.
func (n *network) delay(notebook string) time.Duration {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.linesLocked(notebook).delay + rand.N(2*time.Millisecond)
}

func (n *network) setDown(notebook string, by int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.linesLocked(notebook).down += by
}

// hold lets nothing pass for some time.
func (n *network) hold(links []*link, d time.Duration, before, after func(*link)) {
	var holding sync.WaitGroup
	for _, l := range links {
		holding.Go(func() {
			l.up.gate.Lock()
			l.down.gate.Lock()
			n.note(l, func() { l.held++ })
			before(l)
			time.Sleep(d)
			n.note(l, func() { l.held-- })
			l.down.gate.Unlock()
			l.up.gate.Unlock()
			after(l)
		})
	}
	holding.Wait()
}

// deafen lets nothing come back for some time, in which the server takes what it is
// sent, and then nobody hears of that.
func (n *network) deafen(links []*link, d time.Duration) {
	var holding sync.WaitGroup
	for _, l := range links {
		holding.Go(func() {
			l.down.gate.Lock()
			n.note(l, func() { l.held++ }) // for good
			time.Sleep(d)
			l.reset()
			l.down.gate.Unlock()
		})
	}
	holding.Wait()
}

func eachLink(links []*link, f func(*link)) {
	for _, l := range links {
		f(l)
	}
}
