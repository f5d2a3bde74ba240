package event_test

import (
	"strings"

	"github.com/quirehq/quire/core/event"
)

func fileCases() []checkCase {
	const want = "artifact: want a SHA-256 hash of 64 hexadecimal digits, got "
	cases := []checkCase{
		{&event.FileAttached{Name: "data/Größe.csv", MIME: "text/csv", Artifact: png()}, ""},
		{&event.FileAttached{Name: "..hidden", Artifact: png()}, ""},
		{&event.FileAttached{Name: "a", Artifact: event.Artifact{Hash: "abc"}}, want + `"abc"`},
		{&event.FileAttached{Name: "a", Artifact: event.Artifact{Hash: strings.Repeat("G", 64)}}, want + `"` + strings.Repeat("G", 64) + `"`},
		{&event.FileAttached{Name: "a", Artifact: event.Artifact{Hash: png().Hash, Size: -1}}, "artifact: want no negative size, got -1"},
		{&event.FileAttached{Artifact: png()}, "name is missing"},
		{&event.FileRemoved{Name: "data/a.csv"}, ""},
		{&event.FileRemoved{Name: long(256)}, "name is 256 bytes, at most 255 fit"},
		{&event.FileRemoved{Name: `a\b`}, `name "a\\b" has a backslash or a zero byte`},
		{&event.FileRemoved{Name: "a\x00"}, `name "a\x00" has a backslash or a zero byte`},
	}
	for _, name := range []string{"/etc/passwd", "a//b", "a/../b", "..", ".", "a/"} {
		cases = append(cases, checkCase{&event.FileRemoved{Name: name}, `name "` + name + `" does not stay inside the notebook's folder`})
	}
	return cases
}

// long returns a name of n bytes.
func long(n int) string { return strings.Repeat("n", n) }
