package ipynb

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestIP1TextsAreCutWhereJupyterCutsThem(t *testing.T) {
	tests := []struct {
		text string
		want []any
	}{
		{"", []any{}},
		{"a", []any{"a"}},
		{"a\n", []any{"a\n"}},
		{"a\n\nb", []any{"a\n", "\n", "b"}},
		{"a\r\nb\rc", []any{"a\r\n", "b\r", "c"}},
		{"a\vb\fc\x1cd\x1de\x1ef\x1fg", []any{"a\v", "b\f", "c\x1c", "d\x1d", "e\x1e", "f\x1fg"}},
		{"é\u0085日\u2028🌍\u2029\u00a0", []any{"é\u0085", "日\u2028", "🌍\u2029", "\u00a0"}},
	}
	for _, test := range tests {
		if diff := cmp.Diff(test.want, lines(test.text)); diff != "" {
			t.Errorf("lines of %q (-want +got):\n%s", test.text, diff)
		}
	}
}

func TestALineIsAlwaysCutSoThatJoiningGivesTheText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := genString().Draw(t, "text")
		if got, ok := joined(any(lines(want))); !ok || got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

func TestATraceIsJoinedAsItWasCut(t *testing.T) {
	tests := []struct {
		name  string
		trace []string
		sizes string
		want  []any
	}{
		{"a line each", []string{"a", "b"}, "", []any{"a", "b"}},
		{"two lines in one", []string{"a", "b", "c"}, `[2,1]`, []any{"a\nb", "c"}},
		{"sizes that are too few", []string{"a", "b"}, `[1]`, []any{"a", "b"}},
		{"sizes that are too many", []string{"a"}, `[1,1]`, []any{"a"}},
		{"sizes that are none", []string{"a"}, `[-1,"x",2]`, []any{"a"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var sizes []any
			if test.sizes != "" {
				sizes = listOf(decodeAny(t, []byte(test.sizes)))
			}
			if diff := cmp.Diff(test.want, joinTrace(test.trace, sizes)); diff != "" {
				t.Errorf("trace (-want +got):\n%s", diff)
			}
		})
	}
}
