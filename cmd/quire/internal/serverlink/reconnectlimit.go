// Package serverlink keeps a runtime that lives in a process of its own in touch with servers that come and go: for how long it looks for
// one, and reports that wait until one takes them.
package serverlink

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/quirehq/quire/core/protocol"
)

// AloneTime bounds the time that a runtime looks for a server.
const AloneTime = 10 * time.Minute

// longestLook bounds the time that one look for a server counts for: a process that was stopped
// meanwhile, or whose machine slept, has not looked.
const longestLook = time.Minute

// Dialer opens connections to a room.
type Dialer func(context.Context) (protocol.Conn, error)

// ReconnectLimit measures the time that a runtime has looked for a server in vain. Time with a
// server does not count, however long ago it was found.
type ReconnectLimit struct {
	Limit time.Duration
	Now   func() time.Time

	mu    sync.Mutex
	last  time.Time     // when the last look ended that found none; zero if one was found since
	alone time.Duration // that the looks since then have taken
}

// Begin notes that a look begins, unless it follows one that found no server.
func (p *ReconnectLimit) Begin() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.last.IsZero() {
		p.last = p.Now()
	}
}

// Met notes that there is a server.
func (p *ReconnectLimit) Met() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last, p.alone = time.Time{}, 0
}

// Missed notes that there was none, and returns an error that is final once that has gone
// on for too long.
func (p *ReconnectLimit) Missed(err error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.Now()
	p.alone += min(now.Sub(p.last), longestLook)
	p.last = now
	if p.alone <= p.Limit {
		return err
	}
	return &protocol.Closed{
		Code: protocol.CodeNotFound, Message: fmt.Sprintf("no server for %v: %v", p.alone.Round(time.Second), err),
	}
}

// Dialer returns a dialer that says for good that there is no server once it has looked
// for one for too long.
func (p *ReconnectLimit) Dialer(dial Dialer) Dialer {
	return func(ctx context.Context) (protocol.Conn, error) {
		p.Begin()
		conn, err := dial(ctx)
		if err != nil {
			return nil, p.Missed(err)
		}
		p.Met()
		return conn, nil
	}
}
