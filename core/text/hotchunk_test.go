package text

import (
	"encoding/json"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

// warm returns a text of s whose chunk around unit at is hot.
func warm(t testing.TB, s string, at int) *Text {
	t.Helper()
	text := NewText(s)
	for _, e := range []Edit{Insert(at, "x"), Delete(at, 1)} {
		if err := text.Apply(e); err != nil {
			t.Fatal(err)
		}
	}
	if text.hot.empty() {
		t.Fatal("got no hot chunk, want one")
	}
	return text
}

func TestClonesOfClonesChangeApartThroughManyEdits(t *testing.T) {
	type pair struct {
		text *Text
		want string
	}
	rapid.Check(t, func(t *rapid.T) {
		s := longTexts().Draw(t, "s")
		pairs := []pair{{NewText(s), s}}
		for range rapid.IntRange(1, 20).Draw(t, "steps") {
			i := rapid.IntRange(0, len(pairs)-1).Draw(t, "text")
			if p := pairs[i]; rapid.Bool().Draw(t, "clone") {
				pairs = append(pairs, pair{p.text.Clone(), p.want})
				continue
			}
			e := keystrokes(pairs[i].want).Draw(t, "e")
			if err := pairs[i].text.Apply(e); err != nil {
				t.Fatal(err)
			}
			pairs[i].want = naive(pairs[i].want, e)
		}
		for _, p := range pairs {
			checkChunks(t, p.text)
			check(t, "text", p.text.String(), p.want)
		}
	})
}

// keystrokes makes small edits of one place of s, which mostly stay within a chunk.
func keystrokes(s string) *rapid.Generator[Edit] {
	return rapid.Custom(func(t *rapid.T) Edit {
		runes := []rune(s)
		at := rapid.IntRange(0, len(runes)).Draw(t, "at")
		end := rapid.IntRange(at, min(at+2, len(runes))).Draw(t, "end")
		return Replace(UTF16Len(string(runes[:at])), UTF16Len(string(runes[at:end])), texts().Draw(t, "text"))
	})
}

func TestWhatWasReadOfATextOutlivesTheNextEdit(t *testing.T) {
	for _, s := range []string{source(minChunk), source(5 * maxChunk)} {
		text := warm(t, s, 20)
		read := text.String()
		undo, err := Delete(10, 20).Invert(text)
		if err != nil {
			t.Fatal(err)
		}
		if err := text.Apply(Replace(0, 60, strings.Repeat("#", 60))); err != nil {
			t.Fatal(err)
		}
		check(t, "text that was read", read, s)
		check(t, "undo", undo, Insert(10, s[10:30]))
	}
}

func TestManyMayReadATextThatWasJustEdited(t *testing.T) {
	s := source(3 * maxChunk)
	text := warm(t, s, maxChunk)
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			check(t, "text", text.String(), s)
			clone := text.Clone()
			if err := clone.Apply(Insert(maxChunk, "y")); err != nil {
				t.Error(err)
			}
			check(t, "clone", clone.String(), s[:maxChunk]+"y"+s[maxChunk:])
			if _, err := Delete(maxChunk, 9).Invert(text); err != nil {
				t.Error(err)
			}
			var got string
			data, err := text.MarshalJSON()
			if err == nil {
				err = json.Unmarshal(data, &got)
			}
			if err != nil {
				t.Error(err)
			}
			check(t, "JSON", got, s)
		})
	}
	readers.Wait()
}

func TestTX8TypingInOnePlaceAllocatesNothing(t *testing.T) {
	for name, s := range map[string]string{"ascii": source(100_000), "mixed": strings.ReplaceAll(source(100_000), "step", "ét😀")} {
		t.Run(name, func(t *testing.T) {
			text := warm(t, s, 0)
			edits := []Edit{Insert(0, "ab"), Replace(1, 1, "é"), Delete(0, 2)}
			got := testing.AllocsPerRun(100, func() {
				for _, e := range edits {
					if err := text.Apply(e); err != nil {
						t.Error(err)
					}
				}
			})
			check(t, "allocations", got, 0.0)
			check(t, "text", text.String(), s)
		})
	}
}

func TestTheOffsetOfAUnitIsTheSameFromEveryMark(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := texts().Draw(t, "s")
		units := UTF16Len(s)
		n := rapid.IntRange(0, units).Draw(t, "unit")
		want, whole := byteOffset(s, units, n)
		for offset := range s {
			known := mark{UTF16Len(s[:offset]), offset}
			got, ok := offsetNear([]byte(s), units, n, known)
			check(t, "whole", ok, whole)
			if whole {
				check(t, "offset", got, want)
			}
		}
	})
}
