package sqlite

import (
	"slices"
	"sync"

	"github.com/quirehq/quire/core/event"
)

// tail is the records that are in the journal and not in segments yet, in memory
// for those who read. The writer changes it.
type tail struct {
	bytes int // the writer's own

	mu   sync.RWMutex
	logs map[int64][]segment // by the number of the log; what is in a list stays as it is
}

// entry is a batch in the journal.
type entry struct {
	number int64 // of the log
	segment
}

func newTail() *tail { return &tail{logs: map[int64][]segment{}} }

// after returns what the tail of a log has after the number.
func (t *tail) after(number int64, seq event.Seq) []segment {
	t.mu.RLock()
	list := t.logs[number]
	t.mu.RUnlock()
	i, _ := slices.BinarySearchFunc(list, seq, func(s segment, seq event.Seq) int {
		if s.last <= seq {
			return -1
		}
		return 1
	})
	return list[i:]
}

// last returns the last number in the tail of a log, 0 if it is empty.
func (t *tail) last(number int64) event.Seq {
	t.mu.RLock()
	defer t.mu.RUnlock()
	list := t.logs[number]
	if len(list) == 0 {
		return 0
	}
	return list[len(list)-1].last
}

// turn makes the tail that which a commit has left in the journal.
func (t *tail) turn(settled bool, added []entry) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if settled {
		t.logs, t.bytes = map[int64][]segment{}, 0
	}
	for _, e := range added {
		t.logs[e.number] = append(t.logs[e.number], e.segment)
		t.bytes += len(e.data)
	}
}
