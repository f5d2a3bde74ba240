package jupyter

import (
	"sync"
	"testing"
	"testing/synctest"
)

func message1M() item { return item{parts: [][]byte{make([]byte, 1<<20)}} }

func TestAKernelIsStoppedWhileMuchWaits(t *testing.T) {
	var states []bool
	b := newInbox(func(full bool) { states = append(states, full) })
	for range 9 {
		b.put(message1M())
	}
	if len(states) != 1 || !states[0] {
		t.Fatalf("got %v after 9 MiB, want it stopped once", states)
	}
	for range 8 {
		b.next()
	}
	if len(states) != 2 || states[1] {
		t.Errorf("got %v after most was taken, want it to go on", states)
	}
}

func TestAKernelIsStoppedWhileManyWait(t *testing.T) {
	if queue := 1000; highMark.items >= queue {
		t.Errorf("got a mark of %d, want less than the %d that a kernel's queue has", highMark.items, queue)
	}
	var states []bool
	b := newInbox(func(full bool) { states = append(states, full) })
	for range highMark.items + 1 {
		b.put(item{parts: [][]byte{{}}})
	}
	if len(states) != 1 || !states[0] {
		t.Fatalf("got %v after %d, want it stopped once", states, highMark.items+1)
	}
	for range highMark.items - lowMark.items {
		b.next()
	}
	if len(states) != 1 {
		t.Errorf("got %v while many wait, want it to stay stopped", states)
	}
	if b.next(); len(states) != 2 || states[1] {
		t.Errorf("got %v after most were taken, want it to go on", states)
	}
}

func TestWhoReadsWaitsWhileTheInboxIsFull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newInbox(func(bool) {})
		read := 0
		var reading sync.WaitGroup
		reading.Go(func() {
			for range 30 {
				b.put(message1M())
				read++
				b.wait()
			}
			b.end()
		})
		synctest.Wait()
		if read > 9 {
			t.Errorf("got %d MiB read ahead, want at most 9", read)
		}
		for n := 0; ; n++ {
			if _, ok := b.next(); !ok {
				if n != 30 {
					t.Errorf("got %d, want 30", n)
				}
				break
			}
		}
		reading.Wait()
	})
}

func TestNobodyWaitsForAnInboxThatIsReleased(t *testing.T) {
	full := false
	b := newInbox(func(f bool) { full = f })
	for range 9 {
		b.put(message1M())
	}
	b.release()
	if full {
		t.Error("the kernel is still stopped")
	}
	for range 9 {
		b.put(message1M())
		b.wait()
	}
	if full {
		t.Error("the kernel is stopped again")
	}
}

func TestTextIsTakenOutInItsOrder(t *testing.T) {
	b := newInbox(func(bool) {})
	b.put(item{text: "a"})
	b.put(message1M())
	b.put(item{text: "b"})
	texts := b.takeText()
	if len(texts) != 2 || texts[0].text != "a" || texts[1].text != "b" {
		t.Errorf("got %+v", texts)
	}
	b.end()
	if i, ok := b.next(); !ok || i.parts == nil {
		t.Errorf("got %+v, %v, want the message", i, ok)
	}
	if _, ok := b.next(); ok {
		t.Error("got an item after the end")
	}
}
