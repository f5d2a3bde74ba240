package localrun

import (
	"sync"
	"time"
)

// How often a file is written while its cells run: at most once a second when cells have ended,
// and now and then while one runs. A write that takes long is not repeated before the runs
// had most of the time.
const (
	saveEnded   = time.Second
	savePrinted = 20 * time.Second
	saveShare   = 20 // of the time, one part is for writing
)

// Saver writes the file of a run while it goes on, so its results are there when the process is
// killed. The write at the end is up to the caller.
type Saver struct {
	save func() error

	running sync.WaitGroup
	quit    chan struct{}
	ended   chan struct{} // a cell has ended; holds one
	printed chan struct{} // something else has changed; holds one
}

// StartSaver returns a saver that calls save, until Close.
func StartSaver(save func() error) *Saver {
	s := &Saver{save: save, quit: make(chan struct{}), ended: make(chan struct{}, 1), printed: make(chan struct{}, 1)}
	s.running.Go(s.run)
	return s
}

// Changed notes that there is something to write: a cell that has ended, or less.
func (s *Saver) Changed(ended bool) {
	if s == nil {
		return
	}
	to := s.printed
	if ended {
		to = s.ended
	}
	select {
	case to <- struct{}{}:
	default: // it is known
	}
}

// Close ends it, after a write that is under way.
func (s *Saver) Close() {
	if s == nil {
		return
	}
	close(s.quit)
	s.running.Wait()
}

// run writes when there is a change and it is time for that. A write that fails is repeated at
// the end, which reports the error.
func (s *Saver) run() {
	last, took := time.Now().Add(-saveEnded), time.Duration(0)
	var due time.Time // zero while there is nothing to write
	timer := time.NewTimer(0)
	defer timer.Stop()
	<-timer.C
	for {
		pace := saveEnded
		select {
		case <-s.ended:
		case <-s.printed:
			pace = savePrinted
		case <-timer.C:
			began := time.Now()
			_ = s.save()
			last, due = time.Now(), time.Time{}
			took = last.Sub(began)
			continue
		case <-s.quit:
			return
		}
		if at := last.Add(max(pace, saveShare*took)); due.IsZero() || at.Before(due) {
			due = at
			timer.Reset(time.Until(due))
		}
	}
}
