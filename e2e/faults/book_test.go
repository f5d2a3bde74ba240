//go:build linux

package faults_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync"
	"time"

	orders "github.com/quirehq/quire/core/command"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/replica"
	"github.com/quirehq/quire/internal/ws"
)

// common is the cell in which all insert and nobody deletes.
const common event.CellID = "common"

// book is a notebook, with those who work in it and one who watches, and answers what
// programs ask.
type book struct {
	play      *playing
	id, files string
	ledger    *ledger
	watcher   *client
	people    []*person
	engines   int // that were killed; guarded by play.mu

	mu       sync.Mutex
	rand     *rand.Rand // of programs
	programs map[event.RunID]*printer
	letters  map[rune]event.ID // that were typed into the common cell
	splits   [][]event.ID      // of the common cell, each with its events
	added    []*command
	visits   int
}

// client is a session that is connected until it is killed, with the executor of its commands.
type client struct {
	*replica.Session
	executor *orders.Executor
	id       event.ClientID
	stop     context.CancelFunc
	done     chan error // gets the session's end
}

// connect starts a client.
func (b *book) connect(id event.ClientID) *client {
	ctx, stop := context.WithCancel(context.Background())
	c := &client{id: id, stop: stop, done: make(chan error, 1)}
	mine, cells := replica.New(id), 0
	c.executor = orders.NewExecutor(mine, func() string {
		cells++
		return fmt.Sprintf("%s%s-%d", partOf, id, cells)
	})
	c.Session = replica.NewSession(replica.SessionConfig{
		Replica: mine,
		Dial: func(ctx context.Context) (protocol.Conn, error) {
			url := b.play.people.url() + "/api/notebooks/" + b.id + "/sync"
			return ws.Dial(ctx, url, b.play.house.Token, ws.Options{Ping: ping})
		},
		Updated: func(r *replica.Replica, up replica.Update) {
			b.ledger.note(r, up)
			for _, e := range up.Edits {
				c.executor.Rebase(e.Cell, e.Edit)
			}
		},
	})
	go func() { c.done <- c.Run(ctx) }()
	return c
}

// end ends a client, at once.
func (c *client) end() error {
	c.stop()
	err := <-c.done
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return fmt.Errorf("client %s was refused for good: %w", c.id, err)
}

// do states something, unless it is moot by now, and has the ledger know.
func (b *book) do(r *replica.Replica, p event.Payload) (id event.ID, err error) {
	id, _, err = r.Do(p)
	var moot *notebook.Moot
	if errors.As(err, &moot) {
		return event.ID{}, nil
	}
	if err == nil {
		b.ledger.state(id, p.Type())
	}
	return id, err
}

// prepare has the watcher make the common cell and run the first programs.
func (b *book) prepare(ctx context.Context, programs, threads int) error {
	err := b.watcher.With(func(r *replica.Replica) error {
		key, err := r.View().Between(0)
		if err != nil {
			return err
		}
		_, err = b.do(r, &event.CellCreated{Cell: common, Kind: event.KindMarkdown, Order: key})
		return err
	})
	if err == nil && threads > 0 {
		err = b.requestAs(b.watcher, true, threads, func(tag, file string, _ *rand.Rand) *printer {
			return newThread(tag, file, len(tag)+int(b.play.seed))
		})
	}
	if err == nil {
		err = b.request(b.watcher, true, programs)
	}
	if err == nil {
		err = b.watcher.Wait(ctx, func(r *replica.Replica) bool { return r.Pending() == 0 })
	}
	return err
}

// request asks for new programs to be run, each in a cell of its own.
func (b *book) request(by *client, keepGoing bool, n int) error {
	return b.requestAs(by, keepGoing, n, newPrinter)
}

// requestAs asks for new programs that a function writes.
func (b *book) requestAs(by *client, keepGoing bool, n int, write writer) error {
	return by.With(func(r *replica.Replica) error {
		var runs []event.RunOf
		for range n {
			p := b.write(write)
			key, err := r.View().Between(len(r.View().Cells()))
			if err != nil {
				return err
			}
			if _, err := b.do(r, &event.CellCreated{Cell: p.cell, Kind: event.KindCode, Order: key, Source: p.source}); err != nil {
				return err
			}
			runs = append(runs, event.RunOf{Run: p.run, Cell: p.cell})
		}
		_, err := b.do(r, &event.RunRequested{Runs: runs, KeepGoing: keepGoing})
		return err
	})
}

// writer writes a program with a tag, which notes its steps in a file.
type writer func(tag, file string, r *rand.Rand) *printer

// write writes the next program.
func (b *book) write(by writer) *printer {
	b.mu.Lock()
	defer b.mu.Unlock()
	tag := fmt.Sprintf("r%d", len(b.programs)+1)
	p := by(tag, filepath.Join(b.files, tag), b.rand)
	b.programs[p.run] = p
	return p
}

// answer answers what programs ask, until ctx ends.
func (b *book) answer(ctx context.Context) error {
	for n := 0; ; n++ {
		var open []event.InputID
		err := b.watcher.Wait(ctx, func(r *replica.Replica) bool {
			for _, id := range r.View().Inputs() {
				if r.View().Input(id).Open() {
					open = append(open, id)
				}
			}
			return len(open) > 0
		})
		if err != nil {
			return ignoreEnd(err)
		}
		err = b.watcher.With(func(r *replica.Replica) error {
			for _, id := range open {
				if _, err := b.do(r, &event.InputAnswered{Input: id, Value: fmt.Sprintf("answer %d", n)}); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
}

// clients returns those who are connected.
func (b *book) clients() (all []*client) {
	all = append(all, b.watcher)
	for _, p := range b.people {
		all = append(all, p.now())
	}
	return all
}

// isRunning reports whether a program executes, as far as the watcher knows.
func (b *book) isRunning() (running bool) {
	_ = b.watcher.With(func(r *replica.Replica) error {
		book := r.Confirmed()
		for _, id := range book.Queue() {
			running = running || book.Run(id).State == notebook.RunStarted
		}
		return nil
	})
	return running
}

// state says how it stands with each client, for whoever looks for a mistake.
func (b *book) state() string {
	var all []string
	for _, c := range b.clients() {
		_ = c.With(func(r *replica.Replica) error {
			text := fmt.Sprintf("%s: online %v, at %d, %d pending", c.id, r.Online(), r.Confirmed().Seq(), r.Pending())
			for _, id := range r.Confirmed().Queue() {
				text += fmt.Sprintf(", %s is %s", id, r.Confirmed().Run(id).State)
			}
			all = append(all, text)
			return nil
		})
	}
	return strings.Join(all, "; ")
}

// sleepUntil waits for a time of the scenario, and reports whether it came before ctx
// ended.
func sleepUntil(ctx context.Context, began time.Time, at time.Duration) bool {
	select {
	case <-time.After(time.Until(began.Add(at))):
		return true
	case <-ctx.Done():
		return false
	}
}

// ignoreEnd returns the error of something that was told to end.
func ignoreEnd(err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return nil
	}
	return err
}
