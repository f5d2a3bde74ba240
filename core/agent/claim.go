package agent

import (
	"context"
	"time"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/replica"
)

// claim waits for a run, and returns one that the log gives to this runtime and to
// no other.
func (a *Agent) claim(ctx context.Context) (notebook.Run, error) {
	for {
		if err := a.await(ctx); err != nil {
			return notebook.Run{}, err
		}
		run, err := a.assign(ctx)
		if err != nil || run.ID != "" {
			return run, err
		}
	}
}

// await returns when there is a run to take, and with errIdle when there was none,
// and no company, for too long.
func (a *Agent) await(ctx context.Context) error {
	if a.cfg.Idle == 0 {
		return a.session.Wait(ctx, a.hasWork)
	}
	for {
		limited, cancel := context.WithDeadline(ctx, a.active.Add(a.cfg.Idle))
		err := a.session.Wait(limited, a.hasWork)
		ended := limited.Err() != nil
		cancel()
		if err == nil || ctx.Err() != nil || !ended {
			return err
		}
		if a.hasCompanyNow(); time.Since(a.active) >= a.cfg.Idle {
			return errIdle
		}
	}
}

// hasWork reports whether there is a run to take, and notes whether there is
// company: whoever is here, or has just left, may be about to run something.
func (a *Agent) hasWork(r *replica.Replica) bool {
	had := a.company
	a.company = a.hasCompany(r)
	if had || a.company {
		a.active = time.Now()
	}
	return a.next(r) != ""
}

func (a *Agent) hasCompanyNow() {
	_ = a.session.With(func(r *replica.Replica) error {
		a.hasWork(r)
		return nil
	})
}

// next returns the run that is to be taken next. It looks at the view, in which
// the run that this runtime has just finished is finished.
func (a *Agent) next(r *replica.Replica) event.RunID {
	if a.over(r) != nil {
		return ""
	}
	view := r.View()
	for _, id := range view.Queue() {
		if run := view.Run(id); run.State == notebook.RunPending && run.Takes == event.TakesCode {
			return id
		}
	}
	return ""
}

// assign asks for the next run, and returns it once the log says that this runtime
// has it. The run has no id if it went to nobody, as when it was cancelled.
func (a *Agent) assign(ctx context.Context) (run notebook.Run, err error) {
	var claim event.ID
	var want event.RunID
	err = a.session.With(func(r *replica.Replica) error {
		if want = a.next(r); want == "" {
			return nil
		}
		claim, err = a.out.stateWith(r, &event.RunAssigned{Run: want, Epoch: a.epoch})
		return err
	})
	if err != nil || want == "" {
		return run, err
	}
	err = a.session.Wait(ctx, func(r *replica.Replica) bool {
		if r.IsPending(claim) {
			return false
		}
		book := r.Confirmed()
		if held := book.Run(want); held != nil && held.State == notebook.RunAssigned && held.Epoch == a.epoch {
			run = *held
			run.Language = a.language(book, held.Language, held.Cell)
		}
		return true
	})
	return run, err
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
