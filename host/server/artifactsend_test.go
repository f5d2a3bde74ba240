package server_test

import (
	"fmt"
	"mime"
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestAR21AnArtifactIsServedAsWhatItIsAndCanDoNoHarm(t *testing.T) {
	const (
		svg     = `<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`
		html    = "<!DOCTYPE html><script>alert(1)</script>"
		xml     = `<?xml version="1.0"?><a xmlns="http://www.w3.org/1999/xhtml"/>`
		gif     = "GIF89a\x01\x00\x01\x00"
		pdf     = "%PDF-1.7\n"
		mp3     = "\xff\xfb\x90\x64\x00\x00"
		wav     = "RIFF\x24\x00\x00\x00WAVEfmt "
		printed = "50%\b\b\b75%\x1b[0m grün\n"
		bytes   = "application/octet-stream"
		text    = "text/plain; charset=utf-8"
	)
	w := newArtifactWorld(t)
	for _, c := range []struct{ content, asked, served, how string }{
		{png, "", "image/png", "inline"},
		{png, "image/png", "image/png", "inline"},
		{png, "IMAGE/PNG; q=1", "image/png", "inline"},
		{png, "image/jpeg", bytes, "attachment"},
		{png, "text/plain", bytes, "attachment"},
		{png, "text/html", bytes, "attachment"},
		{gif, "image/gif", "image/gif", "inline"},
		{wav, "audio/x-wav", "audio/x-wav", "inline"},
		{mp3, "audio/mpeg", "audio/mpeg", "inline"},
		{mp3, "", bytes, "attachment"},
		{"wOF2\x00\x01", "font/woff2", "font/woff2", "attachment"},
		{pdf, "application/pdf", "application/pdf", "attachment"},
		{pdf, "", "application/pdf", "attachment"},
		{html, "", bytes, "attachment"},
		{html, "text/html", bytes, "attachment"},
		{html, "application/xhtml+xml", bytes, "attachment"},
		{html, "image/png", bytes, "attachment"},
		{html, "text/plain", text, "inline"},
		{svg, "", text, "inline"},
		{svg, "text/html", bytes, "attachment"},
		{svg, "image/svg+xml", "image/svg+xml", "attachment"},
		{xml + svg, "image/svg+xml", "image/svg+xml", "attachment"},
		{png, "image/svg+xml", bytes, "attachment"},
		{xml, "", bytes, "attachment"},
		{xml, "text/xml", bytes, "attachment"},
		{xml, "application/xml", bytes, "attachment"},
		{"alert(1)", "text/javascript", bytes, "attachment"},
		{"alert(1)", "application/wasm", bytes, "attachment"},
		{"a{}", "text/css", bytes, "attachment"},
		{"a,b", "text/csv", "text/csv; charset=utf-8", "attachment"},
		{`{"a":1}`, "application/json", "application/json", "attachment"},
		{`{"a":1}`, "application/vnd.plotly.v1+json", bytes, "attachment"},
		{printed, "text/plain", text, "inline"},
		{printed, "text/plain; charset=utf-7", text, "inline"},
		{printed, "", bytes, "attachment"},
		{"\xff\xfeh\x00i\x00", "text/plain", "text/plain; charset=utf-16le", "inline"},
		{"\x00\xfe\xff", "text/plain", bytes, "attachment"},
		{"", "", text, "inline"},
		{"", "image/png", bytes, "attachment"},
		{"x", "text/plain\r\nSet-Cookie: a=b", bytes, "attachment"},
		{"x", "///", bytes, "attachment"},
		{"x", strings.Repeat("x", 10_000), bytes, "attachment"},
	} {
		a := artifactOf(c.content)
		w.upload(t, "b1", c.content)
		got := w.do(t, download("b1", a, "?type="+url.QueryEscape(c.asked))).want(t, 200)
		how, _, _ := strings.Cut(got.header.Get("Content-Disposition"), ";")
		if served := got.header.Get("Content-Type"); served != c.served || how != c.how || got.body != c.content {
			t.Errorf("%.20q as %.40q: got %s %s, want %s %s", c.content, c.asked, how, served, c.how, c.served)
		}
		checkHeaders(t, c.asked, got, with(map[string]string{
			"Content-Security-Policy": "default-src 'none'; sandbox; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
			"Cache-Control":           "private, max-age=31536000, immutable", "Vary": "Authorization, Cookie",
			"ETag": `"` + a.Hash + `"`,
		}))
	}
}

func TestAR22ANameOfAnyKindIsHarmless(t *testing.T) {
	w := newArtifactWorld(t)
	a := w.upload(t, "b1", png)
	for name, want := range map[string]string{
		"":                              "artifact",
		"plot.png":                      "plot.png",
		"My plot (1).png":               "My plot (1).png",
		"größe.png":                     "größe.png",
		"/etc/passwd":                   "passwd",
		`C:\Windows\system32\cmd.exe`:   "cmd.exe",
		"../../up.png":                  "up.png",
		"..":                            "artifact",
		"a/":                            "artifact",
		".png":                          "artifact.png",
		".htaccess":                     "artifact.htaccess",
		"  .  .png ":                    "artifact.png",
		"a\r\nSet-Cookie: x=y.png":      "aSet-Cookie- x=y.png",
		"a\x00b\tc.png":                 "abc.png",
		`q"uo";te.png`:                  "q-uo-;te.png",
		"exe\u202egnp.exe":              "exegnp.exe",
		"\u200b\ufeffhidden\u2066.png":  "hidden.png",
		"line\u2028end.png":             "lineend.png",
		"bad\xff\xfe.png":               "bad.png",
		"a:b*c?d<e>f|g.png":             "a-b-c-d-e-f-g.png",
		"dots...":                       "dots",
		"archive.tar.gz":                "archive.tar.gz",
		"x.${jndi}":                     "x.${jndi}",
		strings.Repeat("long", 2500):    strings.Repeat("long", 25),
		strings.Repeat("é", 500) + ".é": strings.Repeat("é", 100) + ".é",
		"x." + strings.Repeat("y", 200): "x." + strings.Repeat("y", 98),
	} {
		got := w.do(t, download("b1", a, "?name="+url.QueryEscape(name))).want(t, 200).header.Values("Content-Disposition")
		if len(got) != 1 {
			t.Fatalf("%.40q: got %q", name, got)
		}
		how, params, err := mime.ParseMediaType(got[0])
		if err != nil || how != "inline" || params["filename"] != want || !utf8.ValidString(params["filename"]) {
			t.Errorf("%.40q: got %q (%v), want %q", name, got[0], err, want)
		}
	}
}

func TestAR23APartOfAnArtifactCanBeRead(t *testing.T) {
	w := newArtifactWorld(t)
	a := w.upload(t, "b1", "0123456789")
	tag := `"` + a.Hash + `"`
	for _, c := range []struct {
		header map[string]string
		status int
		body   string
		place  string
	}{
		{nil, 200, "0123456789", ""},
		{map[string]string{"Range": "bytes=2-4"}, 206, "234", "bytes 2-4/10"},
		{map[string]string{"Range": "bytes=-3"}, 206, "789", "bytes 7-9/10"},
		{map[string]string{"Range": "bytes=8-100"}, 206, "89", "bytes 8-9/10"},
		{map[string]string{"Range": "bytes=5-", "If-Range": tag}, 206, "56789", "bytes 5-9/10"},
		{map[string]string{"Range": "bytes=5-", "If-Range": `"other"`}, 200, "0123456789", ""},
		{map[string]string{"If-None-Match": tag}, 304, "", ""},
		{map[string]string{"If-None-Match": `"other"`}, 200, "0123456789", ""},
		{map[string]string{"If-Match": `"other"`}, 412, "", ""},
	} {
		q := download("b1", a, "")
		q.header = c.header
		got := w.do(t, q).want(t, c.status)
		if got.body != c.body || got.header.Get("Content-Range") != c.place || c.status != 412 && got.header.Get("ETag") != tag {
			t.Errorf("%v: got %q and %v", c.header, got.body, got.header)
		}
		q.method = "HEAD"
		head := w.do(t, q).want(t, c.status)
		if head.body != "" || c.status != 412 && head.header.Get("Content-Length") != got.header.Get("Content-Length") {
			t.Errorf("HEAD %v: got %q and %v, want %v", c.header, head.body, head.header, got.header)
		}
	}
}

func TestAR23ARangeThatIsNotThereIsAProblem(t *testing.T) {
	w := newArtifactWorld(t)
	a := w.upload(t, "b1", "0123456789")
	for _, part := range []string{"bytes=10-", "bytes=100-200", "bytes=a-b", "bytes=5-2"} {
		q := download("b1", a, "")
		q.header = map[string]string{"Range": part}
		got := w.do(t, q).want(t, 416)
		if !strings.Contains(got.problem(t).Detail, "10 bytes") {
			t.Errorf("%s: got %s", part, got.body)
		}
		checkHeaders(t, part, got, with(map[string]string{"ETag": "", "Content-Disposition": ""}))
	}
	many := download("b1", a, "")
	many.header = map[string]string{"Range": "bytes=0-1,4-5"}
	got := w.do(t, many).want(t, 206)
	if !strings.Contains(got.body, "Content-Range: bytes 4-5/10") || !strings.HasPrefix(got.header.Get("Content-Type"), "multipart/byteranges") {
		t.Errorf("got %q of %s", got.body, got.header.Get("Content-Type"))
	}
}

func TestTheBytesOfArtifactsAreCounted(t *testing.T) {
	w := newArtifactWorld(t)
	a := w.upload(t, "b1", strings.Repeat("x", 70_000))
	w.do(t, download("b1", a, "")).want(t, 200)
	q := download("b1", a, "")
	q.header = map[string]string{"Range": "bytes=0-9"}
	w.do(t, q).want(t, 206)
	w.eventually(t, fmt.Sprintf("quire_artifact_bytes_received_total %d", a.Size))
	w.eventually(t, fmt.Sprintf("quire_artifact_bytes_sent_total %d", a.Size+10))
}
