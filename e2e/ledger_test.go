package e2e_test

import (
	"fmt"
	"maps"
	"sync"
	"testing"

	"github.com/quirehq/quire/core/event"
)

// ledger is what clients were shown of one log: the events that were acknowledged.
type ledger struct {
	mu    sync.Mutex
	acked map[event.ID]event.Seq
	twice []string // events that were shown with two numbers
}

func newLedger() *ledger { return &ledger{acked: map[event.ID]event.Seq{}} }

// note remembers events that a client was shown.
func (l *ledger) note(events []event.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range events {
		if seq, ok := l.acked[e.ID]; ok && seq != e.Seq {
			l.twice = append(l.twice, fmt.Sprintf("%s as %d and %d", e.ID, seq, e.Seq))
		}
		l.acked[e.ID] = e.Seq
	}
}

// shown returns where the events stood that were shown until now.
func (l *ledger) shown() map[event.ID]event.Seq {
	l.mu.Lock()
	defer l.mu.Unlock()
	return maps.Clone(l.acked)
}

// verify wants all that had been shown, before the log was read, to be in the log
// where it was shown.
func (l *ledger) verify(t *testing.T, shown, log map[event.ID]event.Seq) {
	t.Helper()
	for id, seq := range shown {
		if log[id] != seq {
			t.Errorf("event %s was acknowledged as %d and is %d in the log", id, seq, log[id])
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, twice := range l.twice {
		t.Errorf("acknowledged twice: event %s", twice)
	}
}
