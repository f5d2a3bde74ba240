package redact

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

// cleanByPattern returns a Clean that uses the patterns alone.
func cleanByPattern(text string) func(s string) (clean string, n int) {
	var forms []string
	for _, data := range encodings(text) {
		forms = append(forms, hexPattern(data))
		for shift := range 3 {
			forms = append(forms, base64Pattern(data, shift))
		}
	}
	t := &Text{filler: fillerFor(text)}
	plain, coded := regexp.MustCompile(escapedPattern(text)), regexp.MustCompile(strings.Join(forms, "|"))
	return func(s string) (clean string, n int) {
		clean = plain.ReplaceAllStringFunc(s, func(string) string { n++; return Mark })
		clean = coded.ReplaceAllStringFunc(clean, func(found string) string { n++; return t.fill(found) })
		return clean, n
	}
}

// pieces returns fragments for texts with matches: forms of a text, whole and in part, and separators.
func pieces(text string) []string {
	quoted, _ := json.Marshal(text)
	escaped, percent := "", ""
	for _, r := range text {
		escaped += fmt.Sprintf(`\\u%04x`, r)
	}
	for _, c := range []byte(text) {
		percent += fmt.Sprintf("%%25%02X", c)
	}
	all := []string{text, string(quoted), escaped, percent, url.QueryEscape(text), hex.EncodeToString([]byte(text)), fmt.Sprintf("% X", text)}
	for _, before := range []string{"", "a", "ab"} {
		all = append(all, base64.StdEncoding.EncodeToString([]byte(before+text+"z")))
	}
	whole := len(all)
	for _, s := range all[:whole] {
		half := len(s) / 2
		all = append(all, s[:half], s[half:])
	}
	return append(all, "\\", "\\\\", "\\n", "\\u002b", "%2B", "%2f", "%", "&", "&#", "\x00", "\n", " ", ":", "+", "/", "n", "r", "u", "2", "b", "\xff", "\xc3", "é", "\ufffd", "x = 1; ")
}

func TestASearchFindsWhatItsPatternAloneFinds(t *testing.T) {
	const seed = 7
	rng := rand.New(rand.NewPCG(seed, 0))
	for _, text := range []string{"hunter2-sesame", `\\`, `\na"`, " a+", "nu002b/", "2Bab", "r+/r", "abcd", "é€😀", "\x00a\x00", "a\x00", "\ufffdx", "\xffx", "u0068abc", `"a'b`, "'x", "\tx", "//", "%25%41", "&#104;", "aaaa", "/"} {
		found, err := New(text)
		if err != nil {
			t.Fatal(err)
		}
		parts, alone, hits := pieces(text), cleanByPattern(text), 0
		for range 400 {
			var b strings.Builder
			for range 1 + rng.IntN(8) {
				b.WriteString(parts[rng.IntN(len(parts))])
			}
			got, n := found.Clean(b.String())
			want, wantN := alone(b.String())
			if got != want || n != wantN {
				t.Fatalf("seed %d: %q in %q: got %q in %d places, want %q in %d", seed, text, b.String(), got, n, want, wantN)
			}
			hits += n
		}
		if hits < 100 {
			t.Errorf("%q was found %d times, which proves little", text, hits)
		}
	}
}

func TestThePatternIsTriedAtFewPlaces(t *testing.T) {
	found, err := New("hunter2-sesame")
	if err != nil {
		t.Fatal(err)
	}
	for name, s := range samples() {
		tries := 0
		for i := range len(s) {
			for _, by := range []*search{found.written, found.coded} {
				if by.starts[0][s[i]] != 0 && (s[i] != '\\' || by.canFollow(s[i+1:])) && by.canBegin(s, i) {
					tries++
				}
			}
		}
		if tries > len(s)/20 {
			t.Errorf("%s: the pattern is tried at %d places of %d", name, tries, len(s))
		}
	}
}

// samples returns realistic notebook texts, of 256 KiB each.
func samples() map[string]string {
	const size = 256 << 10
	rng := rand.New(rand.NewPCG(1, 1))
	data := make([]byte, size)
	for i := range data {
		data[i] = byte(rng.Uint32())
	}
	prose := strings.Repeat("for i, line in enumerate(open('the hunted.txt')): print(f\"{i:>4} | {line.strip()}\")\n", size/84+1)[:size]
	quoted, _ := json.Marshal(prose)
	return map[string]string{
		"code": prose, "JSON": string(quoted)[:size], "base64": base64.StdEncoding.EncodeToString(data)[:size], "hexadecimal": hex.EncodeToString(data)[:size],
		"backslashes": strings.Repeat(`\`, size), "numbers": strings.Repeat("0.123456789, 68, 2.5e-7, ", size/25),
	}
}

func BenchmarkClean(b *testing.B) {
	const text = "hunter2-sesame"
	found, err := New(text)
	if err != nil {
		b.Fatal(err)
	}
	for by, clean := range map[string]func(string) (string, int){"search": found.Clean, "pattern alone": cleanByPattern(text)} {
		for name, s := range samples() {
			b.Run(by+"/"+name, func(b *testing.B) {
				b.SetBytes(int64(len(s)))
				for b.Loop() {
					clean(s)
				}
			})
		}
	}
}
