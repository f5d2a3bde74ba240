package runtime

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/internal/ctxmutex"
	"github.com/quirehq/quire/core/lang"
)

// timedSink returns a sink, with a function that returns when its events were stated.
func timedSink(t *testing.T) (out *sink, d *desk, stated func() []time.Duration) {
	t.Helper()
	d = newDesk(t, Limits{})
	began := time.Now()
	var times []time.Duration
	d.emit = func(p event.Payload) error {
		times = append(times, time.Since(began))
		return d.state(p)
	}
	out = &sink{mute: func() {}, pressed: func() bool { return false }, mu: ctxmutex.New(), shaper: d.shaper}
	return out, d, func() []time.Duration {
		out.mu.Lock()
		defer out.mu.Unlock()
		return times
	}
}

func TestAG24TheFirstTextGoesAtOnceAndTheRestInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		out, d, stated := timedSink(t)
		out.Stream(lang.Stdout, "a")
		for range 9 {
			time.Sleep(time.Millisecond)
			out.Stream(lang.Stdout, "b")
		}
		time.Sleep(time.Second)
		if got := stated(); len(got) != 2 || got[0] != 0 || got[1] > 50*time.Millisecond {
			t.Errorf("got events at %v, want one at once and one within 50 ms", got)
		}
		out.Stream(lang.Stdout, "c")
		if got := stated(); len(got) != 3 {
			t.Errorf("got %d events after a quiet time, want the text at once", len(got))
		}
		d.want("stdout: abbbbbbbbbc")
		out.finish(1, nil)
	})
}

func TestAG24ThereAreAboutThirtyEventsASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		out, d, stated := timedSink(t)
		var want strings.Builder
		for i := range 10_000 {
			time.Sleep(time.Millisecond)
			line := fmt.Sprintln(i)
			out.Stream(lang.Stdout, line)
			want.WriteString(line)
		}
		out.finish(1, nil)
		if got := len(stated()); got > 310 || got < 250 {
			t.Errorf("got %d events in 10 s, want 30 a second", got)
		}
		d.want("stdout: " + want.String())
	})
}

func TestAG24UpdatesAreStatedInTimeAndNotTooOften(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		out, d, stated := timedSink(t)
		out.Display(plainText("0"), "x")
		for i := range 1000 {
			time.Sleep(time.Millisecond)
			out.Update("x", plainText(fmt.Sprint(i)))
		}
		time.Sleep(50 * time.Millisecond)
		if got := len(stated()); got > 33 {
			t.Errorf("got %d events in a second", got)
		}
		d.want(`display: text/plain "999"`)
		out.finish(1, nil)
	})
}

func TestAG24MuchThatIsPendingMakesTextWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		out, d, stated := timedSink(t)
		pressed := true
		out.pressed = func() bool { return pressed }
		out.Stream(lang.Stdout, "a")
		time.Sleep(time.Second)
		if got := stated(); len(got) != 0 {
			t.Errorf("got events at %v, want them to be collected", got)
		}
		out.mu.Lock()
		pressed = false
		out.mu.Unlock()
		time.Sleep(50 * time.Millisecond)
		if got := stated(); len(got) != 1 {
			t.Errorf("got events at %v, want one", got)
		}
		d.want("stdout: a")
		out.finish(1, nil)
	})
}

func TestAG8NothingIsStatedAfterTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		out, _, stated := timedSink(t)
		out.Stream(lang.Stdout, "a")
		out.Stream(lang.Stdout, "b")
		out.finish(1, nil)
		n := len(stated())
		time.Sleep(time.Second)
		if got := len(stated()); got != n || n != 2 {
			t.Errorf("got %d events, and %d more after the end", n, got-n)
		}
	})
}

func BenchmarkPrint(b *testing.B) {
	d := newDesk(b, Limits{Stream: 1 << 50})
	d.emit = func(event.Payload) error { return nil }
	out := &sink{mute: func() {}, pressed: func() bool { return false }, mu: ctxmutex.New(), shaper: d.shaper}
	b.SetBytes(64)
	b.ReportAllocs()
	for b.Loop() {
		out.Stream(lang.Stdout, "a line of output as programs print them, say 64 bytes in length\n")
	}
}
