package text

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestConstructorsMakeTheNormalForm(t *testing.T) {
	tests := []struct {
		name string
		edit Edit
		want string
	}{
		{"insert", Insert(3, "x"), `[3,"x"]`},
		{"insert at the start", Insert(0, "x"), `["x"]`},
		{"insert nothing", Insert(3, ""), `[]`},
		{"insert before the start", Insert(-3, "x"), `["x"]`},
		{"insert broken UTF-8", Insert(0, "a\xff\xfeb"), `["a` + "\uFFFD" + `b"]`},
		{"delete", Delete(3, 2), `[3,-2]`},
		{"delete at the start", Delete(0, 2), `[-2]`},
		{"delete nothing", Delete(3, 0), `[]`},
		{"delete less than nothing", Delete(3, -1), `[]`},
		{"replace", Replace(3, 2, "é"), `[3,"é",-2]`},
		{"replace beyond any text", Replace(math.MaxInt, math.MaxInt, "x"), `[1073741824,"x"]`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			check(t, "edit", tt.edit.String(), tt.want)
			checkNormal(t, tt.edit)
		})
	}
}

func TestBuilderJoinsAndOrdersComponents(t *testing.T) {
	var b builder
	b.retain(1)
	b.retain(2)
	b.delete(1)
	b.insert("a", 1)
	b.delete(2)
	b.insert("😀", 2)
	b.insert("", 0)
	b.retain(0)
	b.insert("b", 1)
	b.retain(4)
	check(t, "edit", b.edit().String(), `[3,"a😀b",-3]`)
}

func TestLengthsCountUnits(t *testing.T) {
	e := parse(t, `[2,"a😀",-1,3,-4,5,"b"]`)
	check(t, "base length", e.BaseLen(), 15)
	check(t, "delta", e.Delta(), -1)
	check(t, "zero", e.IsZero(), false)
	check(t, "zero of the zero value", Edit{}.IsZero(), true)
}

func TestEqualSeesTheWholeEdit(t *testing.T) {
	check(t, "same", Insert(1, "a").Equal(Replace(1, 0, "a")), true)
	check(t, "other text", Insert(1, "a").Equal(Insert(1, "b")), false)
	check(t, "other length", Insert(1, "a").Equal(Replace(1, 1, "a")), false)
}

func TestLengthsAreThoseOfTheTexts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := texts().Draw(t, "s")
		e := editsOf(s).Draw(t, "e")
		checkNormal(t, e)
		after := applied(t, s, e)
		check(t, "delta", e.Delta(), UTF16Len(after)-UTF16Len(s))
		if n := e.BaseLen(); n > UTF16Len(s) {
			t.Errorf("base length %d of %v is beyond the text, %d", n, e, UTF16Len(s))
		}
	})
}

func TestTX5InvertUndoes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := texts().Draw(t, "s")
		e := editsOf(s).Draw(t, "e")
		undo, err := e.Invert(NewText(s))
		if err != nil {
			t.Fatal(err)
		}
		checkNormal(t, undo)
		check(t, "text", applied(t, s, e, undo), s)
	})
}

func TestInvertReachesOverManyChunks(t *testing.T) {
	s := source(10 * maxChunk)
	e := Replace(maxChunk/2, 7*maxChunk, "😀")
	undo, err := e.Invert(NewText(s))
	if err != nil {
		t.Fatal(err)
	}
	check(t, "text", applied(t, s, e, undo), s)
}

func TestInvertRefusesAnEditThatDoesNotFit(t *testing.T) {
	if undo, err := Delete(2, 2).Invert(NewText("abc")); err == nil {
		t.Errorf("got %v, want an error", undo)
	}
}

func TestAnEditInOnePlaceIsOneAllocation(t *testing.T) {
	s := "xyz"
	got := testing.AllocsPerRun(100, func() { Replace(5, 2, s) })
	if got > 1 {
		t.Errorf("got %v allocations, want 1", got)
	}
}

func TestInsertedIsAllThatAnEditInserts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := editsOf(texts().Draw(t, "s")).Draw(t, "e")
		var want string
		for _, c := range comps(e) {
			want += c.text
		}
		check(t, "inserted", e.Inserted(), want)
	})
}
