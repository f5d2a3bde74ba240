package main

import (
	"sync"
	"time"

	"github.com/quirehq/quire/internal/file"
)

// How often a file is written while its cells run: at most once a second when cells have ended,
// and now and then while one runs. A write that takes long is not repeated before the runs
// had most of the time.
const (
	saveEnded   = time.Second
	savePrinted = 20 * time.Second
	saveShare   = 20 // of the time, one part is for writing
)

// saver writes the file of a run while it goes on, so that what was done is there when the
// process is killed. The write at the end is not its own.
type saver struct {
	save func() error

	running sync.WaitGroup
	quit    chan struct{}
	ended   chan struct{} // a cell has ended; holds one
	printed chan struct{} // something else has changed; holds one
}

// newSaver returns the saver of a run, nil if the file cannot be written again and again.
func (a *app) newSaver(s *localRun, name string, o runOptions) *saver {
	out := outputFile(name, o)
	if out == "-" || !file.Regular(out) {
		return nil
	}
	return startSaver(func() error { return a.saveRun(s, out, o) })
}

// startSaver returns a saver that calls save, until close.
func startSaver(save func() error) *saver {
	s := &saver{save: save, quit: make(chan struct{}), ended: make(chan struct{}, 1), printed: make(chan struct{}, 1)}
	s.running.Go(s.run)
	return s
}

// changed notes that there is something to write: a cell that has ended, or less.
func (s *saver) changed(ended bool) {
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

// close ends it, after a write that is under way.
func (s *saver) close() {
	if s == nil {
		return
	}
	close(s.quit)
	s.running.Wait()
}

// run writes when there is something to write and it is time for that. What cannot be written
// now is tried at the end, which says why.
func (s *saver) run() {
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
