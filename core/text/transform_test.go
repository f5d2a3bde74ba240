package text

import (
	"testing"

	"pgregory.net/rapid"
)

func TestTransformExamples(t *testing.T) {
	tests := []struct{ name, first, second, first2, second2 string }{
		{"the first goes left", `[2,"a"]`, `[2,"b"]`, `[2,"a"]`, `[3,"b"]`},
		{"apart", `[2,"a"]`, `[5,"b"]`, `[2,"a"]`, `[6,"b"]`},
		{"nothing", `[]`, `[5,"b"]`, `[]`, `[5,"b"]`},
		{"both delete", `[2,-3]`, `[4,-3]`, `[2,-2]`, `[2,-2]`},
		{"both delete the same", `[2,-3]`, `[2,-3]`, `[]`, `[]`},
		{"an insertion survives a deletion", `[2,-4]`, `[4,"x"]`, `[2,-2,1,-2]`, `[2,"x"]`},
		{"both replace", `["a",-3]`, `["b",-3]`, `["a"]`, `[1,"b"]`},
		{"astral", `["😀"]`, `[1,-1]`, `["😀"]`, `[3,-1]`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			first2, second2 := Transform(parse(t, tt.first), parse(t, tt.second))
			check(t, "first", first2.String(), tt.first2)
			check(t, "second", second2.String(), tt.second2)
		})
	}
}

func TestTX4TransformConverges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := texts().Draw(t, "s")
		checkConverges(t, s, editsOf(s).Draw(t, "first"), editsOf(s).Draw(t, "second"))
	})
}

// checkConverges fails the test if two edits that fit s do not lead to one text in both orders.
func checkConverges(t rapid.TB, s string, first, second Edit) {
	t.Helper()
	first2, second2 := Transform(first, second)
	checkNormal(t, first2)
	checkNormal(t, second2)
	check(t, "text", applied(t, s, second, first2), applied(t, s, first, second2))
	check(t, "edit", composed(t, second, first2), composed(t, first, second2))
}

func TestTX4AClientThatTransformsStepByStepConverges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := texts().Draw(t, "s")
		first := editsOf(s).Draw(t, "first")
		second := editsOf(s).Draw(t, "second")
		third := editsOf(applied(t, s, second)).Draw(t, "third")

		first2, second2 := Transform(first, second)
		first3, third2 := Transform(first2, third)
		check(t, "text", applied(t, s, second, third, first3), applied(t, s, first, second2, third2))

		whole, both := Transform(first, composed(t, second, third))
		check(t, "text by the composed edit", applied(t, s, second, third, whole), applied(t, s, first, both))
	})
}

func FuzzTransform(f *testing.F) {
	f.Add("hello", []byte(`[2,"a"]`), []byte(`[2,"b",-1]`))
	f.Add("a😀b", []byte(`[1,-2,"é"]`), []byte(`[3,"😀"]`))
	f.Add("", []byte(`["x"]`), []byte(`["y"]`))
	f.Add("short", []byte(`[50,-1]`), []byte(`["y",40,-20]`))
	f.Add("😀", []byte(`[1,"x"]`), []byte(`[-1,1,"x"]`))
	f.Fuzz(func(t *testing.T, s string, data1, data2 []byte) {
		first, err1 := Parse(data1)
		second, err2 := Parse(data2)
		if err1 != nil || err2 != nil {
			return
		}
		if NewText(s).Apply(first) != nil || NewText(s).Apply(second) != nil {
			first2, second2 := Transform(first, second)
			checkNormal(t, first2)
			checkNormal(t, second2)
			return
		}
		checkConverges(t, s, first, second)
	})
}

func BenchmarkTransform(b *testing.B) {
	first, second := Insert(1234, "x"), Insert(4321, "y")
	b.ReportAllocs()
	for b.Loop() {
		Transform(first, second)
	}
}

func BenchmarkCompose(b *testing.B) {
	first, second := Insert(1234, "x"), Insert(1235, "y")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Compose(first, second); err != nil {
			b.Fatal(err)
		}
	}
}
