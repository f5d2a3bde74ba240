package catalogue_test

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/quirehq/quire/core/assist"
	"github.com/quirehq/quire/internal/llm/catalogue"
)

// provider is a provider whose list a test sets.
type provider struct {
	name  string
	list  func(context.Context) ([]assist.ModelInfo, error)
	asked atomic.Int32
}

func (p *provider) Name() string { return p.name }

func (p *provider) Models(ctx context.Context) ([]assist.ModelInfo, error) {
	p.asked.Add(1)
	return p.list(ctx)
}

func (p *provider) Answer(context.Context, assist.Request) iter.Seq2[assist.Chunk, error] {
	return func(func(assist.Chunk, error) bool) {}
}

// having returns a provider of models that takes a time to list them.
func having(name string, takes time.Duration, models ...string) *provider {
	return &provider{name: name, list: func(ctx context.Context) ([]assist.ModelInfo, error) {
		select {
		case <-time.After(takes):
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
		var list []assist.ModelInfo
		for _, m := range models {
			list = append(list, assist.ModelInfo{Provider: name, Name: m})
		}
		return list, nil
	}}
}

func names(l catalogue.Listing) []string {
	var all []string
	for _, m := range l.Models {
		all = append(all, m.Provider+"/"+m.Name)
	}
	for _, f := range l.Failures {
		text, _ := f.MarshalText() // it never fails
		all = append(all, "failed "+string(text))
	}
	return all
}

func want(t *testing.T, l catalogue.Listing, err error, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, names(l), cmpopts.EquateEmpty()); diff != "" || err != nil {
		t.Errorf("got error %v and models (-want +got):\n%s", err, diff)
	}
}

func TestMO30AFailingProviderIsStatedAndHidesNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		down := &provider{name: "down", list: func(context.Context) ([]assist.ModelInfo, error) {
			return nil, &assist.ModelError{Kind: assist.FailedKey, Provider: "down", Status: 401, Err: errors.New("wrong key")}
		}}
		slow := having("slow", time.Hour, "s")
		c := catalogue.New(catalogue.Config{Providers: []assist.Provider{having("one", time.Second, "a", "b"), down, slow, having("two", 0, "c")}})
		began := time.Now()
		l, err := c.List(t.Context())
		want(t, l, err, "one/a", "one/b", "two/c", "failed down: key (HTTP 401): wrong key", "failed slow: it did not list its models in time")
		if took := time.Since(began); took != 20*time.Second {
			t.Errorf("got the list after %v, want 20s", took)
		}
		text, err := json.Marshal(l.Failures)
		if err != nil || string(text) != `["down: key (HTTP 401): wrong key","slow: it did not list its models in time"]` {
			t.Errorf("got %s, %v", text, err)
		}
	})
}

func TestMO31AListIsRememberedForATimeAndRefreshedOnDemand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := having("one", 0, "a")
		c := catalogue.New(catalogue.Config{Providers: []assist.Provider{p}, Age: time.Minute})
		at := time.Now()
		for _, step := range []struct {
			after   time.Duration
			refresh bool
			asked   int32
			age     time.Duration
		}{
			{0, false, 1, 0},
			{time.Minute, false, 1, time.Minute},
			{time.Second, false, 2, 0},
			{time.Second, true, 3, 0},
			{time.Second, false, 3, time.Second},
		} {
			time.Sleep(step.after)
			list := c.List
			if step.refresh {
				list = c.Refresh
			}
			l, err := list(t.Context())
			want(t, l, err, "one/a")
			if got := p.asked.Load(); got != step.asked || time.Since(l.At) != step.age {
				t.Errorf("at %v: got %d requests and an age of %v, want %d and %v", time.Since(at), got, time.Since(l.At), step.asked, step.age)
			}
		}
	})
}

func TestMO32AProviderThatFailsKeepsItsModels(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := having("one", 0, "a")
		c := catalogue.New(catalogue.Config{Providers: []assist.Provider{p}})
		l, err := c.List(t.Context())
		want(t, l, err, "one/a")
		works := p.list
		p.list = func(context.Context) ([]assist.ModelInfo, error) { return nil, errors.New("gone") }
		l, err = c.Refresh(t.Context())
		want(t, l, err, "one/a", "failed one: gone")
		p.list = works
		l, err = c.Refresh(t.Context())
		want(t, l, err, "one/a")
	})
}

func TestSeveralThatListAtOnceAskOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := having("one", time.Second, "a")
		c := catalogue.New(catalogue.Config{Providers: []assist.Provider{p}})
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				l, err := c.List(t.Context())
				want(t, l, err, "one/a")
			})
		}
		all.Wait()
		if got := p.asked.Load(); got != 1 {
			t.Errorf("got %d requests, want one", got)
		}
	})
}

func TestACallThatIsGivenUpLeavesTheRestToOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := catalogue.New(catalogue.Config{Providers: []assist.Provider{having("one", 3*time.Second, "a")}})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		var all sync.WaitGroup
		all.Go(func() {
			if _, err := c.List(ctx); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("got %v, want the end of the context", err)
			}
		})
		synctest.Wait()
		waiting, stop := context.WithTimeout(t.Context(), time.Millisecond)
		defer stop()
		if _, err := c.List(waiting); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v from one that waits for another, want the end of its context", err)
		}
		l, err := c.List(t.Context())
		want(t, l, err, "one/a")
		all.Wait()
	})
}

func TestProvidersAreFoundByName(t *testing.T) {
	p := having("one", 0)
	c := catalogue.New(catalogue.Config{Providers: []assist.Provider{p}})
	if got, ok := c.Provider("one"); !ok || got != p {
		t.Errorf("got %v, %v", got, ok)
	}
	if got, ok := c.Provider("two"); ok {
		t.Errorf("got %v, want none", got)
	}
}
