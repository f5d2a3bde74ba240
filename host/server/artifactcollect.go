package server

import (
	"context"
	"fmt"
	"time"

	"github.com/quirehq/quire/core/event"
)

// collect removes, every so often until ctx ends, what nothing mentions.
func (a *artifacts) collect(ctx context.Context) {
	if a.Bytes == nil {
		return
	}
	every := time.NewTicker(a.limits.Collect)
	defer every.Stop()
	for {
		select {
		case <-every.C:
			if err := a.sweep(ctx); err != nil && ctx.Err() == nil {
				a.log.Error("artifacts not collected", "error", err)
			}
		case <-ctx.Done():
			return
		}
	}
}

// sweep takes from notebooks what was uploaded long ago and never mentioned, and then
// deletes old bytes that no notebook has. The other way round an end of the process
// between the two would leave a notebook with what is not there.
func (a *artifacts) sweep(ctx context.Context) error {
	before := a.now() - event.Time(a.limits.Keep.Milliseconds())
	if err := a.dropLoose(ctx, before); err != nil {
		return err
	}
	return a.Bytes.List(ctx, func(hash string, put time.Time) error {
		if event.Time(put.UnixMilli()) >= before {
			return nil
		}
		return a.holds.alone(hash, func() error { return a.deleteUnheld(ctx, hash) })
	})
}

// dropLoose ends, for one that was not dropped is not loose or not old any more, and
// is not listed again.
func (a *artifacts) dropLoose(ctx context.Context, before event.Time) error {
	for {
		list, err := a.Loose.LooseArtifacts(ctx, before)
		if err != nil || len(list) == 0 {
			return err
		}
		for _, one := range list {
			if err := a.Loose.DropArtifact(ctx, one, before); err != nil {
				return err
			}
		}
	}
}

func (a *artifacts) deleteUnheld(ctx context.Context, hash string) error {
	held, err := a.Loose.HoldsArtifact(ctx, hash)
	if err != nil || held {
		return err
	}
	if err := a.Bytes.Delete(ctx, hash); err != nil {
		return fmt.Errorf("artifact %s: %w", hash, err)
	}
	a.metrics.collected.Inc()
	return nil
}
