package artifacts

import (
	"mime"
	"strings"
	"testing"
)

// FuzzServedTypes wants content of strangers to be served as what runs nothing.
func FuzzServedTypes(f *testing.F) {
	f.Add("", []byte("<html><script>"))
	f.Add("text/html", []byte("<html>"))
	f.Add("image/png", []byte("\x89PNG\r\n\x1a\n"))
	f.Add("image/svg+xml", []byte("<svg onload=x>"))
	f.Add("text/plain;charset=utf-7", []byte("+ADw-script+AD4-"))
	f.Add("text/csv\r\nX: y", []byte("a,b\xc3"))
	f.Add("application/json", []byte("{\x1b[0m}"))
	f.Fuzz(func(t *testing.T, asked string, head []byte) {
		head = head[:min(len(head), sniffed)]
		name, shown := servedAs(asked, head)
		kind, params, err := mime.ParseMediaType(name)
		if err != nil || len(params) > 1 {
			t.Fatalf("got the type %q: %v", name, err)
		}
		switch charset := params["charset"]; charset {
		case "", "utf-8", "utf-16le", "utf-16be":
		default:
			t.Fatalf("got the charset %q", charset)
		}
		k, ok := kindOf(kind)
		if kind != typeBytes && !ok || shown && !k.shown || shown && strings.Contains(kind, "xml") {
			t.Fatalf("asked for %q: got %q, shown %t", asked, name, shown)
		}
	})
}
