package main

import "github.com/quirehq/quire/host/terminal"

// tally counts how the runs of a request ended.
type tally struct {
	total  int // that were requested
	failed int // that ran, and did not end well
	unrun  int // that never ran, since one before them failed or a user stopped them
}

func (t *tally) add(o terminal.Outcome) {
	switch {
	case o.IsUnrun():
		t.unrun++
	case o.IsBad():
		t.failed++
	}
}

// verdict returns the error for runs that did not end well, nil if all did.
func (t *tally) verdict() error {
	were := "were"
	if t.unrun == 1 {
		were = "was"
	}
	switch {
	case t.failed > 0 && t.unrun > 0:
		return fail(exitFailed, "%d of %d cells did not succeed, and %d %s not run", t.failed, t.total, t.unrun, were)
	case t.failed > 0:
		return fail(exitFailed, "%d of %d cells did not succeed", t.failed, t.total)
	case t.unrun > 0:
		return fail(exitFailed, "%d of %d cells %s not run", t.unrun, t.total, were)
	}
	return nil
}
