package lang_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/core/lang/langtest"
)

// counted is an engine that counts how often it was loaded and closed.
type counted struct {
	lang.Engine
	loadErr       error
	loads, closes int
}

func (c *counted) Load(ctx context.Context, progress func(lang.Progress)) error {
	c.loads++
	return errors.Join(c.loadErr, c.Engine.Load(ctx, progress))
}

func (c *counted) Close() error {
	c.closes++
	return c.Engine.Close()
}

// factory makes counted engines and records them.
type factory struct {
	made    []*counted
	loadErr error
}

func (f *factory) spec(language string) lang.Spec {
	return lang.Spec{Language: language, New: func() (lang.Engine, error) {
		engine := &counted{Engine: langtest.NewScripted(), loadErr: f.loadErr}
		f.made = append(f.made, engine)
		return engine, nil
	}}
}

func TestASetLoadsALanguageOnceAndAtFirstUse(t *testing.T) {
	var made factory
	set := lang.NewSet([]lang.Spec{made.spec("a"), made.spec("b"), made.spec("a")})
	if diff := cmp.Diff([]string{"a", "b"}, set.Languages()); diff != "" {
		t.Errorf("languages (-want +got):\n%s", diff)
	}
	if len(made.made) != 0 {
		t.Fatal("an engine was made before it was asked for")
	}
	also := made.spec("c")
	also.Aliases = []string{"see"}
	aliased := lang.NewSet([]lang.Spec{also})
	if _, err := aliased.Get(t.Context(), "See", nil); err != nil {
		t.Errorf("by an alias: %v", err)
	}
	made.made = nil
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			if _, err := set.Get(t.Context(), "a", nil); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if len(made.made) != 1 || made.made[0].loads != 1 {
		t.Errorf("got %d engines, want one, loaded once", len(made.made))
	}
}

func TestASetSaysWhichLanguageItDoesNotHave(t *testing.T) {
	set := lang.NewSet(nil)
	if _, err := set.Get(t.Context(), "cobol", nil); !errors.Is(err, lang.ErrUnknown) {
		t.Errorf("got %v, want ErrUnknown", err)
	}
	if err := set.Discard("cobol", nil); !errors.Is(err, lang.ErrUnknown) {
		t.Errorf("got %v, want ErrUnknown", err)
	}
}

func TestASetClosesAnEngineThatDidNotLoadAndTriesAgain(t *testing.T) {
	broken := errors.New("no such file")
	made := factory{loadErr: broken}
	set := lang.NewSet([]lang.Spec{made.spec("a")})
	if _, err := set.Get(t.Context(), "a", nil); !errors.Is(err, broken) {
		t.Errorf("got %v, want the error of Load", err)
	}
	if made.made[0].closes != 1 {
		t.Errorf("got %d closes, want one", made.made[0].closes)
	}
	made.loadErr = nil
	if _, err := set.Get(t.Context(), "a", nil); err != nil {
		t.Errorf("second get: %v", err)
	}
}

func TestADiscardedEngineIsReplacedOnce(t *testing.T) {
	var made factory
	set := lang.NewSet([]lang.Spec{made.spec("a")})
	first, err := set.Get(t.Context(), "a", nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := set.Discard("a", first); err != nil {
		t.Fatal(err)
	}
	second, err := set.Get(t.Context(), "a", nil)
	if err != nil || second == first {
		t.Fatalf("got the same engine, or %v", err)
	}
	if err := set.Discard("a", first); err != nil {
		t.Fatal(err)
	}
	if third, err := set.Get(t.Context(), "a", nil); err != nil || third != second {
		t.Errorf("a late discard of the first engine took the second, or %v", err)
	}
}

func TestAClosedSetClosesItsEnginesAndMakesNoMore(t *testing.T) {
	var made factory
	set := lang.NewSet([]lang.Spec{made.spec("a"), made.spec("b")})
	if _, err := set.Get(t.Context(), "a", nil); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := set.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if made.made[0].closes != 1 {
		t.Errorf("got %d closes, want one", made.made[0].closes)
	}
	if _, err := set.Get(t.Context(), "b", nil); !errors.Is(err, lang.ErrClosed) {
		t.Errorf("got %v, want ErrClosed", err)
	}
}

func TestAnErrorReadsAsNameAndMessage(t *testing.T) {
	for _, c := range []struct {
		err  lang.Error
		want string
	}{
		{lang.Error{Name: "KeyError", Message: "'a'"}, "KeyError: 'a'"},
		{lang.Error{Name: "KeyboardInterrupt"}, "KeyboardInterrupt"},
	} {
		if got := c.err.Error(); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

// slow is an engine that loads until its context ends.
type slow struct{ lang.Engine }

func (slow) Load(ctx context.Context, _ func(lang.Progress)) error {
	<-ctx.Done()
	return context.Cause(ctx)
}

func TestWhoWaitsForALoadThatAnotherBeganCanStopWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		set := lang.NewSet([]lang.Spec{{Language: "a", New: func() (lang.Engine, error) {
			return slow{langtest.NewScripted()}, nil
		}}})
		loading, stop := context.WithCancel(t.Context())
		var wait sync.WaitGroup
		wait.Go(func() { _, _ = set.Get(loading, "a", nil) })
		synctest.Wait()
		reason := errors.New("not wanted any more")
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(reason)
		if _, err := set.Get(ctx, "a", nil); !errors.Is(err, reason) {
			t.Errorf("got %v, want the cause of the context", err)
		}
		if engine, err := set.Loaded("a"); engine != nil || err != nil {
			t.Errorf("got %v, %v while it loads, want neither", engine, err)
		}
		stop()
		wait.Wait()
	})
}

func TestASetSaysWhetherALanguageIsLoadedWithoutLoadingIt(t *testing.T) {
	var made factory
	set := lang.NewSet([]lang.Spec{made.spec("a")})
	if _, err := set.Loaded("cobol"); !errors.Is(err, lang.ErrUnknown) {
		t.Errorf("got %v, want ErrUnknown", err)
	}
	if engine, err := set.Loaded("a"); engine != nil || err != nil || len(made.made) != 0 {
		t.Errorf("got %v, %v and %d engines, want none", engine, err, len(made.made))
	}
	want, err := set.Get(t.Context(), "a", nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := set.Loaded("a"); got != want || err != nil {
		t.Errorf("got %v, %v, want the engine", got, err)
	}
	if err := set.Discard("a", want); err != nil {
		t.Fatal(err)
	}
	if got, err := set.Loaded("a"); got != nil || err != nil {
		t.Errorf("got %v, %v after it was discarded, want none", got, err)
	}
}

func TestAnEngineIsFoundByAnyNameOfItsLanguage(t *testing.T) {
	var made factory
	set := lang.NewSet([]lang.Spec{made.spec("javascript"), made.spec("c++17")})
	for _, name := range []string{"js", "JavaScript", "C++17"} {
		if _, err := set.Get(t.Context(), name, nil); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if len(made.made) != 2 {
		t.Errorf("got %d engines, want one a language", len(made.made))
	}
	if _, err := set.Get(t.Context(), "ts", nil); !errors.Is(err, lang.ErrUnknown) {
		t.Errorf("got %v, want %v", err, lang.ErrUnknown)
	}
}
