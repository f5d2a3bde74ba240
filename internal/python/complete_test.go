//go:build unix

package python

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/core/lang"
)

// at is the place of the | in a source.
func at(source string) lang.Place {
	before, after, _ := strings.Cut(source, "|")
	return lang.Place{Source: before + after, Cursor: len([]rune(before)) + strings.Count(before, "🐎")}
}

// shelf is a program with all kinds of names.
const shelf = `import sys
class Horse:
  "A horse."
  legs = 4
  def __init__(self, name="?", *, speed=1): self.name = name
  def trot(self, far, to=None): "Go."
  @property
  def slow(self): return 1 / 0
  _hidden = 1
  @classmethod
  def foal(cls): pass
horse = Horse()
herd = {"first one": horse, "it's": 2, 3: 4}
class Loud:
  def __getattr__(self, name): raise RuntimeError(name)
  def __dir__(self): raise RuntimeError
loud = Loud()
def gallop(horse, *, faster=True): pass
`

func TestNamesAreCompleted(t *testing.T) {
	engine := load(t)
	if err := os.Mkdir(filepath.Join(engine.config.Dir, "stable"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"stable/__init__.py": "from os import path as way\ndef muck(): pass\n1 / 0", "stable/box.py": ""} {
		if err := os.WriteFile(filepath.Join(engine.config.Dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	expect(t, engine, shelf+"sys.modules['jedi'] = None")
	for name, c := range map[string]struct{ source, want string }{
		"a name":                       {"hor|", "horse Horse"},
		"a name in the middle":         {"x = ho|rse + 1", "horse Horse"},
		"a keyword":                    {"whi|", "while"},
		"a builtin":                    {"enumer|", "enumerate"},
		"a word of the source":         {"mare = 1\nprint(ma|", "map mare max"},
		"attributes":                   {"horse.|", "foal legs name slow trot"},
		"an attribute":                 {"horse.tr|", "trot"},
		"an attribute of a class":      {"Horse.fo|", "foal"},
		"a hidden attribute":           {"horse._h|", "_hidden"},
		"an attribute of a module":     {"sys.getrefc|", "getrefcount"},
		"through a subscript":          {"herd['first one'].na|", "name"},
		"an attribute of a text":       {"'a'.upp|", "upper"},
		"an attribute that raises":     {"loud.x|", ""},
		"what dir does not say":        {"loud.|", ""},
		"keys":                         {"herd[|", `'first one' "it's"`},
		"a key":                        {"herd['fi|']", "first one"},
		"a key with a quote":           {"herd['it|", `it\'s`},
		"a parameter":                  {"gallop(horse, fas|", "faster="},
		"a parameter of a class":       {"Horse(sp|", "speed="},
		"a module":                     {"import graphl|", "graphlib"},
		"a module of a package":        {"import xml.e|", "etree"},
		"a module after another":       {"import os, graphl|", "graphlib"},
		"a module to import from":      {"from graphl|", "graphlib"},
		"a name of a loaded module":    {"from os import getpi|", "getpid"},
		"names of another module":      {"from stable import |", "box muck way"},
		"a name after another":         {"from stable import (muck, w|", "way"},
		"nothing in a text":            {"'hor|'", ""},
		"nothing in a comment":         {"1 # hor|", ""},
		"a name behind a text":         {"'''a\n'b''' + hor|", "horse Horse"},
		"a name behind wide text":      {"'🐎🐎' + hor|", "horse Horse"},
		"nothing of what is not known": {"nothing.x|", ""},
	} {
		t.Run(name, func(t *testing.T) {
			place := at(c.source)
			got, err := engine.Complete(deadline(t), place)
			if err != nil {
				t.Fatal(err)
			}
			var texts []string
			for _, item := range got.Items {
				texts = append(texts, item.Text)
			}
			if diff := cmp.Diff(c.want, strings.Join(texts, " ")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if got.End != place.Cursor || got.Start > got.End || got.Start < 0 {
				t.Errorf("got the place %d to %d, want it to end at %d", got.Start, got.End, place.Cursor)
			}
		})
	}
	expect(t, engine, "'stable' in sys.modules", "result: False")
}

func TestJediReadsWhatWouldHaveToRun(t *testing.T) {
	engine := start(t, need(t, "jedi"))
	got, err := engine.Complete(deadline(t), at("'🐎'\ndef f(): return [1]\nf().app|"))
	if err != nil || len(got.Items) != 1 || got.Items[0].Text != "append" {
		t.Errorf("got %+v, %v, want append", got, err)
	}
	expect(t, engine, "1", "result: 1")
}

func TestCandidatesSayWhatTheyAre(t *testing.T) {
	engine := load(t)
	expect(t, engine, shelf)
	for source, want := range map[string]lang.Candidate{
		"gallo|":          {Text: "gallop", Kind: "function", Type: "gallop(horse, *, faster=True)"},
		"horse.leg|":      {Text: "legs", Kind: "variable", Type: "int"},
		"horse.slo|":      {Text: "slow", Kind: "property"},
		"herd['fi|":       {Text: "first one", Kind: "key"},
		"import graphli|": {Text: "graphlib", Kind: "module"},
		"Horse(spe|":      {Text: "speed=", Kind: "parameter"},
		"whil|":           {Text: "while", Kind: "keyword"},
	} {
		got, err := engine.Complete(deadline(t), at(source))
		if err != nil || len(got.Items) == 0 {
			t.Fatalf("%s: got %+v, %v", source, got, err)
		}
		if diff := cmp.Diff(want, got.Items[0]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", source, diff)
		}
	}
}

func TestNamesAreInspected(t *testing.T) {
	engine := load(t)
	expect(t, engine, shelf+`import math, functools
x = 42
class Boom:
  def __repr__(self): return 1 / 0
boom = Boom()
def odd(a, b=boom, c: Boom = 7, *d: "text", e=len, f=[1, 2], **g) -> int: "Odd."
def silent(a: None = None) -> None: "Says nothing."
class Lying:
  @property
  def __class__(self): return 1 / 0
  @property
  def __signature__(self): return 1 / 0
  @property
  def __doc__(self): return 1 / 0
  def __call__(self): pass
lying = Lying()
`)
	for name, c := range map[string]struct{ source, signature, doc string }{
		"a function":                  {"gall|op", "gallop(horse, *, faster=True)", ""},
		"a method":                    {"horse.trot|", "horse.trot(far, to=None)", "Go."},
		"a class":                     {"Horse|", "Horse(name='?', *, speed=1)", "A horse."},
		"a number":                    {"x|", "x: int = 42", ""},
		"an object":                   {"|horse", "horse: Horse = <Horse object>", "A horse."},
		"a module":                    {"|math.pi", "module math", "the mathematical functions"},
		"an attribute":                {"math.p|i", "math.pi: float = 3.141592653589793", ""},
		"the call around":             {"gallop(x, |", "gallop(horse, *, faster=True)", ""},
		"the call behind an argument": {"gallop(x|)", "gallop(horse, *, faster=True)", ""},
		"an argument":                 {"gallop(|x)", "x: int = 42", ""},
		"the inner call":              {"gallop(horse.trot(1, |", "horse.trot(far, to=None)", "Go."},
		"a call in a list":            {"gallop([1, (2), |", "gallop(horse, *, faster=True)", ""},
		"C without a signature":       {"getattr|", "getattr(object, name[, default]) -> value", "Get a named attribute"},
		"nothing":                     {"silent|", "silent(a: None = None) -> None", "Says nothing."},
		"defaults that raise":         {"odd|", "odd(a, b=<Boom object>, c: __main__.Boom = 7, *d: text, e=len, f=[1, 2], **g) -> int", "Odd."},
		"a repr that raises":          {"boom|", "boom: Boom = <Boom: its __repr__ raises ZeroDivisionError>", ""},
		"one who lies":                {"lying|", "", ""},
		"a property that raises":      {"horse.slow|", "not found", ""},
		"an attribute that raises":    {"loud.x|", "not found", ""},
		"what would have to run":      {"gallop().x|", "not found", ""},
		"a text":                      {"'horse|'", "not found", ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := engine.Inspect(deadline(t), at(c.source))
			if err != nil {
				t.Fatal(err)
			}
			if !got.Found {
				got.Signature = "not found"
			}
			if diff := cmp.Diff(c.signature, got.Signature); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if doc := string(got.Data["text/plain"]); !strings.Contains(doc, c.doc) {
				t.Errorf("got the doc %s, want %q", doc, c.doc)
			}
		})
	}
}

func TestIPythonCompletesItsMagics(t *testing.T) {
	engine := start(t, need(t, "IPython"))
	expect(t, engine, "%precision 3\nhorse = 1") // the first magic starts the shell
	for source, want := range map[string]string{"%timei|": "%timeit", "'🐎'; hor|": "horse"} {
		got, err := engine.Complete(deadline(t), at(source))
		if err != nil || len(got.Items) == 0 || got.Items[0].Text != want {
			t.Errorf("%s: got %+v, %v, want %s", source, got, err, want)
		}
	}
}
