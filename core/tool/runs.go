package tool

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/quirehq/quire/core/assist"
	"github.com/quirehq/quire/core/celltext"
	"github.com/quirehq/quire/core/command"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/replica"
)

// running returns the tools that execute code.
func running() []definition {
	return []definition{
		{name: "run_cell", class: event.ToolRuns, call: runCell, params: []param{
			{name: "cell", form: formText, required: true, about: "the id of a code or sql cell"},
			{name: "timeout", form: formInteger, about: "seconds after which the run is cancelled: 1 to 3600, 300 if it is left out"},
		}},
		{name: "interrupt", class: event.ToolRuns, call: interrupt, params: []param{
			{name: "cell", form: formText, about: "the id of the cell whose run is cancelled; left out: all runs of code that wait or execute"},
		}},
		{name: "install_package", class: event.ToolOutside, call: installPackage, params: []param{
			{name: "packages", form: formTexts, required: true, about: "names for the package manager, each with a version if one is needed, such as \"pandas==2.2\""},
		}},
	}
}

const (
	// The time after which a run is cancelled, in seconds.
	defaultTimeout = 300
	maxTimeout     = 3_600
	// endTime is how long a cancelled run may take to end before its call does.
	endTime = 10 * time.Second
)

// runCell runs a cell and waits for its end.
func runCell(ctx context.Context, s *Set, a arguments) (Result, error) {
	timeout := defaultTimeout
	if a.has["timeout"] {
		timeout = a.integers["timeout"]
	}
	if timeout < 1 || timeout > maxTimeout {
		return Result{}, fmt.Errorf("run_cell: the timeout must be between 1 and %d seconds", maxTimeout)
	}
	return s.run(ctx, a.cell("cell"), time.Duration(timeout)*time.Second)
}

// run requests a run of a cell and waits for its end. When ctx or the time ends, the run is cancelled.
func (s *Set) run(ctx context.Context, cell event.CellID, most time.Duration) (Result, error) {
	id := event.RunID(s.cfg.NewID())
	err := s.with(func(r *replica.Replica) error {
		return s.runnable(r.View(), cell)
	})
	if err != nil {
		return Result{}, err
	}
	if err := s.cfg.Session.Do(ctx, &event.RunRequested{Runs: []event.RunOf{{Run: id, Cell: cell}}}); err != nil {
		return Result{}, errors.Join(err, s.cancel(ctx, id))
	}
	s.point(cell, 0)
	timed, stop := context.WithTimeout(ctx, most)
	defer stop()
	end, waited := s.await(timed, id)
	if waited != nil {
		if err := s.cancel(ctx, id); err != nil || ctx.Err() != nil {
			return Result{}, errors.Join(waited, err)
		}
		last, stop := context.WithTimeout(ctx, endTime)
		defer stop()
		end, _ = s.await(last, id)
		end.said = fmt.Sprintf("the run took more than %v and was cancelled", most)
		end.failed = true
	}
	return s.report(cell, id, end)
}

// runnable returns the error of a cell that the agent cannot run.
func (s *Set) runnable(n *notebook.Notebook, id event.CellID) error {
	c, err := visible(n, id)
	switch {
	case err != nil:
		return err
	case c.Kind == event.KindAI && s.cfg.Cell != "":
		return fmt.Errorf("cell %s is a prompt: an assistant runs code and sql cells alone", id)
	case c.Kind == event.KindMarkdown || c.Kind == event.KindRaw:
		return fmt.Errorf("cell %s is of kind %s, which does not run", id, c.Kind)
	}
	return nil
}

// ending is how a run ended.
type ending struct {
	said   string
	failed bool
}

// await waits until a run is finished, and says how.
func (s *Set) await(ctx context.Context, id event.RunID) (end ending, err error) {
	err = s.cfg.Session.Wait(ctx, func(r *replica.Replica) bool {
		run := r.Confirmed().Run(id)
		switch {
		case run == nil:
			end = ending{"another run of the cell was requested meanwhile", false}
			return true
		case run.State != notebook.RunFinished:
			return false
		}
		end = endingOf(run)
		return true
	})
	return end, err
}

