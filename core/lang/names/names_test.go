package names_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/quirehq/quire/core/lang/names"
)

func TestEachNameAndExtensionIsOfOneLanguage(t *testing.T) {
	known, extensions := map[string]string{}, map[string]string{}
	for _, l := range names.All() {
		if l.Title == "" || l.Comment == "" || len(l.Extensions) == 0 {
			t.Errorf("%s: got %+v, want a title, an extension and the sign of comments", l.ID, l)
		}
		for _, name := range append([]string{l.ID}, l.Aliases...) {
			if other, ok := known[name]; ok || name != strings.ToLower(name) {
				t.Errorf("%s: the name %q is of %q too, or not in lower case", l.ID, name, other)
			}
			known[name] = l.ID
		}
		for _, extension := range l.Extensions {
			if other, ok := extensions[extension]; ok || !strings.HasPrefix(extension, ".") {
				t.Errorf("%s: the extension %q is of %q too, or has no dot", l.ID, extension, other)
			}
			extensions[extension] = l.ID
		}
	}
}

func TestTheTableHasEveryLanguageThatIsToRun(t *testing.T) {
	for _, id := range strings.Fields("python javascript typescript ruby php lua r perl scheme sql") {
		if !slices.ContainsFunc(names.All(), func(l names.Language) bool { return l.ID == id }) {
			t.Errorf("%s is not in the table", id)
		}
	}
}

func TestALanguageIsFoundByAnyOfItsNames(t *testing.T) {
	for name, want := range map[string]string{
		"python": "python", "Python3": "python", "IPython": "python", "R": "r", "shell": "bash", "sh": "bash", "Bash": "bash",
		"JS": "javascript", "Rust": "rust", "C++17": "c++17", "": "",
	} {
		if got := names.ID(name); got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
}
