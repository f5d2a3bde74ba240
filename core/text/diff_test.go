package text

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestDiffExamples(t *testing.T) {
	tests := []struct{ name, a, b, want string }{
		{"the same", "abc\n", "abc\n", `[]`},
		{"from nothing", "", "abc", `["abc"]`},
		{"to nothing", "abc", "", `[-3]`},
		{"a letter in a word", "let value = 1", "let valxue = 1", `[7,"x"]`},
		{"a letter at the end", "aaa", "aaaa", `[3,"a"]`},
		{"a word of a line", "let value = 1", "let number = 1", `[4,"number",-5]`},
		{"a line between", "a\nb\nd\n", "a\nb\nc\nd\n", `[4,"c\n"]`},
		{"a line that repeats its neighbour", "f(a)\nf(b)\n", "f(b)\n", `[-5]`},
		{"a line at the end", "a\nb", "a\nb\nc", `[3,"\nc"]`},
		{"changes far apart", "a\nb\nc\nd\ne\n", "x\nb\nc\nd\ny\n", `["x",-1,7,"y",-1]`},
		{"changes in one line", "f(one, two, three)", "f(1, two, 3)", `[2,"1",-3,7,"3",-5]`},
		{"nothing in common but blanks", "ab cd ef", "gh ij kl", `["gh ij kl",-8]`},
		{"emoji that share a half", "a😀b", "a😁b", `[1,"😁",-2]`},
		{"letters that share a byte", "é", "è", `["è",-1]`},
		{"letters that share the last byte", "é", "ũ", `["ũ",-1]`},
		{"a script without blanks", "今天天气很好", "今天空气很好", `[2,"空",-1]`},
		{"broken UTF-8", "a\xff", "a\xfe!", `[2,"!"]`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			check(t, "edit", Diff(tt.a, tt.b).String(), tt.want)
		})
	}
}

func TestTX6DiffTurnsOneTextIntoTheOther(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := texts().Draw(t, "a")
		b := texts().Draw(t, "b")
		checkDiff(t, a, b)
		checkDiff(t, a, applied(t, a, editsOf(a).Draw(t, "e")))
	})
}

// checkDiff fails the test if the difference of two valid texts does not lead from one to the other, or is longer than
// replacing all.
func checkDiff(t rapid.TB, a, b string) {
	t.Helper()
	e := Diff(a, b)
	checkNormal(t, e)
	check(t, "text", applied(t, a, e), b)
	var inserted int
	for _, c := range comps(e) {
		inserted += len(c.text)
	}
	if inserted > len(b) {
		t.Errorf("diff of %q and %q inserts %d bytes", a, b, inserted)
	}
}

func TestDiffOfLongTextsIsSmallIfTheChangesAre(t *testing.T) {
	a := source(1 << 20)
	b := strings.Replace(a, "step_7(", "step_seven(", 1)
	b = strings.Replace(b, "return x + 7007\n", "return 7007 + x\n", 1)
	b += "print(1)\n"
	e := Diff(a, b)
	check(t, "text", applied(t, a, e), b)
	if n := len(e.AppendJSON(nil)); n > 100 {
		t.Errorf("got an edit of %d bytes, want at most 100: %v", n, e)
	}
}

func TestDiffLeavesOutLongCommonEnds(t *testing.T) {
	line := strings.Repeat("é😀", 3*block)
	lines := source(5 * block)
	for _, ends := range []string{line, lines, "x" + line, lines + "\n"} {
		want := Replace(UTF16Len(ends), 1, "b")
		check(t, "edit", Diff(ends+"a"+ends, ends+"b"+ends), want)
	}
}

func TestDiffOfATextWithVeryManyMoreLines(t *testing.T) {
	a, b := "x\ny\n", strings.Repeat("y\n", 2*maxDistance)+"z"
	check(t, "text", applied(t, a, Diff(a, b)), b)
}

func TestTX6DiffGivesUpOnTextsThatAreTooDifferent(t *testing.T) {
	shuffled := func(times int) string {
		lines := strings.SplitAfter(source(1<<20), "\n")
		for i := range lines {
			j := i * times % len(lines)
			lines[i], lines[j] = lines[j], lines[i]
		}
		return strings.Join(lines, "")
	}
	a, b := shuffled(7919), shuffled(104729)
	work := diffWork
	if _, ok := shortest(lineTokens(a), lineTokens(b), &work); ok {
		t.Fatal("the texts are not too different")
	}
	// A step of work looks at no more than one token, and a begun row is finished.
	if limit := -(1 << 20); work < limit {
		t.Errorf("got %d steps left, want at least %d", work, limit)
	}
	check(t, "text", applied(t, a, Diff(a, b)), b)
}

func TestShortestFindsTheFewestChanges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tokens := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c"}), 0, 12)
		a, b := tokens.Draw(t, "a"), tokens.Draw(t, "b")
		work := diffWork
		hunks, ok := shortest(a, b, &work)
		if !ok {
			t.Fatal("gave up")
		}
		got, i, j := 0, 0, 0
		for _, h := range hunks {
			check(t, "kept", a[i:h.a0], b[j:h.b0])
			got += h.a1 - h.a0 + h.b1 - h.b0
			i, j = h.a1, h.b1
		}
		check(t, "kept at the end", append([]string{}, a[i:]...), append([]string{}, b[j:]...))
		check(t, "changes", got, len(a)+len(b)-2*longestCommon(a, b))
	})
}

// longestCommon returns the length of the longest common subsequence, the slow way.
func longestCommon(a, b []string) int {
	if len(a) == 0 || len(b) == 0 {
		return 0
	}
	row := make([]int, len(b)+1)
	for _, x := range a {
		corner := 0
		for j, y := range b {
			best := max(row[j], row[j+1])
			if x == y {
				best = corner + 1
			}
			corner, row[j+1] = row[j+1], best
		}
	}
	return row[len(b)]
}

func FuzzDiff(f *testing.F) {
	f.Add("", "")
	f.Add("let value = 1\n", "let number = 1\nprint()\n")
	f.Add("a😀b\nc", "a😁b\nd")
	f.Add("é\xff", "è")
	f.Add("a\nb\nc\na\nb\n", "c\nb\na\nb\na\nc\n")
	f.Fuzz(func(t *testing.T, a, b string) {
		checkDiff(t, valid(a), valid(b))
		check(t, "diff of broken text", Diff(a, b), Diff(valid(a), valid(b)))
	})
}

func BenchmarkDiff(b *testing.B) {
	old := source(1 << 20)
	cases := []struct{ name, to string }{
		{"one change in 1MB", old[:1<<19] + "x" + old[1<<19:]},
		{"two changes in 1MB", "x" + old + "y"},
		{"all of 1MB", strings.ToUpper(old)},
		{"blank lines of 1MB", strings.Repeat("\n", 1<<20)},
	}
	for _, c := range cases {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				Diff(old, c.to)
			}
		})
	}
}