func endingOf(run *notebook.Run) ending {
	said := fmt.Sprintf("the run ended: %s, after %d ms", run.Status, run.Duration())
	if run.Reason != "" {
		said += " (" + run.Reason + ")"
	}
	return ending{said, run.Status != event.StatusOK}
}

// cancel cancels a run, also when ctx has ended.
func (s *Set) cancel(ctx context.Context, id event.RunID) error {
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), endTime)
	defer stop()
	var requested event.ID
	err := s.with(func(r *replica.Replica) error {
		run := r.View().Run(id)
		if run == nil || run.State == notebook.RunFinished {
			return nil
		}
		var err error
		requested, _, err = r.Do(&event.RunCancelled{Run: id})
		return err
	})
	var moot *notebook.Moot
	if err != nil || requested == (event.ID{}) {
		if errors.As(err, &moot) {
			return nil // the run has ended just now
		}
		return err
	}
	var refused *replica.RefusedError
	if err := s.cfg.Session.AwaitCommit(ctx, requested); err != nil && !errors.As(err, &refused) {
		return err
	}
	return nil
}

// report returns how a run ended with its outputs.
func (s *Set) report(cell event.CellID, id event.RunID, end ending) (Result, error) {
	var outputs string
	var images []assist.Image
	err := s.with(func(r *replica.Replica) error {
		n := r.Confirmed()
		c := n.Cell(cell)
		if c == nil {
			return nil
		}
		var own []event.OutputID
		for _, o := range c.Outputs {
			if out := n.Output(o); out != nil && out.Run == id {
				own = append(own, o)
			}
		}
		outputs, images = celltext.Outputs(n, own, s.outputLimit())
		return nil
	})
	if outputs == "" {
		outputs = "(no output)"
	}
	return Result{Text: end.said + "\n" + outputs, Images: images, Failed: end.failed}, err
}

func (s *Set) outputLimit() int {
	if s.cfg.Limits.Outputs > 0 {
		return s.cfg.Limits.Outputs
	}
	return 30_000
}

// interrupt cancels runs of code.
func interrupt(ctx context.Context, s *Set, a arguments) (Result, error) {
	var runs []event.RunID
	err := s.with(func(r *replica.Replica) error {
		n := r.View()
		if a.has["cell"] {
			if _, err := live(n, a.cell("cell")); err != nil {
				return err
			}
		}
		for _, id := range n.Queue() {
			run := n.Run(id)
			if run.Takes == event.TakesCode && (!a.has["cell"] || run.Cell == a.cell("cell")) {
				runs = append(runs, id)
			}
		}
		return nil
	})
	if err != nil {
		return Result{}, err
	}
	for _, id := range runs {
		if err := s.cancel(ctx, id); err != nil {
			return Result{}, err
		}
	}
	if len(runs) == 0 {
		return Result{Text: "no run waits or executes"}, nil
	}
	return Result{Text: fmt.Sprintf("cancelled %d runs", len(runs))}, nil
}

// installPackage installs packages of Python by a cell that does it, so that the notebook records its packages.
func installPackage(ctx context.Context, s *Set, a arguments) (Result, error) {
	for _, name := range a.lists["packages"] {
		if strings.HasPrefix(name, "-") || strings.ContainsAny(name, " \t\r\n;|&$`\\\"'") || name == "" {
			return Result{}, fmt.Errorf("install_package: %q is not the name of a package", name)
		}
	}
	add := &command.AddCell{CellKind: event.KindCode, Language: "python", Source: "%pip install " + strings.Join(a.lists["packages"], " ")}
	done, err := s.change(ctx, func(x *command.Executor, n *notebook.Notebook) (command.Done, error) {
		var err error
		if notebook.Language(n.Metadata()) == add.Language {
			add.Language = ""
		}
		if add.After, add.Before, err = s.place(n, ""); err != nil {
			return command.Done{}, err
		}
		return x.Do(add)
	})
	if err != nil {
		return Result{}, err
	}
	return s.run(ctx, done.Result.Cells[0], defaultTimeout*time.Second)
}
