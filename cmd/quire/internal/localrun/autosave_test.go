package localrun

import (
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestTheFileOfARunIsWrittenAsCellsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		var mu sync.Mutex
		var at []time.Duration
		var slow atomic.Int64 // how long a write takes
		s := StartSaver(func() error {
			time.Sleep(time.Duration(slow.Load()))
			mu.Lock()
			defer mu.Unlock()
			at = append(at, time.Since(began))
			return nil
		})
		defer s.Close()
		wants := func(what string, want ...time.Duration) {
			t.Helper()
			synctest.Wait()
			mu.Lock()
			defer mu.Unlock()
			if len(at) != len(want) {
				t.Fatalf("%s: written at %v, want %v", what, at, want)
			}
			for i := range at {
				if at[i] != want[i] {
					t.Errorf("%s: written at %v, want %v", what, at, want)
				}
			}
			at = nil
		}
		s.Changed(true)
		wants("the first cell", 0)
		for range 100 {
			s.Changed(true)
			time.Sleep(time.Millisecond)
		}
		wants("a hundred quick ones")
		time.Sleep(2 * time.Second)
		wants("what followed within a second", time.Second)
		s.Changed(false)
		time.Sleep(10 * time.Second)
		wants("what one prints")
		s.Changed(true)
		wants("its end", 12100*time.Millisecond)
		s.Changed(false)
		time.Sleep(saveEnded + savePrinted)
		wants("what one prints that goes on", 32100*time.Millisecond)
		slow.Store(int64(time.Second))
		s.Changed(true)
		time.Sleep(2 * time.Second)
		s.Changed(true)
		time.Sleep(30 * time.Second)
		wants("what takes long to write", 34100*time.Millisecond, 55100*time.Millisecond)
	})
}

func TestAFileThatIsWrittenAtTheEndHasNoSaver(t *testing.T) {
	var s *Saver
	s.Changed(true)
	s.Close()
}
