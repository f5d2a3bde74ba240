package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"

	"github.com/quirehq/quire/core/command"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/replica"
	"github.com/quirehq/quire/core/view"
)

// Config has the dependencies of a host. All are required.
type Config struct {
	Replica *replica.Replica
	// Dial opens a connection to the notebook's room, as for a session.
	Dial func(context.Context) (protocol.Conn, error)
	// Changed is called when there may be changes for a page to take, or for the browser to
	// store. It must not block, and must not call the host.
	Changed func()
	// NewID returns an unused name for a cell or a run.
	NewID func() string
}

// Host is a replica with its pages. Its methods may be called from any goroutine.
type Host struct {
	cfg     Config
	session *replica.Session

	// The session guards the fields below: they are used within its With and Updated only.
	views *view.Pages
	pages map[int]*page
	runs  map[event.RunID]*page // the pages that requested the runs that have not ended
	last  int                   // the number of the last page
	link  view.Link
	here  *protocol.Presence // of the user of this browser
	told  bool               // it was sent on this connection
}

// page is an open page with the executor of its user's commands.
type page struct {
	*view.Page
	executor *command.Executor
}

// New returns a host that connects once Run is called.
func New(cfg Config) *Host {
	h := &Host{cfg: cfg, views: view.NewPages(), pages: map[int]*page{}, runs: map[event.RunID]*page{}}
	h.views.Receive(cfg.Replica, replica.Update{})
	h.session = replica.NewSession(replica.SessionConfig{
		Dial: cfg.Dial, Replica: cfg.Replica, Updated: h.updated, Trouble: h.trouble,
	})
	return h
}

// Run keeps the replica connected until ctx ends or the server refuses it for good.
func (h *Host) Run(ctx context.Context) error {
	err := h.session.Run(ctx)
	var closed *protocol.Closed
	if errors.As(err, &closed) {
		h.setLink(func(l *view.Link) { l.Closed = closed })
	}
	return err
}

// Keep keeps the replica connected until ctx ends. After a final refusal of the server it connects
// again when [Host.Retry] is called, because a deleted notebook may have been restored.
func (h *Host) Keep(ctx context.Context) {
	for {
		_ = h.Run(ctx)
		if h.session.WaitRetry(ctx) != nil {
			return
		}
	}
}

// updated applies the changes of a message of the room to the pages.
func (h *Host) updated(r *replica.Replica, u replica.Update) {
	h.views.Receive(r, u)
	h.reportEdits(u)
	if r.Online() {
		h.link.Trouble, h.link.Closed = "", nil
		h.tell(r)
	}
	h.cfg.Changed()
}

// reportEdits reports the edits of others to the executors of commands. A source that a program
// offered is undone through the executor that requested its run.
func (h *Host) reportEdits(u replica.Update) {
	for _, p := range h.pages {
		for _, e := range u.Edits {
			if h.runs[e.Run] == p {
				p.executor.Offered(e)
			} else {
				p.executor.Rebase(e.Cell, e.Edit)
			}
		}
	}
	for _, made := range u.Made {
		if p := h.runs[made.Run]; p != nil {
			p.executor.OfferedCell(made.Cell)
		}
	}
}

// requested remembers the pages that requested runs, and drops runs that have ended.
func (h *Host) requested(r *replica.Replica, at *page, runs []event.RunID) {
	if len(runs) == 0 {
		return
	}
	maps.DeleteFunc(h.runs, func(id event.RunID, _ *page) bool {
		run := r.View().Run(id)
		return run == nil || run.State == notebook.RunFinished
	})
	for _, id := range runs {
		h.runs[id] = at
	}
}

// tell sends the presence of the user once on each connection. The user may have set it before the
// replica was connected, because a page can be used as soon as it is shown.
func (h *Host) tell(r *replica.Replica) {
	if h.here != nil && !h.told {
		r.SetPresence(*h.here)
	}
	h.told = true
}

func (h *Host) trouble(err error) {
	h.setLink(func(l *view.Link) {
		l.Trouble = err.Error()
		h.told = false
	})
}

// setLink changes the state of the connection and of the storage that pages show.
func (h *Host) setLink(f func(*view.Link)) {
	_ = h.session.With(func(*replica.Replica) error {
		f(&h.link)
		return nil
	})
	h.cfg.Changed()
}

// Open adds a page, and returns its number. Seen is the number of the log up to which the page already
// shows the notebook, 0 if it shows nothing. The page gets no older state, unless there is no
// connection.
func (h *Host) Open(seen event.Seq) (number int) {
	_ = h.session.With(func(r *replica.Replica) error {
		h.last++
		number = h.last
		p := h.views.Open()
		p.Seen(seen)
		h.pages[number] = &page{Page: p, executor: command.NewExecutor(r, h.cfg.NewID)}
		return nil
	})
	h.cfg.Changed()
	return number
}

