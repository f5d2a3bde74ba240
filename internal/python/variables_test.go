//go:build unix

package python

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// listed returns variables by name, each as "type shape preview".
func listed(t *testing.T, engine *Engine) map[string]string {
	t.Helper()
	variables, err := engine.Variables(deadline(t))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, v := range variables {
		got[v.Name] = strings.Join(strings.Fields(v.Type+" | "+v.Shape+" | "+v.Preview), " ")
		if v.Size <= 0 {
			t.Errorf("%s has no size", v.Name)
		}
		if len([]rune(v.Preview)) > 80 || strings.Contains(v.Preview, "\n") {
			t.Errorf("%s has the preview %q, want a short line", v.Name, v.Preview)
		}
	}
	return got
}

func TestVariablesAreListed(t *testing.T) {
	engine := load(t)
	expect(t, engine, `
from __future__ import annotations
import os, collections, dataclasses
from os import getpid
from collections import OrderedDict
_private = 1
number, text, nothing = 1.5, "a\nb" * 100, None
large = 10 ** 5000
items = list(range(10 ** 6))
nested = {"a": [1, (2,), {3}, {}], "b": {"c": {"d": {"e": 1}}}}
loop = []
loop.append(loop)
counter = collections.Counter("aab")
Point = collections.namedtuple("Point", "x y")
point = Point(1, 2)
def trot(far, to=None): pass
class Boom:
  def __repr__(self): return 1 / 0
  def __len__(self): return 1 / 0
  @property
  def shape(self): return 1 / 0
  def __sizeof__(self): return 1 / 0
boom = Boom()
booms = [boom]
class Mock:
  def __getattr__(self, name): return self
  def __repr__(self): return "a\n mock"
mock = Mock()
class Own(dict):
  def __repr__(self): return 1 / 0
  __iter__ = items = keys = __len__ = __repr__
own = Own(a=1)
`)
	want := map[string]string{
		"number":  "float | | 1.5",
		"text":    `str | | '` + strings.Repeat(`a\nb`, 19) + `a\…`,
		"nothing": "NoneType | | None",
		"large":   "int | | <int of 16610 bits>",
		"items":   "list | 1000000 items | [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, …",
		"nested":  "dict | 2 items | {'a': [1, (2,), {3}, {}], 'b': {'c': {'d': {…}}}}",
		"loop":    "list | 1 item | [[[[…]]]]",
		"counter": "Counter | 2 items | Counter({'a': 2, 'b': 1})",
		"Point":   "type | | Point(x, y)",
		"point":   "Point | 2 items | Point((1, 2))",
		"trot":    "function | | trot(far, to=None)",
		"Boom":    "type | | Boom()",
		"boom":    "Boom | | <Boom: its __repr__ raises ZeroDivisionError>",
		"booms":   "list | 1 item | [<Boom: its __repr__ raises ZeroDivisionError>]",
		"Mock":    "type | | Mock()",
		"mock":    "Mock | | a mock",
		"Own":     "type | | Own",
		"own":     "Own | 1 item | Own({'a': 1})",
	}
	if diff := cmp.Diff(want, listed(t, engine)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestCodeThatDoesNotEndSpoilsOneVariable(t *testing.T) {
	engine := load(t)
	listed(t, engine) // warms up all but the code of the program
	engine.patience = 2 * moment
	expect(t, engine, "class Stuck:\n  def stay(self):\n    while True: pass\n  shape = property(stay)\n  __len__ = __repr__ = __sizeof__ = stay\n"+
		"b = Stuck()\na, c = 1, [2, b]")
	want := map[string]string{
		"Stuck": "type | | Stuck()", "a": "int | | 1", "b": "Stuck | | <Stuck: its __repr__ takes too long>", "c": "list | 2 items | [2, <Stuck object>]",
	}
	if diff := cmp.Diff(want, listed(t, engine)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	expect(t, engine, "a", "result: 1")
}

func TestVariablesOfLibrariesAreListed(t *testing.T) {
	engine := start(t, need(t, "numpy", "pandas"))
	expect(t, engine, `
import numpy as np, pandas as pd
array = np.zeros((1000, 1000))
ints = np.arange(3)
frame = pd.DataFrame({"a": range(3), "b": list("xyz")})
series = frame["a"]
from numpy import sin, array as make
`)
	want := map[string]string{
		"array":  "ndarray | (1000, 1000) | array([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.…",
		"ints":   "ndarray | (3,) | array([0, 1, 2])",
		"frame":  "DataFrame | (3, 2) | columns a, b",
		"series": "Series | (3,) | [0, 1, 2]",
	}
	if diff := cmp.Diff(want, listed(t, engine)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	got, err := engine.Complete(deadline(t), at("frame['|"))
	if err != nil || len(got.Items) != 2 || got.Items[0].Text != "a" || got.Items[1].Text != "b" {
		t.Errorf("got the keys %+v, %v, want a and b", got, err)
	}
}
