//go:build unix

package jupyter

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/core/lang/langtest"
)

// loadFake returns an engine of the fake kernel, after some changes.
func loadFake(t *testing.T, changes ...func(*Engine)) *Engine {
	t.Helper()
	engine := open(t, fakeKernel(t))
	for _, change := range changes {
		change(engine)
	}
	if err := engine.Load(deadline(t), nil); err != nil {
		t.Fatal(err)
	}
	return engine
}

// impatient shortens the wait for lost messages.
func impatient(e *Engine) { e.patience = 200 * time.Millisecond }

// anxious sends heartbeats all the time.
func anxious(e *Engine) { e.heartbeatTimeout, e.heartbeatInterval = 3*time.Second, 10*time.Millisecond }

func TestAKernelIsReachedByTCPAndSaysLittle(t *testing.T) {
	engine := loadFake(t)
	if got := engine.link.place.transport; got != "tcp" {
		t.Fatalf("got the transport %s, want tcp", got)
	}
	want := lang.Info{Language: "fake", Version: "unknown", Extension: ".fake", MIME: "text/plain", Described: json.RawMessage(`{"file_extension":"fake"}`)}
	if diff := cmp.Diff(want, engine.Info()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAKernelOfTCPIsRefusedWhereThereIsNoNetwork(t *testing.T) {
	engine, err := New(Config{Kernel: fakeKernel(t), Dir: t.TempDir(), Offline: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := engine.Load(deadline(t), nil); !errors.Is(err, lang.ErrOffline) {
		t.Errorf("got %v, want that it needs the network", err)
	}
	if err := engine.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
}

func TestARunEndsThoughOneOfItsEndsIsLost(t *testing.T) {
	engine := loadFake(t, impatient)
	expect(t, engine, "say no idle")
	if _, failed := execute(t, engine, "send no reply"); failed == nil || failed.Name != noReply {
		t.Errorf("got %v, want %s", failed, noReply)
	}
	expect(t, loadFake(t), "reply late", "stdout: a")
}

func TestWhatIsForgedOrRepeatedIsNotShown(t *testing.T) {
	engine := loadFake(t)
	expect(t, engine, "forge", "stdout: real")
	expect(t, engine, "repeat", "stdout: once")
}

func TestAMessageThatIsTooLargeIsLeftOut(t *testing.T) {
	engine := open(t, fakeKernel(t))
	engine.config.MaxMessage = 1500
	if err := engine.Load(deadline(t), nil); err != nil {
		t.Fatal(err)
	}
	sink, failed := execute(t, engine, "say too much at once")
	got := strings.Join(sink.Lines(), "|")
	if failed != nil || strings.Contains(got, "xxx") || !strings.Contains(got, "larger than the limit of 1500") || !strings.Contains(got, "stdout: after") {
		t.Errorf("got %q, %v", got, failed)
	}
}

func TestAKernelCanBeInterruptedByMessage(t *testing.T) {
	engine := loadFake(t)
	for range 3 {
		sink := &langtest.Recorder{OnStream: func(string, string) { _ = engine.Interrupt() }}
		result, err := engine.Execute(deadline(t), lang.Request{Source: "wait for an interrupt"}, sink)
		if err != nil || result.Err == nil || result.Err.Cause != lang.CauseInterrupted {
			t.Fatalf("got %+v, %v, want it interrupted", result, err)
		}
	}
}

func TestAKernelThatHangsUpIsEnded(t *testing.T) {
	engine := loadFake(t, impatient)
	_, err := engine.Execute(deadline(t), lang.Request{Source: "hang up"}, &langtest.Recorder{})
	if !errors.Is(err, lang.ErrDied) || !strings.Contains(err.Error(), "it closed its channel iopub") {
		t.Errorf("got %v, want it ended because it hung up", err)
	}
}

func TestAKernelWhoseHeartStopsIsEnded(t *testing.T) {
	engine := loadFake(t, anxious)
	expect(t, engine, "stop the heart")
	<-engine.gone
	_, err := engine.Execute(deadline(t), lang.Request{Source: "ok"}, &langtest.Recorder{})
	if !errors.Is(err, lang.ErrDied) || !strings.Contains(err.Error(), "nothing was heard of it for 3s") {
		t.Errorf("got %v, want it ended because it hung", err)
	}
}

func TestWhatNamesARunIsOfThatRunAlsoWhenItHasEnded(t *testing.T) {
	engine := loadFake(t)
	first, second := &langtest.Recorder{}, &langtest.Recorder{}
	if _, err := engine.Execute(deadline(t), lang.Request{Source: "remember"}, first); err != nil {
		t.Fatal(err)
	}
	if _, err := engine.Execute(deadline(t), lang.Request{Source: "speak for the first"}, second); err != nil {
		t.Fatal(err)
	}
	eventually(t, first, "stdout: firstlate", "display: text/plain shown", "stdout: later", "error: Oh")
	eventually(t, second, "stdout: secondsecond", "clear: wait", "stdout: strange")
}

// eventually waits until a sink has the events that a test wants.
func eventually(t *testing.T, sink *langtest.Recorder, want ...string) {
	t.Helper()
	var got []string
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if got = sink.Lines(); fmt.Sprint(got) == fmt.Sprint(want) {
			return
		}
	}
	t.Errorf("got  %q\nwant %q", got, want)
}
