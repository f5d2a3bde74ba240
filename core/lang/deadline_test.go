package lang_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/core/lang/langtest"
)

func TestAPatienceEndsAfterSilenceOrAsAWhole(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := lang.Patience{Silent: 3 * time.Second, Whole: 10 * time.Second}
		for _, c := range []struct {
			heard int // times, every two seconds
			left  time.Duration
			want  time.Duration
		}{
			{want: 3 * time.Second},
			{heard: 1, want: 5 * time.Second},
			{heard: 100, want: 10 * time.Second},
			{heard: 100, left: time.Second, want: time.Second},
		} {
			ctx, cancel := context.WithCancel(t.Context())
			if c.left > 0 {
				time.AfterFunc(c.left, cancel)
			}
			began := time.Now()
			d := p.Begin(ctx)
			for i, over := 0, false; !over; {
				select {
				case <-d.Over():
					over = true
				case <-time.After(2 * time.Second):
					if i++; i <= c.heard {
						d.Heard()
					}
				}
			}
			d.Stop()
			cancel()
			if got := time.Since(began); got != c.want {
				t.Errorf("%+v: it ended after %v", c, got)
			}
		}
	})
}

// drainer is an engine with background work.
type drainer struct {
	lang.Engine
	left, drained bool
}

func (d *drainer) Abilities() lang.Abilities { return lang.Abilities{Drainer: d} }

func (d *drainer) Drain(context.Context, lang.Patience) bool {
	d.drained = true
	return d.left
}

func TestASetDrainsTheEnginesThatAreLoaded(t *testing.T) {
	for _, left := range []bool{false, true} {
		var made []*drainer
		spec := func(language string, left bool) lang.Spec {
			return lang.Spec{Language: language, New: func() (lang.Engine, error) {
				made = append(made, &drainer{Engine: langtest.NewScripted(), left: left})
				return made[len(made)-1], nil
			}}
		}
		set := lang.NewSet([]lang.Spec{
			spec("one", left), spec("two", false), spec("never", true),
			{Language: "cannot", New: func() (lang.Engine, error) { return langtest.NewScripted(), nil }},
		})
		for _, language := range []string{"one", "two", "cannot"} {
			if _, err := set.Get(t.Context(), language, nil); err != nil {
				t.Fatal(err)
			}
		}
		if got := set.Drain(t.Context(), lang.Patience{}); got != left {
			t.Errorf("got %v, want %v", got, left)
		}
		if len(made) != 2 || !made[0].drained || !made[1].drained {
			t.Errorf("got %+v, want both drained", made)
		}
		if err := set.Close(); err != nil {
			t.Error(err)
		}
	}
}
