package runtime

import (
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/quirehq/quire/core/event"
)

// fullSpool has no space for events while it is full.
type fullSpool struct{ full atomic.Bool }

func (s *fullSpool) Keep(event.Draft) error {
	if s.full.Load() {
		return errors.New("the disk is full")
	}
	return nil
}

func (s *fullSpool) Drop(uint64) error { return nil }

func TestAFullSpoolIsToldOnceUntilThereIsSpace(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		spool, told := &fullSpool{}, atomic.Int32{}
		w.add("rt", func(c *Config) {
			c.Spool = spool
			c.Trouble = func(err error) {
				if strings.Contains(err.Error(), "the disk is full") {
					told.Add(1)
				}
			}
		})
		for _, step := range []struct {
			full bool
			want int32
		}{{false, 0}, {true, 1}, {true, 1}, {false, 1}, {true, 2}} {
			spool.full.Store(step.full)
			w.run("print one", "print two")
			if got := told.Load(); got != step.want {
				t.Errorf("full %v: told %d times, want %d", step.full, got, step.want)
			}
		}
	})
}
