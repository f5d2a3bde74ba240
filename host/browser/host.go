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

// Config is what a host needs. All of it is required.
type Config struct {
	Replica *replica.Replica
	// Dial opens a connection to the notebook's room, as a session does it.
	Dial func(context.Context) (protocol.Conn, error)
	// Changed is called when a page may have something to take, or there is
	// something to store. It must not block, and must not call the host.
	Changed func()
	// NewID returns a name that was never used, for a cell or a run.
	NewID func() string
}

// Host is a replica with its pages. Its methods may be called from any goroutine.
type Host struct {
	cfg     Config
	session *replica.Session

	// The session guards what follows: it is touched within its With and Updated.
	views *view.Pages
	pages map[int]*page
	runs  map[event.RunID]*page // where runs were requested that may go on
	last  int                   // the number of the last page
	link  view.Link
	here  *protocol.Presence // where the person at this browser is
	told  bool               // the room was told of it on this connection
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

// Keep keeps the replica connected until ctx ends. What the server refused for good is
// tried again when [Host.Retry] is called: a deleted notebook may be restored.
func (h *Host) Keep(ctx context.Context) {
	for {
		_ = h.Run(ctx)
		if h.session.WaitRetry(ctx) != nil {
			return
		}
	}
}

// updated takes in what a message of the room changed.
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

// requested remembers at which page runs were requested, and forgets those that have ended.
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

// tell says once on a connection where the person is, who may be somewhere since
// before it: a page can be used as soon as it is seen.
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

// setLink changes what pages are told of the connection and the storage.
func (h *Host) setLink(f func(*view.Link)) {
	_ = h.session.With(func(*replica.Replica) error {
		f(&h.link)
		return nil
	})
	h.cfg.Changed()
}

// Open adds a page, and returns its number. The page shows the notebook up to a
// number of its log already, 0 for not at all, and is not shown an older one unless
// there is no connection.
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

// Close takes a page away.
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

// Take returns the JSON of what changed for a page since it took last, nil if
// nothing did. A page should take once a frame at most.
func (h *Host) Take(number int) (data []byte, err error) {
	err = h.at(number, func(r *replica.Replica, p *page) error {
		if b := p.Take(r, h.link); b != nil {
			data, err = json.Marshal(b)
		}
		return err
	})
	return data, err
}

// Pressing reports whether a page has more to take than how the replica stands to
// its room: that may be shown a moment later, together with what comes next.
func (h *Host) Pressing(number int) (pressing bool) {
	_ = h.at(number, func(r *replica.Replica, p *page) error {
		pressing = p.Pressing(r.View())
		return nil
	})
	return pressing
}

// Command does a command that a page gave in JSON, and returns the JSON of its
// result.
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

// Push takes edits of an editor, and reports whether it did: an editor that is behind
// is to take in the updates that are on their way, and push again.
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
				return err
			}
			join = true
		}
		return nil
	})
	if errors.Is(err, view.ErrBehind) {
		return false, nil
	}
	return err == nil, err
}

// did shows all pages what was done at one of them.
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

// Present tells the others where the person at this browser is.
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

// Call asks the notebook's runtime something, and returns the JSON of its answer.
func (h *Host) Call(ctx context.Context, method protocol.Method, params json.RawMessage) ([]byte, error) {
	return h.session.Call(ctx, method, params)
}

// Retry ends the pause before the next attempt to connect, and has [Host.Keep] try again
// what was refused.
func (h *Host) Retry() { h.session.Retry() }

// Unstored tells the pages why the browser keeps nothing, "" if it does.
func (h *Host) Unstored(reason string) {
	h.setLink(func(l *view.Link) { l.Unstored = reason })
}

// Client returns the id of the replica.
func (h *Host) Client() event.ClientID { return h.cfg.Replica.Client() }
