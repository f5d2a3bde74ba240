package terminal

// Tally counts how the runs of a request ended.
type Tally struct {
	Total  int // that were requested
	failed int // that ran, and did not end well
	unrun  int // that never ran, since one before them failed or a user stopped them
}

// Add counts the end of a run.
func (t *Tally) Add(o Outcome) {
	switch {
	case o.IsUnrun():
		t.unrun++
	case o.IsBad():
		t.failed++
	}
}

// Verdict returns the error for runs that did not end well, nil if all did.
func (t *Tally) Verdict() error {
	were := "were"
	if t.unrun == 1 {
		were = "was"
	}
	switch {
	case t.failed > 0 && t.unrun > 0:
		return Fail(Failed, "%d of %d cells did not succeed, and %d %s not run", t.failed, t.Total, t.unrun, were)
	case t.failed > 0:
		return Fail(Failed, "%d of %d cells did not succeed", t.failed, t.Total)
	case t.unrun > 0:
		return Fail(Failed, "%d of %d cells %s not run", t.unrun, t.Total, were)
	}
	return nil
}