// Close removes a page.
func (h *Host) Close(number int) {
	_ = h.at(number, func(_ *replica.Replica, p *page) error {
		h.views.Close(p.Page)
		delete(h.pages, number)
		return nil
	})
}

// at calls f with the replica and a page.
func (h *Host) at(number int, f func(*replica.Replica, *page) error) error {
	return h.session.With(func(r *replica.Replica) error {
		p := h.pages[number]
		if p == nil {
			return fmt.Errorf("there is no page %d", number)
		}
		return f(r, p)
	})
}

// Take returns the JSON of the changes for a page since its last Take, nil if there are none. A page
// should take at most once a frame.
func (h *Host) Take(number int) (data []byte, err error) {
	err = h.at(number, func(r *replica.Replica, p *page) error {
		if b := p.Take(r, h.link); b != nil {
			data, err = json.Marshal(b)
		}
		return err
	})
	return data, err
}

// Pressing reports whether a page has changes other than the state of the connection: that may be
// shown a moment later, together with the next changes.
func (h *Host) Pressing(number int) (pressing bool) {
	_ = h.at(number, func(r *replica.Replica, p *page) error {
		pressing = p.Pressing(r.View())
		return nil
	})
	return pressing
}

// Command executes a command of a page, which is JSON, and returns the JSON of its result.
func (h *Host) Command(number int, data []byte) ([]byte, error) {
	order, err := command.Decode(data)
	if err != nil {
		return nil, err
	}
	var result []byte
	err = h.at(number, func(r *replica.Replica, p *page) error {
		done, err := p.executor.Do(order)
		h.did(r, p, done, command.By(order))
		h.requested(r, p, done.Result.Runs)
		if err != nil {
			return err
		}
		result, err = json.Marshal(done.Result)
		return err
	})
	return result, err
}

// Push applies edits of an editor, and reports whether it did: that acknowledges them, and the page is
// not sent its own edits. An editor that is behind must apply the updates that are on their way, and
// push again.
func (h *Host) Push(number int, data []byte) (bool, error) {
	var push view.TextPush
	if err := json.Unmarshal(data, &push); err != nil {
		return false, fmt.Errorf("read push: %w", err)
	}
	err := h.at(number, func(r *replica.Replica, p *page) error {
		if err := h.views.Check(r, &push); err != nil {
			return err
		}
		join := push.Join
		for _, edit := range push.Edits {
			done, err := p.executor.Edit(push.Cell, edit, join)
			h.did(r, p, done, push.By)
			if err != nil {
				p.Pushed(false)
				return err
			}
			join = true
		}
		p.Pushed(true)
		return nil
	})
	if errors.Is(err, view.ErrBehind) {
		return false, nil
	}
	return err == nil, err
}

// did shows the changes of one page on all pages.
func (h *Host) did(r *replica.Replica, at *page, done command.Done, by string) {
	h.views.ApplyLocal(r, view.LocalChange{Changes: done.Changes, Edits: done.Edits, Made: done.Made, By: by, At: at.Page})
	for _, p := range h.pages {
		if p == at {
			continue
		}
		for _, e := range done.Edits {
			p.executor.Rebase(e.Cell, e.Edit)
		}
	}
	h.cfg.Changed()
}

// Present sends the presence of the user of this browser to the other members.
func (h *Host) Present(data []byte) error {
	var p protocol.Presence
	if err := json.Unmarshal(data, &p); err != nil {
		return fmt.Errorf("read presence: %w", err)
	}
	return h.session.With(func(r *replica.Replica) error {
		h.here = &p
		r.SetPresence(p)
		return nil
	})
}

// Call sends a call to the notebook's runtime, and returns the JSON of its answer.
func (h *Host) Call(ctx context.Context, method protocol.Method, params json.RawMessage) ([]byte, error) {
	return h.session.Call(ctx, method, params)
}

// Retry ends the pause before the next attempt to connect, also after a final refusal if
// [Host.Keep] runs.
func (h *Host) Retry() { h.session.Retry() }

// Unstored tells the pages why the browser cannot store the replica; "" if it can.
func (h *Host) Unstored(reason string) {
	h.setLink(func(l *view.Link) { l.Unstored = reason })
}

// Client returns the id of the replica.
func (h *Host) Client() event.ClientID { return h.cfg.Replica.Client() }
