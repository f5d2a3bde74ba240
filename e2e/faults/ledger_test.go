//go:build linux

package faults_test

import (
	"fmt"
	"sync"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/replica"
)

// ledger is what the clients of one notebook know of its log: what they have stated,
// what they were shown, and what was refused.
type ledger struct {
	mu     sync.Mutex
	shown  map[event.ID]event.Seq
	stated map[event.ID]event.Type
	killed map[event.ClientID]bool // clients that are gone with what they had pending
	no     map[event.ID]replica.Refusal
	wrong  []string
}

func newLedger() *ledger {
	return &ledger{
		shown: map[event.ID]event.Seq{}, stated: map[event.ID]event.Type{},
		killed: map[event.ClientID]bool{}, no: map[event.ID]replica.Refusal{},
	}
}

// state remembers an event that a client made.
func (l *ledger) state(id event.ID, t event.Type) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stated[id] = t
}

// kill remembers that a client is gone.
func (l *ledger) kill(id event.ClientID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.killed[id] = true
}

// isKilled reports whether a client is gone.
func (l *ledger) isKilled(id event.ClientID) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.killed[id]
}

// note remembers what a client was shown, and what was refused.
func (l *ledger) note(r *replica.Replica, up replica.Update) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range up.Committed {
		if seq, ok := l.shown[e.ID]; ok && seq != e.Seq {
			l.wrong = append(l.wrong, fmt.Sprintf("event %s was acknowledged as %d and as %d", e.ID, seq, e.Seq))
		}
		l.shown[e.ID] = e.Seq
	}
	for _, no := range r.Refused() {
		l.no[no.ID] = no
		if no.Code != protocol.CodeConflict && no.Code != protocol.CodeNotFound {
			l.wrong = append(l.wrong, fmt.Sprintf("the room refused %s (%s): %s", no.Draft.Payload.Type(), no.Code, no.Message))
		}
	}
}

// verify says what of all this does not fit the log.
func (l *ledger) verify(log map[event.ID]event.Seq) []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	wrong := l.wrong
	for id, seq := range l.shown {
		if log[id] != seq {
			wrong = append(wrong, fmt.Sprintf("event %s was acknowledged as %d, and is %d in the log", id, seq, log[id]))
		}
	}
	stored, stated := map[event.ClientID]int{}, map[event.ClientID]int{}
	for id := range log {
		stored[id.Client]++
	}
	for id, t := range l.stated {
		_, refused := l.no[id]
		if !refused {
			stated[id.Client]++
		} else if log[id] > 0 {
			wrong = append(wrong, fmt.Sprintf("event %s (%s) was refused, and is %d in the log", id, t, log[id]))
		}
	}
	for client, n := range stated {
		if got := stored[client]; got > n || got < n && !l.killed[client] {
			wrong = append(wrong, fmt.Sprintf("%d events of client %s are stored, and %d that it stated were not refused", got, client, n))
		}
	}
	return wrong
}

// times returns how often, at least and at most, the log should have what an event did.
// A replica numbers an event anew when it was refused and nobody heard of it, and those
// behind it: so one that was not refused is there, if not always under its first id.
func (l *ledger) times(id event.ID, log map[event.ID]event.Seq) (least, most int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, refused := l.no[id]
	switch {
	case refused:
		return 0, 0
	case log[id] == 0 && l.killed[id.Client]:
		return 0, 1
	}
	return 1, 1
}
