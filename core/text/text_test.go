package text

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unsafe"

	"pgregory.net/rapid"
)

// checkChunks fails the test if the counts that a text keeps of its chunks are wrong.
func checkChunks(t rapid.TB, text *Text) {
	t.Helper()
	units, bytes := 0, 0
	for i, c := range text.chunks {
		if c.text == "" {
			check(t, "hot chunk", text.hot.chunk, i)
			c.text = string(text.hot.text)
		}
		if i == text.last.chunk {
			last := text.last
			check(t, "start of the last place", last.start, units)
			check(t, "unit of the last place", last.unit, units+UTF16Len(c.text[:last.offset]))
		}
		if n := len(c.text); n > maxChunk || n == 0 || n < minChunk && len(text.chunks) > 1 {
			t.Errorf("chunk %d of %d has %d bytes", i, len(text.chunks), n)
		}
		check(t, "valid chunk", c.text, valid(c.text))
		check(t, "units of a chunk", c.units, UTF16Len(c.text))
		units += c.units
		bytes += len(c.text)
	}
	if last := text.last.chunk; last > 0 && last >= len(text.chunks) {
		t.Errorf("the last place is in chunk %d of %d", last, len(text.chunks))
	}
	check(t, "units", text.Len(), units)
	check(t, "bytes", text.Bytes(), bytes)
}

func TestApplyMatchesTheModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := texts().Draw(t, "s")
		e := editsOf(s).Draw(t, "e")
		check(t, "text", applied(t, s, e), naive(s, e))
	})
}

func TestALongTextMatchesTheModelThroughManyEdits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var want string
		text := &Text{}
		if rapid.Bool().Draw(t, "begin with a text") {
			want = longTexts().Draw(t, "s")
			text = NewText(want)
		}
		for range rapid.IntRange(1, 12).Draw(t, "edits") {
			e := longEditsOf(want).Draw(t, "e")
			if err := text.Apply(e); err != nil {
				t.Fatal(err)
			}
			want = naive(want, e)
			checkChunks(t, text)
			check(t, "text", text.String(), want)
		}
	})
}

// longTexts makes texts of some chunks out of few draws.
func longTexts() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Repeat(texts().Draw(t, "piece"), rapid.SampledFrom([]int{1, 30, 300}).Draw(t, "times"))
	})
}

// longEditsOf makes edits of s in up to four places anywhere.
func longEditsOf(s string) *rapid.Generator[Edit] {
	return rapid.Custom(func(t *rapid.T) Edit {
		var b builder
		rest := []rune(s)
		skip := func(what string) int {
			n := rapid.IntRange(0, len(rest)).Draw(t, what)
			units := UTF16Len(string(rest[:n]))
			rest = rest[n:]
			return units
		}
		for range rapid.IntRange(1, 4).Draw(t, "places") {
			b.retain(skip("retain"))
			if rapid.Bool().Draw(t, "delete") {
				b.delete(skip("delete"))
			}
			in := longTexts().Draw(t, "insert")
			b.insert(in, UTF16Len(in))
		}
		return b.edit()
	})
}

func TestTX2AnEditThatDoesNotFitChangesNothing(t *testing.T) {
	const s = "ab😀cd"
	tests := []struct{ name, edit, want string }{
		{"insert past the end", `[7,"x"]`, "reaches unit 7 of a text of 6"},
		{"delete past the end", `[5,-2]`, "reaches unit 7 of a text of 6"},
		{"delete too much", `[-1000]`, "reaches unit 1000"},
		{"longest edit", `[1073741823,-1]`, "reaches unit 1073741824"},
		{"insert in a pair", `[3,"x"]`, "splits the surrogate pair around unit 3"},
		{"delete the second half", `[3,-1]`, "around unit 3"},
		{"delete the first half", `[2,-1]`, "around unit 3"},
		{"delete up to a half", `[-3]`, "around unit 3"},
		{"a good change first", `["x",-1,2,"y"]`, "around unit 3"},
		{"a good change first, then past the end", `["x",-1,6,"y"]`, "reaches unit 7"},
		{"halves to delete one by one", `[2,-1,1,"x"]`, "around unit 3"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			text := NewText(s)
			err := text.Apply(parse(t, tt.edit))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got error %v, want %q in it", err, tt.want)
			}
			check(t, "text", text.String(), s)
			checkChunks(t, text)
		})
	}
}

func TestAnEditOfAnEmptyText(t *testing.T) {
	var text Text
	if err := text.Apply(Delete(0, 1)); err == nil {
		t.Error("got no error, want one")
	}
	for _, e := range []Edit{{}, Insert(0, "abc"), Delete(0, 3), Insert(0, source(5*maxChunk)), Delete(0, len(source(5*maxChunk)))} {
		if err := text.Apply(e); err != nil {
			t.Fatal(err)
		}
		checkChunks(t, &text)
	}
	check(t, "text", text.String(), "")
	check(t, "length", text.Len(), 0)
}

func TestACloneChangesApartFromItsOrigin(t *testing.T) {
	s := source(5 * maxChunk)
	for _, e := range []Edit{Insert(3, "x"), Replace(maxChunk, 2*maxChunk, "y"), Insert(0, s), Delete(0, len(s))} {
		text := NewText(s)
		clone := text.Clone()
		if err := clone.Apply(e); err != nil {
			t.Fatal(err)
		}
		check(t, "origin", text.String(), s)
		check(t, "clone", clone.String(), naive(s, e))
		if err := text.Apply(Insert(1, "z")); err != nil {
			t.Fatal(err)
		}
		check(t, "clone", clone.String(), naive(s, e))
	}
}

