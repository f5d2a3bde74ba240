package terminal

import (
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
)

func TestAFeedHandsItemsOnInTheirOrder(t *testing.T) {
	f := newPrintQueue[int](100)
	f.put(1, 1, 2)
	f.put(1, 3)
	f.close()
	got, ok := f.take()
	if diff := cmp.Diff([]int{1, 2, 3}, got); diff != "" || !ok {
		t.Errorf("items (-want +got), %v:\n%s", ok, diff)
	}
	if _, ok := f.take(); ok {
		t.Error("got more from a queue that is closed and empty")
	}
}

func TestAFullFeedHoldsUpWhoPutsUntilThereIsSpace(t *testing.T) {
	for _, c := range []struct {
		name  string
		space func(*printQueue[int])
	}{
		{"taken", func(f *printQueue[int]) { f.take() }},
		{"released", func(f *printQueue[int]) { f.release() }},
		{"closed", func(f *printQueue[int]) { f.close() }},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newPrintQueue[int](10)
				f.put(11, 1) // one item always fits
				put := false
				go func() {
					f.put(1, 2)
					put = true
				}()
				synctest.Wait()
				if put {
					t.Error("put did not wait")
				}
				c.space(f)
				synctest.Wait()
				if !put {
					t.Error("put still waits")
				}
			})
		})
	}
}
