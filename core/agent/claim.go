package agent

import (
	"context"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/replica"
)

// claim waits for a run that the log gives to this runtime, and to no other, and
// returns it. It returns errIdle when there was none, and no company, for too long.
func (a *Agent) claim(ctx context.Context) (run notebook.Run, err error) {
	given := func(r *replica.Replica) bool {
		a.noteCompany(r)
		return a.given(r, &run)
	}
	if a.cfg.Idle == 0 {
		return run, a.session.Wait(ctx, given)
	}
	for {
		limited, cancel := context.WithTimeout(ctx, a.cfg.Idle-a.cfg.Now().Sub(a.active))
		err := a.session.Wait(limited, given)
		ended := limited.Err() != nil
		cancel()
		if err == nil || ctx.Err() != nil || !ended {
			return run, err
		}
		if a.noteCompanyNow(); a.cfg.Now().Sub(a.active) >= a.cfg.Idle {
			return run, errIdle
		}
	}
}

// given returns the run that the log has given to this runtime and that it has not
// finished. That its end may be pending the view knows.
func (a *Agent) given(r *replica.Replica, run *notebook.Run) bool {
	if a.over(r) != nil {
		return false
	}
	book := r.Confirmed()
	for _, id := range book.Queue() {
		held := book.Run(id)
		if held.State != notebook.RunAssigned || held.Epoch != a.epoch {
			continue
		}
		if seen := r.View().Run(id); seen == nil || seen.State != notebook.RunAssigned {
			continue
		}
		*run = *held
		a.elsewhere = book.OutputSize(held.Cell)
		run.Language = a.language(book, held.Language, held.Cell)
		return true
	}
	return false
}

// noteCompany notes whether there is company: whoever is here, or has just left, may
// be about to run something.
func (a *Agent) noteCompany(r *replica.Replica) {
	had := a.company
	a.company = a.hasCompany(r)
	if had || a.company {
		a.active = a.cfg.Now()
	}
}

func (a *Agent) noteCompanyNow() {
	_ = a.session.With(func(r *replica.Replica) error {
		a.noteCompany(r)
		return nil
	})
}

// language returns the language that a source of a cell is in, which it may name.
func (a *Agent) language(book *notebook.Notebook, named string, cell event.CellID) string {
	if named != "" {
		return named
	}
	if c := book.Cell(cell); c != nil && c.Kind == event.KindSQL {
		return "sql"
	}
	return a.cfg.Language
}
