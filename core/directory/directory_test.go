package directory_test

import (
	"testing"

	"github.com/quirehq/quire/core/directory"
)

func TestAListingsCursorIsWhereItStandsInTheList(t *testing.T) {
	l := directory.Listing{Notebook: directory.Notebook{ID: "n1", Updated: 42, Created: 7}}
	got, want := l.Cursor(), directory.Cursor{Updated: 42, ID: "n1"}
	if got != want {
		t.Errorf("got %v, want %v", got, want)
	}
}
