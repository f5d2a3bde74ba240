package lang

import "testing"

func TestRecentEvictsTheOldestRunWithoutOutput(t *testing.T) {
	var recent Recent[int, int]
	for id := range maxRecent {
		recent.Add(id, id)
	}
	recent.Find(0)
	recent.Add(maxRecent, maxRecent)
	for id, want := range map[int]bool{0: true, 1: false, 2: true, maxRecent: true} {
		if run, got := recent.Find(id); got != want || got && run != id {
			t.Errorf("run %d: got %v, %v, want it remembered: %v", id, run, got, want)
		}
	}
}
