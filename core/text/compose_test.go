package text

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestComposeExamples(t *testing.T) {
	tests := []struct{ name, a, b, want string }{
		{"nothing before", `[]`, `[1,"a"]`, `[1,"a"]`},
		{"nothing after", `[1,"a"]`, `[]`, `[1,"a"]`},
		{"typing", `[3,"a"]`, `[4,"b"]`, `[3,"ab"]`},
		{"typing to the left", `[3,"b"]`, `[3,"a"]`, `[3,"ab"]`},
		{"backspace", `[3,"ab"]`, `[4,-1]`, `[3,"a"]`},
		{"all taken back", `[3,"ab"]`, `[3,-2]`, `[]`},
		{"delete on both sides", `[3,-1]`, `[2,-2]`, `[2,-3]`},
		{"insert where it was deleted", `[3,-2]`, `[3,"x"]`, `[3,"x",-2]`},
		{"a cut in an insertion", `["a😀b"]`, `[1,-2]`, `["ab"]`},
		{"behind the first edit", `["a"]`, `[10,-1]`, `["a",9,-1]`},
		{"before the first edit", `[10,-1]`, `["a"]`, `["a",10,-1]`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := composed(t, parse(t, tt.a), parse(t, tt.b))
			check(t, "edit", got.String(), tt.want)
		})
	}
}

func TestComposeRefusesHalfASurrogatePair(t *testing.T) {
	for _, b := range []string{`[1,"x"]`, `[-1]`, `[1,-1]`, `[2,"x"]`} {
		e, err := Compose(parse(t, `["😀"]`), parse(t, b))
		if refused := err != nil; refused != (b != `[2,"x"]`) {
			t.Errorf("got %v, %v for %s", e, err, b)
		}
	}
}

func TestTX3ComposeDoesBothEdits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := texts().Draw(t, "s")
		a := editsOf(s).Draw(t, "a")
		b := editsOf(applied(t, s, a)).Draw(t, "b")
		ab := composed(t, a, b)
		checkNormal(t, ab)
		check(t, "text", applied(t, s, ab), applied(t, s, a, b))
	})
}

func TestTX3ComposeIsAssociative(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := texts().Draw(t, "s")
		a := editsOf(s).Draw(t, "a")
		s = applied(t, s, a)
		b := editsOf(s).Draw(t, "b")
		s = applied(t, s, b)
		c := editsOf(s).Draw(t, "c")
		check(t, "edit", composed(t, composed(t, a, b), c), composed(t, a, composed(t, b, c)))
	})
}

func TestComposingHolesInALongInsertionTakesLinearSpace(t *testing.T) {
	const n = 20000
	a := Insert(0, strings.Repeat("ab", n))
	b := parse(t, "["+strings.Repeat("1,-1,", n-1)+"1,-1]")
	var e Edit
	got := allocated(func() { e = composed(t, a, b) })
	if limit := uint64(20 * n); got > limit {
		t.Errorf("got %d bytes allocated, want at most %d", got, limit)
	}
	check(t, "edit", e, Insert(0, strings.Repeat("a", n)))
}
