package sqlite

import (
	"slices"
	"sync"

	"github.com/quirehq/quire/core/event"
)

// tail is the records in the journal that are not in segments yet, in memory for readers. The
// writer modifies it.
type tail struct {
	bytes int // of the writer only

	mu   sync.RWMutex
	logs map[int64][]segment // by the number of the log; lists are immutable
}

// entry is a batch in the journal.
type entry struct {
	number int64 // of the log
	segment
}

func newTail() *tail { return &tail{logs: map[int64][]segment{}} }

// after returns the segments in the tail of a log after the number.
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

// update sets the tail to the content of the journal after a commit.
func (t *tail) update(drains bool, added []entry) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if drains {
		t.logs, t.bytes = map[int64][]segment{}, 0
	}
	for _, e := range added {
		t.logs[e.number] = append(t.logs[e.number], e.segment)
		t.bytes += len(e.data)
	}
}
