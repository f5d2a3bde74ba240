//go:build unix

package python

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/core/lang"
)

var colour = regexp.MustCompile("\x1b\\[[0-9]*m")

// uncoloured is a trace as plain text.
func uncoloured(failed *lang.Error) string {
	return colour.ReplaceAllString(strings.Join(failed.Trace, "\n"), "")
}

func TestTracesAreForPeople(t *testing.T) {
	t.Parallel()
	engine := load(t)
	well(t, engine, "def half(x):\n    return x / 0")
	for name, c := range map[string]struct {
		source string
		parts  []string // in this order
	}{
		"cells and lines": {"x = 1\nhalf(x)", []string{
			"Traceback (most recent call last):", "  Cell In[", ", line 2\n", "    half(x)\n",
			"  Cell In[1], line 2, in half\n", "    return x / 0\n", "ZeroDivisionError: division by zero",
		}},
		"a library": {"import json\njson.loads('{')", []string{", line 2", `File "`, "json/__init__.py\", line ", "JSONDecodeError: "}},
		"a cause": {"try:\n  half(1)\nexcept ZeroDivisionError as e:\n  raise KeyError('k') from e", []string{
			"ZeroDivisionError: ", "The above exception was the direct cause", "KeyError: 'k'",
		}},
		"a context": {"try:\n  half(1)\nexcept ZeroDivisionError:\n  raise KeyError('k')", []string{
			"ZeroDivisionError: ", "During handling of the above exception", "KeyError: 'k'",
		}},
		"no syntax":                 {"x = (1,\n     2 3)", []string{", line 2\n", "    2 3)\n", "    ^", "SyntaxError: "}},
		"recursion":                 {"def f(): f()\nf()", []string{"in f", "[Previous line repeated ", "RecursionError: "}},
		"recursion in turns":        {"def f(): g()\ndef g(): f()\nf()", []string{"in f", " frames not shown …", "in g", "RecursionError: "}},
		"a message that fails":      {"class E(Exception):\n  def __str__(self): raise E\nraise E", []string{", line 3", "E: <"}},
		"a message that never ends": {"raise ValueError('x' * 1000000)", []string{"ValueError: xxx", "characters not shown", "xxx"}},
		"a group": {
			"import sys\nif sys.version_info < (3, 11): raise ValueError('one')\nraise ExceptionGroup('g', [ValueError('one'), TypeError('two')])",
			[]string{"ValueError: one"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, failed := run(t, engine, c.source)
			if failed == nil {
				t.Fatal("got no error")
			}
			trace := uncoloured(failed)
			rest := trace
			for _, part := range c.parts {
				_, after, found := strings.Cut(rest, part)
				if !found {
					t.Fatalf("the trace lacks %q:\n%.3000s", part, trace)
				}
				rest = after
			}
			if strings.Contains(trace, "<quire") || len(failed.Trace) > 200 || len(trace) > 60000 {
				t.Errorf("got %d lines and %d bytes:\n%.3000s", len(failed.Trace), len(trace), trace)
			}
		})
	}
}

func TestTheColoursOfATraceStandOut(t *testing.T) {
	t.Parallel()
	_, failed := run(t, load(t), "x = 1\n1 / 0")
	if failed == nil {
		t.Fatal("got no error")
	}
	got := []string{failed.Trace[1], failed.Trace[len(failed.Trace)-1]}
	want := []string{"  \x1b[32mCell In[1], line 2\x1b[0m", "\x1b[31mZeroDivisionError: division by zero\x1b[0m"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAnErrorInAnEarlierCellsFunctionHasThisCellsLine(t *testing.T) {
	t.Parallel()
	engine := load(t)
	well(t, engine, "def half(x):\n\n\n    return x / 0\nimport threading")
	_, failed := run(t, engine, "y = 1\nhalf(y)")
	if failed == nil || failed.Line != 2 {
		t.Errorf("got %+v, want line 2", failed)
	}
	_, failed = run(t, engine, "import sys\ntry:\n  half(1)\nexcept ZeroDivisionError as e: kept = e.with_traceback(e.__traceback__.tb_next)")
	if failed != nil {
		t.Fatal(failed)
	}
	if _, failed = run(t, engine, "raise kept"); failed == nil || failed.Line != 1 {
		t.Errorf("got %+v, want line 1", failed)
	}
}

func TestAHugeMessageIsCut(t *testing.T) {
	t.Parallel()
	_, failed := run(t, load(t), "raise ValueError('x' * 10000000)")
	if failed == nil || len(failed.Message) > 20000 || !strings.Contains(failed.Message, "9,983,616 characters not shown") {
		t.Errorf("got a message of %d bytes", len(failed.Message))
	}
}

func TestCaretsStandBelowWhatTheyPointAt(t *testing.T) {
	t.Parallel()
	engine := load(t)
	var minor int
	if _, err := fmt.Sscanf(engine.Info().Version, "3.%d", &minor); err != nil || minor < 11 {
		t.Skipf("Python %s has no carets in traces (%v)", engine.Info().Version, err)
	}
	for name, source := range map[string]string{
		"a last line without an end":  "1 + 'a'",
		"a last line with one":        "1 + 'a'\n",
		"a line before others":        "1 + 'a'\nx = 2",
		"after what only text splits": "s = '\u2028 \\\n\x0c'\n1 + 'a'",
	} {
		t.Run(name, func(t *testing.T) {
			_, failed := run(t, engine, source)
			if failed == nil {
				t.Fatal("got no error")
			}
			if trace := uncoloured(failed); !strings.Contains(trace, "\n    1 + 'a'\n    ~~^~~~~\n") {
				t.Errorf("got\n%s", trace)
			}
		})
	}
}

func TestTheLackOfAProgramIsKnownByTypesAndNumbers(t *testing.T) {
	t.Parallel()
	engine := load(t)
	for source, want := range map[string]lang.Lack{
		"raise MemoryError": lang.LackMemory,
		"class Full(MemoryError): pass\nraise Full('x')":                      lang.LackMemory,
		"raise OSError(12, 'x')":                                              lang.LackMemory,
		"raise OSError(27, 'x')":                                              lang.LackFileSize,
		"raise OSError(24, 'x')":                                              lang.LackFiles,
		"raise OSError(11, 'x')":                                              lang.LackProcesses, // it becomes a BlockingIOError
		"raise OSError(101, 'x')":                                             lang.LackNetwork,
		"import socket\nraise socket.gaierror(-3, 'x')":                       lang.LackNetwork,
		"import urllib.error\nraise urllib.error.URLError(OSError(101, 'x'))": lang.LackNetwork,
		"try: raise OSError(-2, 'x')\nexcept OSError as e: raise ValueError('y') from e": lang.LackNetwork,
		"e = ValueError()\ne.reason = OSError(101, 'x')\ne.args = (e,)\nraise e":         lang.LackNetwork,
		"raise RuntimeError(\"can't start new thread\")":                                 lang.LackProcesses,
		"raise OSError(2, 'x')":  lang.LackAccess, // it becomes a FileNotFoundError
		"import no_such_module":  lang.LackAccess,
		"raise OSError('x')":     "",
		"raise OSError([], 'x')": "",
		"raise ValueError('x')":  "",
		"class E(OSError):\n  @property\n  def errno(self): return 27\nraise E('x')": "",
	} {
		if _, failed := run(t, engine, source); failed == nil || failed.Lack != want {
			t.Errorf("%s: got %+v, want the lack %q", source, failed, want)
		}
	}
}
