//go:build !race

package javascript

import (
	_ "embed"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/core/engineproto/engineprototest"
)

// Values of all kinds, and how Node 20.20.2 prints them with util.inspect, a value after the other.
var (
	//go:embed testdata/values.js
	values string
	//go:embed testdata/values.txt
	printed string
)

func TestValuesArePrintedAsNodeDoes(t *testing.T) {
	h := engineprototest.Start(t, New(Config{}))
	lines, failed := h.Run("const all = " + values + "\nfor (const value of all) console.log(inspect(value))")
	if failed != nil {
		t.Fatal(failed)
	}
	if diff := cmp.Diff("stdout: "+printed, lines[0]); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestTheConsolePrintsAsNodeDoes(t *testing.T) {
	h := engineprototest.Start(t, New(Config{}))
	for _, c := range []struct{ source, want string }{
		{`console.log("%s is %d and %i, %f, %j %O %%", "Bob", 42.5, 42.9, "1.5", {a: 1}, {b: 2}, "more", 5)`, "stdout: Bob is 42.5 and 42, 1.5, {\"a\":1} { b: 2 } % more 5\n"},
		{`console.log("%c styled", "css"); console.log("100%", 5); console.log('%s', null, undefined, {a: {b: {c: 1}}})`, "stdout:  styled\n100% 5\nnull undefined { a: { b: { c: 1 } } }\n"},
		{`console.log(); console.log("a\nb", "c")`, "stdout: \na\nb c\n"},
		{`console.warn("careful", 1)`, "stderr: careful 1\n"},
		{`console.assert(1 === 2, "sums"); console.assert(true)`, "stderr: Assertion failed: sums\n"},
		{`console.group("g"); console.log("in\nside"); console.groupEnd(); console.log("out")`, "stdout: g\n  in\n  side\nout\n"},
		{`console.count(); console.count("x"); console.count()`, "stdout: default: 1\nx: 1\ndefault: 2\n"},
		{`console.dir({a: {b: {c: {d: 1}}}}, {depth: 0})`, "stdout: { a: [Object] }\n"},
		{`console.table([{a: 1, b: "x"}, {a: 20, c: true}])`, "stdout: ┌─────────┬────┬─────┬──────┐\n│ (index) │ a  │ b   │ c    │\n├─────────┼────┼─────┼──────┤\n│ 0       │ 1  │ 'x' │      │\n│ 1       │ 20 │     │ true │\n└─────────┴────┴─────┴──────┘\n"},
		{`console.table(["p", "q"])`, "stdout: ┌─────────┬────────┐\n│ (index) │ Values │\n├─────────┼────────┤\n│ 0       │ 'p'    │\n│ 1       │ 'q'    │\n└─────────┴────────┘\n"},
	} {
		lines, failed := h.Run(c.source)
		if failed != nil {
			t.Errorf("%s: %v", c.source, failed)
		}
		if diff := cmp.Diff([]string{c.want}, lines); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.source, diff)
		}
	}
}
