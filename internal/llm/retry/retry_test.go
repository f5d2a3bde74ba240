package retry_test

import (
	"context"
	"errors"
	"iter"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quirehq/quire/core/assist"
	"github.com/quirehq/quire/internal/llm/retry"
)

// service is a provider that does one thing after another.
type service struct {
	steps []step
	asked []time.Duration // times of the requests since the first
	began time.Time
}

// step is an answer of a service: words, then perhaps a failure, after some time.
type step struct {
	words string
	err   error
	takes time.Duration
}

func (s *service) Name() string { return "service" }

func (s *service) next() step {
	if s.began.IsZero() {
		s.began = time.Now()
	}
	s.asked = append(s.asked, time.Since(s.began))
	next := s.steps[min(len(s.asked), len(s.steps))-1]
	time.Sleep(next.takes)
	return next
}

func (s *service) Answer(context.Context, assist.Request) iter.Seq2[assist.Chunk, error] {
	return func(yield func(assist.Chunk, error) bool) {
		next := s.next()
		if next.words != "" && !yield(assist.Chunk{Text: next.words}, nil) {
			return
		}
		if next.err != nil {
			yield(assist.Chunk{}, next.err)
			return
		}
		yield(assist.Chunk{Stop: assist.StopEnd}, nil)
	}
}

func (s *service) Models(context.Context) ([]assist.ModelInfo, error) {
	next := s.next()
	return []assist.ModelInfo{{Name: next.words}}, next.err
}

func failure(kind assist.FailureKind, after time.Duration) error {
	return &assist.ModelError{Kind: kind, After: after}
}

func TestMO20RequestsThatFailForAPassingReasonAreRepeated(t *testing.T) {
	busy := failure(assist.FailedOverloaded, 0)
	for name, test := range map[string]struct {
		steps []step
		text  string
		err   error
		asked []time.Duration
	}{
		"once":                      {[]step{{words: "yes"}}, "yes", nil, []time.Duration{0}},
		"until it succeeds":         {[]step{{err: busy}, {err: busy}, {words: "yes"}}, "yes", nil, []time.Duration{0, 750 * time.Millisecond, 2250 * time.Millisecond}},
		"at most four times":        {[]step{{err: busy}}, "", busy, []time.Duration{0, 750 * time.Millisecond, 2250 * time.Millisecond, 5250 * time.Millisecond}},
		"when the service asks to":  {[]step{{err: failure(assist.FailedRate, 9*time.Second)}, {words: "yes"}}, "yes", nil, []time.Duration{0, 9 * time.Second}},
		"not when it asks too much": {[]step{{err: failure(assist.FailedRate, time.Hour)}}, "", failure(assist.FailedRate, time.Hour), []time.Duration{0}},
		"not for another reason":    {[]step{{err: failure(assist.FailedKey, 0)}}, "", failure(assist.FailedKey, 0), []time.Duration{0}},
		"not for one of ours":       {[]step{{err: errors.ErrUnsupported}}, "", errors.ErrUnsupported, []time.Duration{0}},
		"not once it has begun":     {[]step{{words: "y", err: busy}}, "y", busy, []time.Duration{0}},
		"not after a long wait":     {[]step{{err: busy, takes: time.Minute}}, "", busy, []time.Duration{0}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &service{steps: test.steps}
				p := retry.New(s, retry.Config{Random: func() float64 { return 0.5 }})
				text, err := "", error(nil)
				for c, failed := range p.Answer(t.Context(), assist.Request{}) {
					text, err = text+c.Text, failed
				}
				check(t, text, err, test.text, test.err, s.asked, test.asked)
			})
			synctest.Test(t, func(t *testing.T) {
				if name == "not once it has begun" {
					return // a list is whole or not there
				}
				s := &service{steps: test.steps}
				models, err := retry.New(s, retry.Config{Random: func() float64 { return 0.5 }}).Models(t.Context())
				text := ""
				if len(models) > 0 {
					text = models[0].Name
				}
				check(t, text, err, test.text, test.err, s.asked, test.asked)
			})
		})
	}
}

func check(t *testing.T, text string, err error, wantText string, wantErr error, asked, wantAsked []time.Duration) {
	t.Helper()
	if text != wantText || !same(err, wantErr) || !slices.Equal(asked, wantAsked) {
		t.Errorf("got %q, %v after requests at %v, want %q, %v, %v", text, err, asked, wantText, wantErr, wantAsked)
	}
}

func same(a, b error) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Error() == b.Error()
}

func TestWaitsAreSpreadAndBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for random, want := range map[float64]time.Duration{0: 5 * time.Second, 0.999999: 10 * time.Second} {
			s := &service{steps: []step{{err: failure(assist.FailedOverloaded, 0)}}}
			p := retry.New(s, retry.Config{Attempts: 9, First: 4 * time.Second, Longest: 10 * time.Second, Random: func() float64 { return random }})
			for range p.Answer(t.Context(), assist.Request{}) {
			}
			if got := (s.asked[8] - s.asked[7]).Round(time.Millisecond); len(s.asked) != 9 || got != want {
				t.Errorf("got a last wait of %v in %d attempts, want %v in 9", got, len(s.asked), want)
			}
		}
	})
}

func TestAWaitEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		stopped := errors.New("stopped")
		time.AfterFunc(100*time.Millisecond, func() { cancel(stopped) })
		s := &service{steps: []step{{err: failure(assist.FailedOverloaded, 0)}}}
		for _, err := range retry.New(s, retry.Config{}).Answer(ctx, assist.Request{}) {
			if !errors.Is(err, stopped) {
				t.Errorf("got %v, want the cause", err)
			}
		}
		if len(s.asked) != 1 || time.Since(s.began) != 100*time.Millisecond {
			t.Errorf("got %d requests in %v, want one in 100ms", len(s.asked), time.Since(s.began))
		}
	})
}

func TestAConsumerThatBreaksOffIsTheEnd(t *testing.T) {
	s := &service{steps: []step{{words: "yes"}}}
	for range retry.New(s, retry.Config{}).Answer(t.Context(), assist.Request{}) {
		break
	}
	if len(s.asked) != 1 {
		t.Errorf("got %d requests, want one", len(s.asked))
	}
}
