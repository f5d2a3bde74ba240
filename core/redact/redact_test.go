package redact_test

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"math/rand/v2"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/core/redact"
)

// secrets are texts with characters that encodings change.
var secrets = []string{"hunter2-sesame", `p/a"s\s'w<o>r&d`, "clé à molette", "😀🔑key", "a+b/c==", "abcd", "\xc3\xbf\xc3\xbe\xc3\xbf"}

// forms are encoders for the forms in which a text is written.
var forms = map[string]func(string) string{
	"plain":          func(s string) string { return s },
	"JSON":           func(s string) string { return jsonOf(s) },
	"JSON in JSON":   func(s string) string { return jsonOf(jsonOf(s)) },
	"JSON, all \\u":  allEscaped,
	"ASCII JSON":     func(s string) string { return strings.Trim(strconv.QuoteToASCII(s), `"`) },
	"slashes":        func(s string) string { return strings.ReplaceAll(jsonOf(s), "/", `\/`) },
	"query":          url.QueryEscape,
	"path":           url.PathEscape,
	"query in query": func(s string) string { return url.QueryEscape(url.QueryEscape(s)) },
	"HTML":           html.EscapeString,
	"hexadecimal":    func(s string) string { return hex.EncodeToString([]byte(s)) },
	"HEXADECIMAL":    func(s string) string { return strings.ToUpper(hex.EncodeToString([]byte(s))) },
	"bytes of hex":   func(s string) string { return strings.TrimSuffix(fmt.Sprintf("% x", s), " ") },
	"Python bytes": func(s string) string {
		var b strings.Builder
		for i := range len(s) {
			fmt.Fprintf(&b, `\x%02x`, s[i])
		}
		return b.String()
	},
	"UTF-16 read as bytes": func(s string) string {
		var b strings.Builder
		for _, r := range s {
			b.WriteRune(r)
			b.WriteByte(0)
		}
		return strings.TrimSuffix(b.String(), "\x00")
	},
}

func jsonOf(s string) string {
	data, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(data[1 : len(data)-1])
}

func allEscaped(s string) string {
	var b strings.Builder
	for _, unit := range utf16.Encode([]rune(s)) {
		fmt.Fprintf(&b, `\u%04X`, unit)
	}
	return b.String()
}

func mustNew(t *testing.T, text string) *redact.Text {
	t.Helper()
	found, err := redact.New(text)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestATextIsFoundInEveryForm(t *testing.T) {
	for _, secret := range secrets {
		text := mustNew(t, secret)
		for name, form := range forms {
			clean, n := text.Clean("before " + form(secret) + " after")
			if n != 1 || strings.Contains(clean, form(secret)) || !strings.HasPrefix(clean, "before ") || !strings.HasSuffix(clean, " after") {
				t.Errorf("%q as %s: got %q with %d places", secret, name, clean, n)
			}
		}
	}
}

func TestATextIsFoundInBase64BehindAnyBytesAndInLines(t *testing.T) {
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(seed, 0))
	for _, secret := range secrets {
		text := mustNew(t, secret)
		for before := range 12 {
			for _, encoding := range []*base64.Encoding{base64.StdEncoding, base64.RawURLEncoding} {
				for _, inner := range [][]byte{[]byte(secret), utf16Of(secret)} {
					data := append(random(rng, before), inner...)
					data = append(data, random(rng, rng.IntN(8))...)
					coded := encoding.EncodeToString(data)
					for _, coded := range []string{coded, inLines(coded, 10), jsonOf(inLines(coded, 7))} {
						clean, n := text.Clean(coded)
						if n != 1 || len(clean) != len(coded) {
							t.Fatalf("seed %d: %q in %s behind %d bytes: got %s with %d places", seed, secret, coded, before, clean, n)
						}
						bare := strings.NewReplacer("\n", "", `\n`, "").Replace(clean)
						left, err := encoding.DecodeString(bare)
						if err != nil || len(left) != len(data) || strings.Contains(string(left), string(inner)) {
							t.Fatalf("seed %d: it leaves %q (%v) of %q", seed, left, err, data)
						}
					}
				}
			}
		}
	}
}

func utf16Of(s string) (data []byte) {
	for _, unit := range utf16.Encode([]rune(s)) {
		data = append(data, byte(unit), byte(unit>>8))
	}
	return data
}

func random(rng *rand.Rand, n int) []byte {
	data := make([]byte, n)
	for i := range data {
		data[i] = byte(rng.Uint32())
	}
	return data
}

func inLines(s string, width int) string {
	var b strings.Builder
	for i := 0; i < len(s); i += width {
		b.WriteString(s[i:min(i+width, len(s))])
		b.WriteByte('\n')
	}
	return b.String()
}

func TestWhatIsPutInItsPlaceIsNotTheText(t *testing.T) {
	for _, secret := range []string{"AAAA", "AAAAAAAA", "A0Bb", "0000", "A0Bb1Cc2Dd3Ee4Ff5a6789"} {
		text := mustNew(t, secret)
		for name, form := range forms {
			if clean, n := text.Clean(form(secret)); n == 0 || strings.Contains(clean, secret) {
				t.Errorf("%s as %s: got %q", secret, name, clean)
			}
		}
		if clean, n := text.Clean(base64.StdEncoding.EncodeToString([]byte(secret))); n == 0 || strings.Contains(clean, secret) {
			t.Errorf("%s in base64: got %q", secret, clean)
		}
	}
}

func TestWhatIsNotTheTextStays(t *testing.T) {
	text := mustNew(t, "hunter2-sesame")
	rng := rand.New(rand.NewPCG(1, 1))
	for _, s := range []string{"hunter2_sesame", "hunter", "HUNTER2-SESAME", "", base64.StdEncoding.EncodeToString(random(rng, 200_000)), hex.EncodeToString(random(rng, 100_000))} {
		if clean, n := text.Clean(s); n != 0 || clean != s {
			t.Errorf("%.50q became %.50q", s, clean)
		}
	}
}

func TestATextIsFoundEverywhereInJSON(t *testing.T) {
	coded := base64.StdEncoding.EncodeToString([]byte("a picture with hunter2 in it"))
	var v any
	file := `{"hunter2":1,"cells":[{"source":["x = 1\n","y = 'hunter2'"],"tags":["a","hunter2"]},` +
		`{"image/png":["` + coded[:20] + `\n","` + coded[20:] + `\n"],"text":["a\n","b"],"n":[1,2]}]}`
	if err := json.Unmarshal([]byte(file), &v); err != nil {
		t.Fatal(err)
	}
	clean, n := mustNew(t, "hunter2").CleanJSON(v)
	if n != 4 {
		t.Errorf("it was found in %d places, want 4", n)
	}
	cell := clean.(map[string]any)["cells"].([]any)
	want := map[string]any{"source": "x = 1\ny = '[removed]'", "tags": []any{"a", "[removed]"}}
	if diff := cmp.Diff(cell[0], any(want)); diff != "" {
		t.Errorf("got-, want+\n%s", diff)
	}
	other := cell[1].(map[string]any)
	picture, _ := base64.StdEncoding.DecodeString(other["image/png"].(string))
	if !strings.HasPrefix(string(picture), "a picture with ") || strings.Contains(string(picture), "hunter2") {
		t.Errorf("the picture has %q", picture)
	}
	if diff := cmp.Diff(other["text"], any([]any{"a\n", "b"})); diff != "" {
		t.Errorf("lines without it changed: %s", diff)
	}
}
