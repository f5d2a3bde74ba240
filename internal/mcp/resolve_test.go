package mcp

import (
	"strings"
	"testing"

	"github.com/quirehq/quire/core/directory"
)

func TestAS71ANotebookIsNamedByIDTitleOrTheBeginningOfItsID(t *testing.T) {
	var all []directory.Listing
	for _, n := range [][2]string{{"abcdef", "Tides"}, {"abcxyz", "Moons"}, {"xyzabc", "abc"}, {"qqqqqq", "Winds"}, {"rrrrrr", "winds "}, {"ssssss", "abcdef"}} {
		all = append(all, directory.Listing{Notebook: directory.Notebook{ID: n[0], Title: n[1]}})
	}
	for _, test := range []struct{ name, want, fault string }{
		{"abcdef", "abcdef", ""}, // its id, before the title of another
		{"tides", "abcdef", ""},
		{"abc", "xyzabc", ""}, // its title, before the ids that begin so
		{"abcx", "abcxyz", ""},
		{"ab", "", "could be any of 2, such as abcdef and abcxyz"},
		{"WINDS", "", "could be any of 2, such as qqqqqq and rrrrrr"},
		{"rain", "", `there is no notebook "rain"; list_notebooks has`},
	} {
		got, err := find(all, test.name)
		if got != test.want || (err == nil) != (test.fault == "") || err != nil && !strings.Contains(err.Error(), test.fault) {
			t.Errorf("%s: got %q, %v, want %q and a fault with %q", test.name, got, err, test.want, test.fault)
		}
	}
}
