package transfer

import (
	"mime"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// FuzzFileNames wants a name that a stranger gave to be that of one file in the folder of who
// saves it, however a browser reads the header.
func FuzzFileNames(f *testing.F) {
	for _, seed := range []string{
		"plot.png", "../../etc/passwd", `C:\x\con.txt`, ".bashrc", "a\r\nSet-Cookie: x", "\u202egnp.exe", "%2e%2e%2f", strings.Repeat("é", 200) + ".tar.gz", "", ". .", "a.\"b", "x.p n g", "é.png", "\xff.png",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, given string) {
		for how, name := range map[string]string{"a title": TitleName(given), "an artifact": FileName(given)} {
			if name == "" || strings.HasPrefix(name, ".") || strings.ContainsAny(name, `/\:*?"<>|`) ||
				strings.ContainsFunc(name, func(r rune) bool { return unicode.IsControl(r) || unicode.In(r, unicode.Bidi_Control) }) {
				t.Fatalf("%s %q: got %q, which is no name of a file", how, given, name)
			}
			if n := utf8.RuneCountInString(name); n > maxTitleName+maxEnding {
				t.Fatalf("%s: got %d characters", how, n)
			}
		}
		header := Disposition(false, given)
		if strings.ContainsFunc(header, func(r rune) bool { return r < ' ' || r >= 0x7f }) {
			t.Fatalf("%q: got the header %q", given, header)
		}
		kind, params, err := mime.ParseMediaType(header)
		if err != nil || kind != "attachment" || params["filename"] != FileName(given) {
			t.Fatalf("%q: got %s, which says %q (%v), want %q", given, header, params["filename"], err, FileName(given))
		}
	})
}
