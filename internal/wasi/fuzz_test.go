package wasi

import (
	"bytes"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/quirehq/quire/core/lang"
)

// An archive of any bytes installs what was pinned or fails, and writes nothing elsewhere.
func FuzzArchivesOfPackages(f *testing.F) {
	entries, files := testFiles(f)
	good := pack(f, entries...)
	f.Add(good)
	f.Add(good[:len(good)/2])
	f.Add(pack(f, entry{name: "package/../../x", content: "x"}, entry{name: "package/dist/m.wasm", content: "module"}))
	f.Fuzz(func(t *testing.T, archive []byte) {
		base := t.TempDir()
		dir := filepath.Join(base, "dir")
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		b := pinned(archive, files)
		hashes, err := unpackArchive(bytes.NewReader(archive), b, dir, maxUnpackedInTests, func(lang.Progress) {})
		if err == nil && (len(hashes) != len(b.names()) || !isThere(filepath.Join(dir, b.Module))) {
			t.Errorf("it succeeded with %v", hashes)
		}
		if left, _ := os.ReadDir(base); len(left) != 1 {
			t.Errorf("it wrote beside its folder: %v", left)
		}
	})
}

// A description of any bytes names an archive or fails, and the URL that is read has http or https.
func FuzzDescriptionsOfPackages(f *testing.F) {
	f.Add([]byte(`{"versions":{"1.2.3":{"dist":{"tarball":"https://a.example/name.tgz"}}}}`))
	f.Add([]byte(`{"versions":{"1.2.3":{"dist":{"tarball":7}}}}`))
	base := &url.URL{Scheme: "https", Host: "mirror.example", Path: "/npm/"}
	f.Fuzz(func(t *testing.T, data []byte) {
		text, err := decodeDescription(data, "1.2.3")
		if (err == nil) != (text != "") {
			t.Errorf("got %q, %v", text, err)
		}
		if u, err := base.Parse(text); err == nil && moved(u, base) == nil {
			t.Errorf("%q was moved to nowhere", text)
		}
	})
}

// A file of npm's configuration gives a registry that can be asked, or an error.
func FuzzConfigurationsOfNPM(f *testing.F) {
	f.Add("registry=https://a.example/\n//a.example/:_authToken=${T}", "t")
	f.Add("@scope:registry=${T}", "${T}")
	f.Fuzz(func(t *testing.T, text, value string) {
		c := NPMConfig{values: decodeNPMRC([]byte(text), func(string) string { return value })}
		if u, err := c.registry("@scope/name"); err == nil {
			if u.Host == "" || !strings.HasSuffix(u.Path, "/") || u.Scheme != "https" && u.Scheme != "http" {
				t.Errorf("got %v", u)
			}
			c.token(u)
		}
	})
}

// A manifest of any bytes makes an engine usable or says that it is damaged.
func FuzzManifests(f *testing.F) {
	f.Add([]byte(`{"language":"ruby","files":{"ruby.wasm":"00"}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if m, err := decodeManifest(data); (err == nil) != (m != nil) {
			t.Errorf("got %v, %v", m, err)
		}
	})
}

// A driver's messages of any bytes are taken or end it with an error.
func FuzzMessagesOfDrivers(f *testing.F) {
	f.Add([]byte("{\"type\":\"ready\",\"version\":\"3\"}\n{\"type\":\"done\",\"run\":1}\n{\"type\":\"display\",\"data\":{}}\n"))
	f.Add([]byte("{\"type\":\"sleep\",\"seconds\":-1}\n{\"type\":\"ask\",\"id\":1}\n{\"type\":\"text\"}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		g := newGuest()
		g.collect = &collector{}
		close(g.ended) // so that answers go nowhere
		g.interrupted = make(chan struct{})
		close(g.interrupted)
		for part := range bytes.Lines(data) {
			if _, err := g.write(part); err != nil {
				return
			}
		}
	})
}
