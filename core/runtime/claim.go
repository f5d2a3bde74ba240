package runtime

import (
	"context"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/replica"
)

// claim waits for a run that the log assigns to this runtime, and returns it. It returns
// errIdle when there was neither a run nor a connected user for the idle time.
func (rt *Runtime) claim(ctx context.Context) (run notebook.Run, err error) {
	given := func(r *replica.Replica) bool {
		rt.noteUsers(r)
		return rt.assigned(r, &run)
	}
	if rt.cfg.Idle == 0 {
		return run, rt.session.Wait(ctx, given)
	}
	for {
		limited, cancel := context.WithTimeout(ctx, rt.cfg.Idle-rt.cfg.Now().Sub(rt.active))
		err := rt.session.Wait(limited, given)
		ended := limited.Err() != nil
		cancel()
		if err == nil || ctx.Err() != nil || !ended {
			return run, err
		}
		if rt.noteUsersNow(); rt.cfg.Now().Sub(rt.active) >= rt.cfg.Idle {
			return run, errIdle
		}
	}
}

// assigned returns the run that the log has assigned to this runtime and that it has not
// finished. It asks the view too, in which the end of the run may be pending.
func (rt *Runtime) assigned(r *replica.Replica, run *notebook.Run) bool {
	if rt.whyOver(r) != nil {
		return false
	}
	book := r.Confirmed()
	for _, id := range book.Queue() {
		held := book.Run(id)
		if held.State != notebook.RunAssigned || held.Epoch != rt.epoch {
			continue
		}
		if seen := r.View().Run(id); seen == nil || seen.State != notebook.RunAssigned {
			continue
		}
		*run = *held
		rt.elsewhere = book.OutputSize(held.Cell)
		run.Language = rt.language(book, held.Language, held.Cell)
		return true
	}
	return false
}

// noteUsers notes whether users are connected: a user who is connected, or has just left,
// may be about to run a cell.
func (rt *Runtime) noteUsers(r *replica.Replica) {
	had := rt.hasUsers
	rt.hasUsers = rt.usersConnected(r)
	if had || rt.hasUsers {
		rt.active = rt.cfg.Now()
	}
}

func (rt *Runtime) noteUsersNow() {
	_ = rt.session.With(func(r *replica.Replica) error {
		rt.noteUsers(r)
		return nil
	})
}

// language returns the language of a source: the named one, if any, else that of its cell.
func (rt *Runtime) language(book *notebook.Notebook, named string, cell event.CellID) string {
	if named != "" {
		return named
	}
	if c := book.Cell(cell); c != nil && c.Kind == event.KindSQL {
		return "sql"
	}
	return rt.cfg.Language
}