func TestLengthsOfATextCountUnitsAndBytes(t *testing.T) {
	text := NewText("aé世😀\xff")
	check(t, "units", text.Len(), 6)
	check(t, "bytes", text.Bytes(), 13)
	check(t, "text", text.String(), "aé世😀\uFFFD")
}

func TestTX8TypingInALongTextCopiesAChunkAndNotTheText(t *testing.T) {
	for _, size := range []int{100_000, 1_000_000} {
		text := NewText(source(size))
		const edits = 5000
		got := allocated(func() { typeAround(t, text, edits) })
		// The list of chunks doubles now and then; size covers that.
		if limit := uint64(edits*2*maxChunk + size); got > limit {
			t.Errorf("got %d bytes allocated by %d edits of a text of %d, want at most %d", got, edits, size, limit)
		}
		checkChunks(t, text)
	}
}

// typeAround types single characters into a text of ASCII, in bursts at places all over it.
func typeAround(t *testing.T, text *Text, edits int) {
	random := rand.New(rand.NewPCG(1, 2))
	at := 0
	for i := range edits {
		if i%20 == 0 {
			at = random.IntN(text.Len())
		}
		e := Insert(at, "x")
		if i%4 == 3 {
			e = Delete(at, 1)
		}
		if err := text.Apply(e); err != nil {
			t.Fatal(err)
		}
		at = min(at+e.Delta(), text.Len()-1)
	}
}

func TestAnEditInVeryManyPlacesTakesLinearSpace(t *testing.T) {
	s := strings.Repeat("ab", 50_000)
	text := NewText(s)
	e := parse(t, "["+strings.Repeat(`1,"é",-1,`, 50_000)+`"z"]`)
	got := allocated(func() {
		if err := text.Apply(e); err != nil {
			t.Error(err)
		}
	})
	if limit := uint64(10 * len(s)); got > limit {
		t.Errorf("got %d bytes allocated, want at most %d", got, limit)
	}
	check(t, "text", text.String(), strings.Repeat("aé", 50_000)+"z")
	checkChunks(t, text)
}

func TestALeftoverOfALargePasteDoesNotKeepThePaste(t *testing.T) {
	paste := source(100 * maxChunk)
	at := 0
	for i, c := range NewText(paste).chunks {
		if unsafe.StringData(c.text) == unsafe.StringData(paste[at:]) {
			t.Errorf("chunk %d shares its bytes with the paste", i)
		}
		at += len(c.text)
	}
}

func BenchmarkApply(b *testing.B) {
	for _, size := range []int{100_000, 1_000_000} {
		ascii := source(size)
		for _, c := range []struct{ name, text string }{
			{"ascii", ascii},
			{"mixed", strings.ReplaceAll(ascii, "step", "ét😀")},
		} {
			b.Run(fmt.Sprintf("typing/%s/%d", c.name, size), func(b *testing.B) {
				benchmarkApply(b, c.text, func(i, n int) int { return n / 2 })
			})
			b.Run(fmt.Sprintf("anywhere/%s/%d", c.name, size), func(b *testing.B) {
				benchmarkApply(b, c.text, func(i, n int) int { return i * 7919 % n })
			})
		}
	}
}

// benchmarkApply replaces single characters of ASCII, so the length of the text stays the same.
func benchmarkApply(b *testing.B, s string, place func(i, n int) int) {
	text := NewText(s)
	var edits []Edit
	for i := range 1024 {
		at := place(i, text.Len())
		for !onASCII(text, at) {
			at++
		}
		edits = append(edits, Replace(at, 1, "x"))
	}
	b.ReportAllocs()
	b.ResetTimer()
	for i := 0; b.Loop(); i++ {
		if err := text.Apply(edits[i%len(edits)]); err != nil {
			b.Fatal(err)
		}
	}
}

// onASCII reports whether the unit at is all of a character.
func onASCII(text *Text, at int) bool {
	from, to := text.seek(text.last, at), text.seek(text.last, at+1)
	return !from.split && !to.split
}

func BenchmarkClone(b *testing.B) {
	text := NewText(source(1_000_000))
	b.ReportAllocs()
	for b.Loop() {
		text.Clone()
	}
}

func BenchmarkNewText(b *testing.B) {
	s := source(1_000_000)
	b.ReportAllocs()
	for b.Loop() {
		NewText(s)
	}
}

func TestTextsAreEqualHoweverTheyAreCutIntoChunks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := longTexts().Draw(t, "s")
		edited := NewText(s)
		if err := edited.Apply(longEditsOf(s).Draw(t, "e")); err != nil {
			t.Fatal(err)
		}
		other := NewText(edited.String())
		check(t, "equal to itself", edited.Equal(edited), true)
		check(t, "equal to the same text", edited.Equal(other) && other.Equal(edited), true)
		check(t, "equal to the text before", edited.Equal(NewText(s)), edited.String() == s)
		if other.Bytes() == 0 {
			return
		}
		changed := []rune(edited.String())
		changed[rapid.IntRange(0, len(changed)-1).Draw(t, "place")] = '\x00'
		check(t, "equal to a changed text", edited.Equal(NewText(string(changed))), edited.String() == string(changed))
	})
}
