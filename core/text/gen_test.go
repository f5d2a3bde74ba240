package text

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// alphabet has runes of one to four bytes, a combining one, and enough repetition for texts to have much in common.
var alphabet = []rune{'a', 'b', 'b', ' ', '\n', '"', '\\', 0, 'é', '\u0301', '世', '\u2028', '😀', '𝄞'}

func texts() *rapid.Generator[string] { return rapid.StringOf(rapid.RuneFrom(alphabet)) }

// editsOf makes edits that fit s, up to a few dozen components, in no particular order.
func editsOf(s string) *rapid.Generator[Edit] {
	return rapid.Custom(func(t *rapid.T) Edit {
		var b builder
		rest := []rune(s)
		for range rapid.IntRange(0, 12).Draw(t, "components") {
			n := rapid.IntRange(0, len(rest)).Draw(t, "runes")
			units := UTF16Len(string(rest[:n]))
			switch rapid.SampledFrom([]string{"retain", "delete", "insert"}).Draw(t, "kind") {
			case "retain":
				b.retain(units)
				rest = rest[n:]
			case "delete":
				b.delete(units)
				rest = rest[n:]
			case "insert":
				in := texts().Draw(t, "text")
				b.insert(in, UTF16Len(in))
			}
		}
		return b.edit()
	})
}

// comps returns the components of an edit.
func comps(e Edit) []comp {
	var all []comp
	for r := read(e); !r.done; r.next() {
		all = append(all, r.comp)
	}
	return all
}

// naive applies an edit to the UTF-16 units themselves.
func naive(s string, e Edit) string {
	units := utf16.Encode([]rune(s))
	var out []uint16
	for _, c := range comps(e) {
		switch {
		case c.text != "":
			out = append(out, utf16.Encode([]rune(c.text))...)
		case c.n > 0:
			out = append(out, units[:c.n]...)
			units = units[c.n:]
		default:
			units = units[-c.n:]
		}
	}
	return string(utf16.Decode(append(out, units...)))
}

// applied returns s after the edits, one after the other.
func applied(t rapid.TB, s string, edits ...Edit) string {
	t.Helper()
	text := NewText(s)
	for _, e := range edits {
		if err := text.Apply(e); err != nil {
			t.Fatalf("apply %v to %q: %v", e, text, err)
		}
	}
	return text.String()
}

// composed returns the composition of two edits that must fit each other.
func composed(t rapid.TB, a, b Edit) Edit {
	t.Helper()
	e, err := Compose(a, b)
	if err != nil {
		t.Fatalf("compose %v and %v: %v", a, b, err)
	}
	return e
}

// check fails the test if got is not want.
func check(t rapid.TB, what string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// checkNormal fails the test if an edit is not in normal form.
func checkNormal(t rapid.TB, e Edit) {
	t.Helper()
	if e.IsZero() && !e.Equal(Edit{}) {
		t.Errorf("edit %#v changes nothing and is not the zero value", e)
	}
	for i := range e.rest {
		if e.rest[i].isZero() {
			t.Errorf("edit %v has a change that does nothing", e)
		}
	}
	const retain, insert, remove = 0, 1, 2
	last := remove
	for i, c := range comps(e) {
		kind := retain
		switch {
		case c.text != "":
			kind = insert
			check(t, "units of an insertion", c.n, UTF16Len(c.text))
		case c.n < 0:
			kind = remove
		case c.n == 0:
			t.Errorf("edit %v has a component that does nothing", e)
		}
		if i > 0 && kind != retain && kind <= last || i > 0 && kind == retain && last == retain {
			t.Errorf("edit %v has %d after %d", e, kind, last)
		}
		last = kind
	}
	if len(comps(e)) > 0 && last == retain {
		t.Errorf("edit %v keeps the end", e)
	}
}

// parse returns the edit of valid JSON.
func parse(t rapid.TB, s string) Edit {
	t.Helper()
	e, err := Parse([]byte(s))
	if err != nil {
		t.Fatalf("parse %s: %v", s, err)
	}
	return e
}

// allocated returns how many bytes f allocates in all.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// source returns about n bytes of something like a program.
func source(n int) string {
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(&b, "def step_%d(x):\n    return x + %d\n\n", i, i*7)
	}
	return b.String()
}

func TestTheNaiveModelAgreesWithAnExampleByHand(t *testing.T) {
	got := naive("a😀b世", Edit{first: change{keep: 1, text: "é", units: 1, drop: 2}})
	check(t, "text", got, "aéb世")
}
