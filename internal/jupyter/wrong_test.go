//go:build unix

package jupyter

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/core/lang/langtest"
)

// loadFake returns an engine of the fake kernel that waits only shortly for what is lost.
func loadFake(t *testing.T) *Engine {
	t.Helper()
	engine := open(t, fakeKernel(t))
	engine.patience, engine.silence, engine.beatPause = 200*time.Millisecond, time.Second, 10*time.Millisecond
	if err := engine.Load(deadline(t), nil); err != nil {
		t.Fatal(err)
	}
	return engine
}

func TestAKernelIsReachedByTCPAndSaysLittle(t *testing.T) {
	engine := loadFake(t)
	if got := engine.link.place.transport; got != "tcp" {
		t.Fatalf("got the transport %s, want tcp", got)
	}
	want := lang.Info{Language: "fake", Version: "unknown", Extension: ".fake", MIME: "text/plain"}
	if got := engine.Info(); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestAKernelOfTCPIsRefusedWhereThereIsNoNetwork(t *testing.T) {
	engine, err := New(Config{Kernel: fakeKernel(t), Dir: t.TempDir(), Offline: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := engine.Load(deadline(t), nil); !errors.Is(err, ErrOffline) {
		t.Errorf("got %v, want that it needs the network", err)
	}
	if err := engine.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
}

func TestARunEndsThoughOneOfItsEndsIsLost(t *testing.T) {
	engine := loadFake(t)
	expect(t, engine, "say no idle")
	if _, failed := execute(t, engine, "send no reply"); failed == nil || failed.Name != noReply {
		t.Errorf("got %v, want %s", failed, noReply)
	}
	expect(t, engine, "reply late", "stdout: a")
}

func TestWhatIsForgedOrRepeatedIsNotShown(t *testing.T) {
	engine := loadFake(t)
	expect(t, engine, "forge", "stdout: real")
	expect(t, engine, "repeat", "stdout: once")
}

func TestAKernelCanBeInterruptedByMessage(t *testing.T) {
	engine := loadFake(t)
	for range 3 {
		sink := &langtest.Recorder{OnStream: func(string, string) { _ = engine.Interrupt() }}
		result, err := engine.Execute(deadline(t), lang.Request{Source: "wait for an interrupt"}, sink)
		if err != nil || result.Err == nil || result.Err.Name != lang.Interrupted {
			t.Fatalf("got %+v, %v, want it interrupted", result, err)
		}
	}
}

func TestAKernelThatHangsUpIsEnded(t *testing.T) {
	engine := loadFake(t)
	_, err := engine.Execute(deadline(t), lang.Request{Source: "hang up"}, &langtest.Recorder{})
	if !errors.Is(err, lang.ErrDied) || !strings.Contains(err.Error(), "it closed its channel iopub") {
		t.Errorf("got %v, want it ended because it hung up", err)
	}
}

func TestAKernelWhoseHeartStopsIsEnded(t *testing.T) {
	engine := loadFake(t)
	expect(t, engine, "stop the heart")
	<-engine.gone
	_, err := engine.Execute(deadline(t), lang.Request{Source: "ok"}, &langtest.Recorder{})
	if !errors.Is(err, lang.ErrDied) || !strings.Contains(err.Error(), "nothing was heard of it for 1s") {
		t.Errorf("got %v, want it ended because it hung", err)
	}
}
