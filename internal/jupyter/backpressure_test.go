//go:build unix

package jupyter

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/core/lang/langtest"
)

// slowSink blocks on displays until it is released.
type slowSink struct {
	*langtest.Recorder
	taken sync.WaitGroup
}

func (s *slowSink) Display(b lang.Bundle, id string) {
	s.taken.Wait()
	s.Recorder.Display(b, id)
}

// untilStill waits until the number that a program writes to a file stays the same, or is last, and
// returns it.
func untilStill(t *testing.T, file string, last int) (n int) {
	t.Helper()
	ctx := deadline(t)
	for same := 0; same < 10 && n != last; {
		if ctx.Err() != nil {
			t.Fatalf("the program goes on and on: it is at %d", n)
		}
		time.Sleep(50 * time.Millisecond)
		data, _ := os.ReadFile(file) // it does not exist at first
		now, _ := strconv.Atoi(string(data))
		if same++; now != n || now == 0 {
			n, same = now, 0
		}
	}
	return n
}

func TestAKernelWaitsWhileNothingIsTakenAndLosesNothing(t *testing.T) {
	engine := load(t, "python3")
	if !engine.link.blocks.Load() {
		t.Error("the kernel was not told to wait")
	}
	const displays = 5000 // more than all queues on the way hold
	source := fmt.Sprintf(`
import os
for i in range(%d):
    display({"text/plain": str(i)}, raw=True)
    if (i + 1) %% 20 == 0:
        with open("new", "w") as f: print(i + 1, end="", file=f)
        os.rename("new", "shown")`, displays)
	sink := &slowSink{Recorder: &langtest.Recorder{}}
	sink.taken.Add(1)
	ended := make(chan error, 1)
	go func() {
		_, err := engine.Execute(deadline(t), lang.Request{Source: source}, sink)
		ended <- err
	}()
	if n := untilStill(t, filepath.Join(engine.config.Dir, "shown"), displays); n == displays {
		t.Error("got all displayed while none was taken, want the program held up")
	}
	sink.taken.Done()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if got := len(sink.Events); got != displays {
		t.Errorf("got %d displays, want %d", got, displays)
	}
	for i, event := range sink.Events {
		if want := strconv.Quote(strconv.Itoa(i)); string(event.Bundle.Data["text/plain"]) != want {
			t.Fatalf("display %d: got %s, want %s", i, event.Bundle.Data["text/plain"], want)
		}
	}
}
