package lang

// maxRecent bounds the runs that [Recent] remembers.
const maxRecent = 10_000

// Recent remembers runs after their end, because threads, tasks and processes that they started
// may still have output. Beyond a bound it evicts the oldest run without output since the last
// look at it, so a run that keeps printing stays. It has one user at a time. The zero value is
// empty.
type Recent[ID comparable, Run any] struct {
	runs    map[ID]Run
	order   []ID        // of the runs; the next one to look at first
	printed map[ID]bool // since the last look
}

// Add remembers a run.
func (r *Recent[ID, Run]) Add(id ID, run Run) {
	if r.runs == nil {
		r.runs, r.printed = map[ID]Run{}, map[ID]bool{}
	}
	r.runs[id] = run
	r.order = append(r.order, id)
	for len(r.runs) > maxRecent {
		oldest := r.order[0]
		r.order = r.order[1:]
		if r.printed[oldest] {
			delete(r.printed, oldest)
			r.order = append(r.order, oldest)
			continue
		}
		delete(r.runs, oldest)
	}
}

// Find returns the run that has output now, if it is remembered.
func (r *Recent[ID, Run]) Find(id ID) (run Run, ok bool) {
	run, ok = r.runs[id]
	if ok {
		r.printed[id] = true
	}
	return run, ok
}
