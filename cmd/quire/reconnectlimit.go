package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/quirehq/quire/core/protocol"
)

// aloneTime bounds the time that a runtime looks for a server.
const aloneTime = 10 * time.Minute

// longestLook bounds the time that one look for a server counts for: a process that was stopped
// meanwhile, or whose machine slept, has not looked.
const longestLook = time.Minute

// reconnectLimit measures the time that a runtime has looked for a server in vain. Time with a
// server does not count, however long ago it was found.
type reconnectLimit struct {
	limit time.Duration
	now   func() time.Time

	mu    sync.Mutex
	last  time.Time     // when the last look ended that found none; zero if one was found since
	alone time.Duration // that the looks since then have taken
}

// begin notes that a look begins, unless it follows one that found no server.
func (p *reconnectLimit) begin() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.last.IsZero() {
		p.last = p.now()
	}
}

// met notes that there is a server.
func (p *reconnectLimit) met() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last, p.alone = time.Time{}, 0
}

// missed notes that there was none, and returns an error that is final once that has gone
// on for too long.
func (p *reconnectLimit) missed(err error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	p.alone += min(now.Sub(p.last), longestLook)
	p.last = now
	if p.alone <= p.limit {
		return err
	}
	return &protocol.Closed{
		Code: protocol.CodeNotFound, Message: fmt.Sprintf("no server for %v: %v", p.alone.Round(time.Second), err),
	}
}

// dialer returns a dialer that says for good that there is no server once it has looked
// for one for too long.
func (p *reconnectLimit) dialer(dial dialer) dialer {
	return func(ctx context.Context) (protocol.Conn, error) {
		p.begin()
		conn, err := dial(ctx)
		if err != nil {
			return nil, p.missed(err)
		}
		p.met()
		return conn, nil
	}
}
