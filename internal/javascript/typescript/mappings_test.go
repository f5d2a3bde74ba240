package typescript

import (
	"strings"
	"testing"

	"github.com/evanw/esbuild/pkg/api"
)

func TestPlacesAreMappedBack(t *testing.T) {
	// Two lines: nothing in the first; in the second, column 4 is line 3, column 6, and column 9 is line 3, column 2.
	m, err := readMappings([]byte(`{"version": 3, "mappings": ";IAEM,KAAJ"}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range [][4]int{{1, 1, 0, 0}, {2, 5, 3, 7}, {2, 8, 3, 7}, {2, 10, 3, 3}, {2, 99, 3, 3}, {2, 1, 3, 7}, {2, 0, 3, 7}, {3, 1, 0, 0}, {0, 0, 0, 0}} {
		if line, column := m.Place(c[0], c[1]); line != c[2] || column != c[3] {
			t.Errorf("%d:%d is %d:%d, want %d:%d", c[0], c[1], line, column, c[2], c[3])
		}
	}
}

func TestMappingsThatAreNoneAreRefused(t *testing.T) {
	for _, text := range []string{``, `{}`, `{"version": 2}`, `{"version": 3, "mappings": "A*"}`, `{"version": 3, "mappings": "g"}`, `{"version": 3, "mappings": "AA"}`, `{"version": 3, "mappings": "AADA"}`, `{"version": 3, "mappings": "gggggggggA"}`} {
		if m, err := readMappings([]byte(text)); err == nil {
			t.Errorf("%s: got %v, want an error", text, m)
		}
	}
}

func FuzzSourceMaps(f *testing.F) {
	for _, source := range []string{"let a: number = 1\nenum E { A }\nclass C<T> { constructor(private x: T) {} }", "type A = 1", "", "'🐎' as any"} {
		result := api.Transform(source, api.TransformOptions{Loader: api.LoaderTS, Sourcemap: api.SourceMapExternal})
		f.Add(string(result.Map))
	}
	f.Add(`{"version": 3, "mappings": ";IAEM,KAAJ"}`)
	f.Fuzz(func(t *testing.T, text string) {
		m, err := readMappings([]byte(text))
		if err != nil {
			return
		}
		for line := range len(m.lines) + 2 {
			for column := range 20 {
				if l, c := m.Place(line, column); l < 0 || c < 0 || (l == 0) != (c == 0) {
					t.Errorf("%d:%d is %d:%d", line, column, l, c)
				}
			}
		}
	})
}

func TestAnyTypeScriptRunsOrFailsInItsLines(t *testing.T) {
	for _, source := range []string{"", "\n\n", "type", "let", "enum", "<T>", "class { }", strings.Repeat("(", 10_000), "\x00", "\u2028", "/*", "`${", "a?.b!.c as any satisfies x"} {
		_, _, failed := Strip("cell", source)
		if lines := strings.Count(source, "\n") + 1; failed != nil && failed.Line > lines+1 {
			t.Errorf("%q: got line %d", source, failed.Line)
		}
	}
}
