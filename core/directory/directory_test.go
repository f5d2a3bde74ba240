package directory_test

import (
	"testing"

	"github.com/quirehq/quire/core/directory"
)

func TestACursorHasWhatTheListIsOrderedBy(t *testing.T) {
	l := directory.Listing{Notebook: directory.Notebook{ID: "n1", Title: "Fish", Updated: 42, Created: 7}}
	for sort, want := range map[directory.Sort]directory.Cursor{
		directory.ByChange:   {Time: 42, ID: "n1"},
		directory.ByCreation: {Time: 7, ID: "n1"},
		directory.ByTitle:    {Title: "Fish", ID: "n1"},
	} {
		if got := (directory.Query{Sort: sort}).Cursor(l); got != want {
			t.Errorf("by %q: got %v, want %v", sort, got, want)
		}
	}
}

func TestASearchWantsEveryWordInWhateverCase(t *testing.T) {
	for _, c := range []struct {
		search, title string
		want          bool
	}{
		{"", "", true},
		{" ", "Fish", true},
		{"fish", "Big FISH", true},
		{"FISH big", "Big fish", true},
		{"fish small", "Big fish", false},
		{"is", "Fish", true},
		{"été", "L'ÉTÉ", true},
		{"%", "Fish", false},
		{"_", "Fish", false},
	} {
		if got := (directory.Query{Search: c.search}).Matches(c.title); got != c.want {
			t.Errorf("%q in %q: got %v, want %v", c.search, c.title, got, c.want)
		}
	}
}
