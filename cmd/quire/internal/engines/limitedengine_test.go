package engines

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/quirehq/quire/cmd/quire/internal/settings"
	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/core/lang/langtest"
)

// The decorator serves engines of all languages: it passes on what an engine can do, and what it cannot stays so.
func TestALimitedEngineHasTheAbilitiesOfItsEngine(t *testing.T) {
	inner := langtest.NewScripted()
	free := &limitedEngine{Engine: inner}
	if got := free.Abilities(); got != inner.Abilities() {
		t.Errorf("got %+v, want those of the engine", got)
	}
	boxed := &limitedEngine{Engine: inner, env: &environment{texts: settings.SandboxConfig{On: true}}}
	got := boxed.Abilities()
	if err := got.Installer.Install(t.Context(), []string{"p"}, &langtest.Recorder{}); err == nil || !strings.Contains(err.Error(), "from within the sandbox") {
		t.Errorf("got %v, want that nothing is installed in a sandbox", err)
	}
	if got.Installer = inner; got != inner.Abilities() {
		t.Errorf("got %+v, want all but the installer as they are", got)
	}
	boxed.Engine = unable{inner}
	if got := boxed.Abilities(); got != (lang.Abilities{}) {
		t.Errorf("got %+v, want none of an engine without any", got)
	}
}

// unable is an engine that can only execute.
type unable struct{ lang.Engine }

func (unable) Abilities() lang.Abilities { return lang.Abilities{} }

func TestALimitedEngineKeepsTheContractOfEngines(t *testing.T) {
	langtest.Suite(t, func(t *testing.T) lang.Engine {
		engine := &limitedEngine{Engine: langtest.NewScripted()}
		t.Cleanup(func() { _ = engine.Close() })
		return engine
	}, langtest.Programs{
		Hello: "print hello", Set: "set kept 42", Get: "get kept", Fail: "print before\nerror ValueError bad value",
		FailName: "ValueError", FailMessage: "bad value", FailLine: 2, Loop: "print started\nloop",
	})
}

func TestOnlyATimeOutOfTheEngineIsTheLimitOfTime(t *testing.T) {
	engine := &limitedEngine{Engine: langtest.NewScripted(), limits: limits{RunTime: time.Millisecond}}
	for source, want := range map[string]bool{"loop": true, "wait x\nerror TimeOut mine": false} {
		engine.Engine.(*langtest.Scripted).Release("x")
		result, err := engine.Execute(t.Context(), lang.Request{Source: source, Timeout: time.Millisecond}, &langtest.Recorder{})
		if err != nil || result.Err == nil || strings.Contains(result.Err.Message, "--run-time") != want {
			t.Errorf("%q: got %v, %v, want the limit named: %v", source, result.Err, err, want)
		}
	}
}

func TestAnEngineThatNeedsANetworkNamesTheSetting(t *testing.T) {
	engine := &limitedEngine{Engine: offline{langtest.NewScripted()}}
	if err := engine.Load(t.Context(), nil); !errors.Is(err, lang.ErrOffline) || !strings.Contains(err.Error(), "--sandbox-network") {
		t.Errorf("got %v, want the setting named", err)
	}
}

// offline is an engine that needs a network.
type offline struct{ lang.Engine }

func (offline) Load(context.Context, func(lang.Progress)) error {
	return fmt.Errorf("load x: %w", lang.ErrOffline)
}
