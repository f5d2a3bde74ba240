// Package retry repeats requests to a provider that failed for a reason that may pass.
package retry

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"math/rand/v2"
	"time"

	"github.com/quirehq/quire/core/assist"
)

// Config says how often and when a request is repeated.
type Config struct {
	Attempts int // the most of one request, with the first; 4 if 0
	// First is the longest wait before the second attempt. Each further one may be twice as long.
	First time.Duration
	// Longest is the longest wait. A service that asks for a longer one gets no further request.
	Longest time.Duration
	// Patience is the time after which an attempt that fails is the last: its user has waited long enough.
	Patience time.Duration
	// Random returns numbers in [0, 1), which spread the waits; [rand.Float64] if nil.
	Random func() float64
}

// Provider is a provider whose requests are repeated. It implements [assist.Provider].
type Provider struct {
	assist.Provider
	config Config
}

// New returns a provider that repeats the requests of another.
func New(p assist.Provider, c Config) *Provider {
	c.Attempts = cmp.Or(c.Attempts, 4)
	c.First = cmp.Or(c.First, time.Second)
	c.Longest = cmp.Or(c.Longest, 30*time.Second)
	c.Patience = cmp.Or(c.Patience, 30*time.Second)
	if c.Random == nil {
		c.Random = rand.Float64
	}
	return &Provider{p, c}
}

// Answer implements [assist.Model]. An answer that has begun is not asked for again.
func (p *Provider) Answer(ctx context.Context, r assist.Request) iter.Seq2[assist.Chunk, error] {
	return func(yield func(assist.Chunk, error) bool) {
		for attempt := 1; ; attempt++ {
			began, failed := time.Now(), error(nil)
			begun := false
			for c, err := range p.Provider.Answer(ctx, r) {
				if err != nil && !begun {
					failed = err
					break
				}
				begun = true
				if !yield(c, err) || err != nil {
					return
				}
			}
			if failed == nil {
				return
			}
			if err := p.wait(ctx, attempt, began, failed); err != nil {
				yield(assist.Chunk{}, err)
				return
			}
		}
	}
}

// Models implements [assist.Provider].
func (p *Provider) Models(ctx context.Context) ([]assist.ModelInfo, error) {
	for attempt := 1; ; attempt++ {
		began := time.Now()
		models, err := p.Provider.Models(ctx)
		if err == nil {
			return models, nil
		}
		if err := p.wait(ctx, attempt, began, err); err != nil {
			return nil, err
		}
	}
}

// wait waits until another attempt may be made, and returns the failure if there is none.
func (p *Provider) wait(ctx context.Context, attempt int, began time.Time, failed error) error {
	failure, ok := errors.AsType[*assist.ModelError](failed)
	if !ok || !failure.Temporary() || attempt >= p.config.Attempts || time.Since(began) > p.config.Patience || failure.After > p.config.Longest {
		return failed
	}
	longest := min(p.config.First<<(attempt-1), p.config.Longest)
	half := longest / 2
	pause := max(failure.After, half+time.Duration(p.config.Random()*float64(half)))
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
