package artifacts

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/quirehq/quire/core/event"
)

// Collect sweeps at intervals until ctx ends.
func (s *Service) Collect(ctx context.Context) {
	if s.cfg.Bytes == nil {
		return
	}
	every := time.NewTicker(s.cfg.Limits.Collect)
	defer every.Stop()
	for {
		select {
		case <-every.C:
			if err := s.Sweep(ctx); err != nil && ctx.Err() == nil {
				s.cfg.Logger.Error("artifacts not collected", "error", err)
			}
		case <-ctx.Done():
			return
		}
	}
}

// Sweep takes old artifacts that no log mentions from their notebooks, and then deletes old
// bytes that no notebook has. In the other order, the end of the process between the two would
// leave a notebook with an artifact that has no bytes.
func (s *Service) Sweep(ctx context.Context) error {
	before := s.cfg.Now() - event.Time(s.cfg.Limits.Keep.Milliseconds())
	if err := s.dropLoose(ctx, before); err != nil {
		return err
	}
	return s.cfg.Bytes.List(ctx, func(hash string, put time.Time) error {
		if event.Time(put.UnixMilli()) >= before {
			return nil
		}
		return s.deleteUnused(ctx, hash)
	})
}

// dropLoose terminates: an artifact that is not dropped is not loose or not old any more, and is
// not listed again.
func (s *Service) dropLoose(ctx context.Context, before event.Time) error {
	for {
		list, err := s.cfg.Loose.LooseArtifacts(ctx, before)
		if err != nil || len(list) == 0 {
			return err
		}
		for _, one := range list {
			if err := s.cfg.Loose.DropArtifact(ctx, one, before); err != nil {
				return err
			}
		}
	}
}

// Delete deletes the bytes of a hash that a notebook had, unless another has them or an upload
// puts them at this moment.
func (s *Service) Delete(ctx context.Context, hash string) error {
	if s.cfg.Bytes == nil {
		return nil
	}
	return s.deleteUnused(ctx, hash)
}

func (s *Service) deleteUnused(ctx context.Context, hash string) error {
	return s.holds.alone(hash, func() error {
		held, err := s.cfg.Loose.HoldsArtifact(ctx, hash)
		if err != nil || held {
			return err
		}
		if err := s.cfg.Bytes.Delete(ctx, hash); err != nil {
			return fmt.Errorf("artifact %s: %w", hash, err)
		}
		s.cfg.Metrics.Collected.Add(1)
		return nil
	})
}

// holds are locks by hash, between uploads and the deletion of the same bytes. Bytes may be
// stored already when an upload puts them, while no notebook has them yet: without the lock
// they could be deleted after they were found and before the index has them.
type holds struct {
	mu sync.Mutex
	of map[string]*hold // by hash, while it has users
}

type hold struct {
	sync.RWMutex     // shared by uploads, exclusive for a deletion
	users        int // guarded by holds.mu
}

// share prevents the deletion of the bytes of a hash until release is called. It waits while
// they are being deleted.
func (h *holds) share(hash string) (release func()) {
	one := h.enter(hash)
	one.RLock()
	return func() {
		one.RUnlock()
		h.leave(hash)
	}
}

// alone calls f while no upload puts the bytes of a hash. It does not call f if one does.
func (h *holds) alone(hash string, f func() error) error {
	one := h.enter(hash)
	defer h.leave(hash)
	if !one.TryLock() {
		return nil
	}
	defer one.Unlock()
	return f()
}

func (h *holds) enter(hash string) *hold {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.of == nil {
		h.of = map[string]*hold{}
	}
	if h.of[hash] == nil {
		h.of[hash] = &hold{}
	}
	h.of[hash].users++
	return h.of[hash]
}

func (h *holds) leave(hash string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.of[hash].users--; h.of[hash].users == 0 {
		delete(h.of, hash)
	}
}
