package jupyter

import (
	"encoding/hex"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/core/lang"
)

// nowhere is a sink that drops all output.
type nowhere struct{}

func (nowhere) Stream(string, string)       {}
func (nowhere) Display(lang.Bundle, string) {}
func (nowhere) Update(string, lang.Bundle)  {}
func (nowhere) Result(lang.Bundle, string)  {}
func (nowhere) Clear(bool)                  {}
func (nowhere) Fail(*lang.Error)            {}

func hexOf(data []byte) string { return hex.EncodeToString(data) }

func TestATraceTellsThePlaceInTheSource(t *testing.T) {
	for name, c := range map[string]struct {
		source       string
		trace        []string
		line, column int
	}{
		"IPython 8.5": {"a\nb", []string{"\x1b[0;31m-----\x1b[0m", "Cell \x1b[0;32mIn [1], line 2\x1b[0m\n\x1b[1;32m 1\x1b[0m a"}, 2, 0},
		"IPython 8.20, in the function that failed": {
			"def f():\n  x\nf()", []string{"Cell \x1b[0;32mIn[3], line 3\x1b[0m", "Cell In[3], line 2, in f()", "File /lib/x.py:7, in g()"}, 2, 0,
		},
		"IPython 8.0": {"a\nb\nc", []string{"Input In [4], in <cell line: 3>()"}, 3, 0},
		"a syntax error": {
			"ok\n  é🐎 = = 1", []string{"\x1b[0;36m  Cell In [2], line 2\x1b[0m\n    é🐎 = = 1\n         ^\nSyntaxError: invalid syntax\n"}, 2, 9,
		},
		"IPython 7":             {"a\nb", []string{`  File "<ipython-input-1-abc>", line 2`, "    b", "    ^", "SyntaxError"}, 2, 1},
		"R":                     {"a\nb", []string{"Error in f(): no\nTraceback:\n", "1. f()", "2. stop(\"no\")   # at line 2 of file <text>"}, 2, 0},
		"R, a syntax error":     {"'🐎'\nx = = 1", []string{"Error in parse(text = x): <text>:2:5: unexpected '='\n"}, 2, 5},
		"R, behind a character": {"'🐎' = = 1", []string{"<text>:1:7: unexpected '='"}, 1, 8},
		"a line of another cell": {
			"a", []string{"Cell In [1], line 1", "Cell In [7], line 20, in helper()"}, 1, 0,
		},
		"nothing": {"a", []string{"it went wrong", ""}, 0, 0},
		"no line": {"a", []string{"Cell In [1], line 99999999999999999999"}, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			trace, err := json.Marshal(c.trace)
			if err != nil {
				t.Fatal(err)
			}
			got := (&kernelError{Name: "E", Trace: trace}).shape(c.source)
			if got.Line != c.line || got.Column != c.column {
				t.Errorf("got line %d, column %d, want %d and %d", got.Line, got.Column, c.line, c.column)
			}
			if strings.Contains(strings.Join(got.Trace, ""), "\n") {
				t.Errorf("got %q, want lines without ends", got.Trace)
			}
		})
	}
}

func TestAFailureKeepsNameMessageAndLines(t *testing.T) {
	got := (&kernelError{Name: "E", Message: "a\nb\n", Trace: json.RawMessage(`["x\ny\n","z"]`)}).shape("")
	if diff := cmp.Diff(&lang.Error{Name: "E", Message: "a\nb", Trace: []string{"x", "y", "z"}}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := (&kernelError{Trace: json.RawMessage(`"x\ny"`)}).shape(""); !cmp.Equal(got.Trace, []string{"x", "y"}) {
		t.Errorf("a trace of one text: got %q", got.Trace)
	}
}

func TestPlacesAreConvertedBetweenUnitsAndCharacters(t *testing.T) {
	const text = "a🐎é"
	for chars, want := range []int{0, 1, 3, 4} {
		if got := units(text, chars); got != want {
			t.Errorf("%d characters: got %d units, want %d", chars, got, want)
		}
		if got := characters(text, want); got != chars {
			t.Errorf("%d units: got %d characters, want %d", want, got, chars)
		}
	}
	for given, want := range map[int]int{-1: 0, 2: 1, 99: 3} {
		if got := characters(text, given); got != want {
			t.Errorf("%d units: got %d characters, want %d", given, got, want)
		}
	}
}

func TestCharactersThatArriveInPiecesAreWhole(t *testing.T) {
	var d lang.TextDecoder
	var got strings.Builder
	for _, b := range []byte("é🐎\xff!") {
		got.WriteString(d.Decode([]byte{b}, false))
	}
	got.WriteString(d.Decode([]byte("\xf0\x9f"), false))
	got.WriteString(d.Decode(nil, true))
	if want := "é🐎\uFFFD!\uFFFD\uFFFD"; got.String() != want {
		t.Errorf("got %q, want %q", got.String(), want)
	}
}
