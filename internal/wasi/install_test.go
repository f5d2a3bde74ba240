package wasi

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/quirehq/quire/core/lang"
)

// entry is a file of an archive.
type entry struct {
	name, content string
	kind          byte // of tar, 0 for a plain file
	link          string
}

// pack returns an archive.
func pack(t testing.TB, entries ...entry) []byte {
	t.Helper()
	var out bytes.Buffer
	zipped := gzip.NewWriter(&out)
	archive := tar.NewWriter(zipped)
	for _, e := range entries {
		kind := e.kind
		if kind == 0 {
			kind = tar.TypeReg
		}
		err := archive.WriteHeader(&tar.Header{Name: e.name, Typeflag: kind, Linkname: e.link, Size: int64(len(e.content)), Mode: 0o777})
		if err == nil {
			_, err = archive.Write([]byte(e.content))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(archive.Close(), zipped.Close()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func sum(content string) string {
	hash := sha256.Sum256([]byte(content))
	return hex.EncodeToString(hash[:])
}

// The files of the build of the tests: a module, and a library in an archive of its own.
func testFiles(t testing.TB) (entries []entry, files []File) {
	inner := string(pack(t, entry{name: "usr/lib/a", content: "library"}, entry{name: "usr/lib/not-needed", content: "other"}))
	entries = []entry{{name: "package/package.json", content: "{}"}, {name: "package/dist/m.wasm", content: "module"}, {name: "package/dist/lib.tar.gz", content: inner}}
	files = []File{
		{From: "dist/m.wasm", To: "python.wasm", SHA256: sum("module"), Size: 6},
		{From: "dist/lib.tar.gz", SHA256: sum(inner), Size: int64(len(inner)), Unpacks: []string{"usr/lib/a"}},
	}
	return entries, files
}

// pinned returns the build of python for an archive.
func pinned(archive []byte, files []File) Build {
	hash := sha512.Sum512(archive)
	return Build{
		Language: "python", Version: "3", Package: "@scope/name", PackageVersion: "1.2.3", Files: files, Module: "python.wasm", Library: "usr",
		Integrity: "sha512-" + base64.StdEncoding.EncodeToString(hash[:]), Size: int64(len(archive)),
	}
}

// installs installs a build, and fails if anything but whole engines is in the store afterwards.
func installs(t *testing.T, b Build, from Source) (Store, error) {
	t.Helper()
	s := Store{Dir: filepath.Join(t.TempDir(), "engines")}
	err := s.install(t.Context(), b, from, nil)
	entries, readErr := os.ReadDir(s.Dir)
	if readErr != nil {
		t.Fatal(readErr)
	}
	for _, e := range entries {
		if err != nil || e.Name() != filepath.Base(s.dir(b)) {
			t.Errorf("the store has %s behind %v", e.Name(), err)
		}
	}
	return s, err
}

// hasFiles fails unless the folder of an engine has what the tests' archive has, and nothing else.
func hasFiles(t *testing.T, s Store, b Build) {
	t.Helper()
	var got []string
	err := filepath.WalkDir(s.dir(b), func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if name, _ := filepath.Rel(s.dir(b), path); name != manifestName {
			got = append(got, filepath.ToSlash(name)+"="+string(data))
		}
		return err
	})
	if want := []string{"python.wasm=module", "usr/lib/a=library"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
}

// npm is a small registry.
type npm struct {
	*httptest.Server
	archive  []byte
	describe string // in place of the description
	token    string // that it wants
	asked    []string
}

func serveNPM(t *testing.T, archive []byte) *npm {
	n := &npm{archive: archive}
	n.Server = httptest.NewServer(n)
	t.Cleanup(n.Close)
	return n
}

// ServeHTTP implements http.Handler.
func (n *npm) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n.asked = append(n.asked, r.URL.EscapedPath())
	if n.token != "" && r.Header.Get("Authorization") != "Bearer "+n.token {
		http.Error(w, "who are you", http.StatusUnauthorized)
		return
	}
	switch r.URL.EscapedPath() {
	case "/mirror/@scope%2fname":
		if n.describe != "" {
			fmt.Fprint(w, n.describe)
			return
		}
		fmt.Fprint(w, `{"versions":{"1.2.3":{"dist":{"tarball":"https://elsewhere.example/@scope/name/-/name-1.2.3.tgz"}}}}`)
	case "/mirror/@scope/name/-/name-1.2.3.tgz":
		_, _ = w.Write(n.archive)
	default:
		http.NotFound(w, r)
	}
}

func (n *npm) source() FromRegistry {
	return FromRegistry{Config: &NPMConfig{values: map[string]string{"registry": n.URL + "/mirror"}}, Client: n.Client()}
}

func TestAnEngineIsInstalledFromEverySource(t *testing.T) {
	entries, files := testFiles(t)
	archive := pack(t, entries...)
	b := pinned(archive, files)
	folder := t.TempDir()
	for _, e := range entries {
		for _, below := range []string{"package", "node_modules/@scope/name"} {
			name := filepath.Join(folder, filepath.Dir(below), filepath.FromSlash(strings.Replace(e.name, "package", filepath.Base(below), 1)))
			if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(e.content), 0o644)); err != nil {
				t.Fatal(err)
			}
		}
	}
	file := filepath.Join(folder, "name.tgz")
	if err := os.WriteFile(file, archive, 0o644); err != nil {
		t.Fatal(err)
	}
	registry := serveNPM(t, archive)
	for name, from := range map[string]Source{
		"registry": registry.source(), "archive": FromArchive{file}, "folder of the package": FromFolder{filepath.Join(folder, "package")},
		"folder with the package": FromFolder{folder}, "folder of npm": FromFolder{filepath.Join(folder, "node_modules", "@scope", "name")},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := installs(t, b, from)
			if err != nil {
				t.Fatal(err)
			}
			hasFiles(t, s, b)
			if err := s.install(t.Context(), b, from, nil); err != nil {
				t.Errorf("a second time: %v", err)
			}
			hasFiles(t, s, b)
		})
	}
	if want := []string{"/mirror/@scope%2fname", "/mirror/@scope/name/-/name-1.2.3.tgz"}; !slices.Equal(registry.asked[:2], want) {
		t.Errorf("the registry was asked for %q, want %q", registry.asked, want)
	}
}

func TestADownloadShowsItsProgress(t *testing.T) {
	entries, files := testFiles(t)
	archive := pack(t, entries...)
	b := pinned(archive, files)
	var last lang.Progress
	s := Store{Dir: t.TempDir()}
	if err := s.install(t.Context(), b, serveNPM(t, archive).source(), func(p lang.Progress) { last = p }); err != nil {
		t.Fatal(err)
	}
	if last.Done != b.Size || last.Total != b.Size {
		t.Errorf("got %+v at the end, want %d bytes", last, b.Size)
	}
}

func TestHostileArchivesInstallNothing(t *testing.T) {
	good, files := testFiles(t)
	outside := filepath.Join(t.TempDir(), "outside")
	rest := good[1:]
	tests := map[string]struct {
		archive []byte
		want    string // in the error; empty for an archive whose bad entries are passed over
	}{
		"paths that lead out": {archive: pack(t, append([]entry{
			{name: "../../../outside", content: "x"},
			{name: "package/../../outside", content: "x"},
			{name: outside, content: "x"},
			{name: `package\..\outside`, content: "x"},
			{name: "package/dist/../../../../outside", content: "x"},
		}, good...)...)},
		"links": {archive: pack(t, append([]entry{
			{name: "package/dist", kind: tar.TypeSymlink, link: "/"},
			{name: "package/usr", kind: tar.TypeSymlink, link: outside},
			{name: "package/dist/hard", kind: tar.TypeLink, link: "/etc/passwd"},
			{name: "package/dist/pipe", kind: tar.TypeFifo},
		}, good...)...)},
		"a link in place of a file": {
			archive: pack(t, append([]entry{{name: "package/dist/m.wasm", kind: tar.TypeSymlink, link: "/etc/passwd"}}, rest...)...), want: "no plain file",
		},
		"a file that is missing": {archive: pack(t, good[:2]...), want: "has no dist/lib.tar.gz"},
		"a file with other bytes": {
			archive: pack(t, entry{name: "package/dist/m.wasm", content: "modulo"}, good[2]), want: "dist/m.wasm is not the file",
		},
		"a file that is longer": {
			archive: pack(t, entry{name: "package/dist/m.wasm", content: "module and more"}, good[2]), want: "dist/m.wasm is not the file",
		},
		"no archive":      {archive: []byte("<html>sign in</html>"), want: "read the archive"},
		"half an archive": {archive: pack(t, good...)[:200], want: "unexpected EOF"},
		"a bomb": {
			archive: pack(t, entry{name: "package/zeros", content: strings.Repeat("\x00", maxUnpackedInTests+1)}), want: "unpacks to more than",
		},
	}
	for name, c := range tests {
		t.Run(name, func(t *testing.T) {
			s := Store{Dir: filepath.Join(t.TempDir(), "engines")}
			b := pinned(c.archive, files)
			err := s.install(t.Context(), b, boundedArchive{c.archive}, nil)
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("got %v, want %q", err, c.want)
			}
			if err == nil {
				hasFiles(t, s, b)
			} else if left, _ := os.ReadDir(s.Dir); len(left) > 0 {
				t.Errorf("%s is left", left[0].Name())
			}
			if isThere(outside) || isThere(filepath.Join(s.Dir, "..", "outside")) {
				t.Error("a file was written elsewhere")
			}
		})
	}
}

func TestAnArchiveThatIsNotThePinnedOneInstallsNothing(t *testing.T) {
	entries, files := testFiles(t)
	archive := pack(t, entries...)
	b := pinned(archive, files)
	other := slices.Clone(archive)
	other[len(other)-1] ^= 1
	for name, c := range map[string]struct {
		archive []byte
		want    string
	}{
		"one with other bytes at its end": {other, "its hash is sha512-"},
		"a longer one":                    {append(slices.Clone(archive), 0), "is longer than"},
		"one that ends early":             {archive[:len(archive)-1], "try again"},
		"nothing":                         {nil, "try again"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := installs(t, b, serveNPM(t, c.archive).source()); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

func TestTheErrorsOfARegistrySayWhatToDo(t *testing.T) {
	entries, files := testFiles(t)
	archive := pack(t, entries...)
	b := pinned(archive, files)
	for name, c := range map[string]struct {
		change func(*npm)
		want   []string
	}{
		"no package":     {func(n *npm) { n.describe = `{"versions":{}}` }, []string{"no version 1.2.3", "npm pack @scope/name@1.2.3"}},
		"no archive":     {func(n *npm) { n.describe = `{"versions":{"1.2.3":{}}}` }, []string{"does not say where", "--from"}},
		"no description": {func(n *npm) { n.describe = `<html>` }, []string{"it is no description", "--from"}},
		"a file's URL":   {func(n *npm) { n.describe = `{"versions":{"1.2.3":{"dist":{"tarball":"file:///etc/passwd"}}}}` }, []string{"no URL to read"}},
		"an archive that is gone": {
			func(n *npm) { n.describe = `{"versions":{"1.2.3":{"dist":{"tarball":"/gone.tgz"}}}}` }, []string{"/gone.tgz answers 404", "--from"},
		},
		"a token that it wants": {func(n *npm) { n.token = "t" }, []string{"401"}},
		"no server":             {func(n *npm) { n.Close() }, []string{"connection refused", "--from"}},
	} {
		t.Run(name, func(t *testing.T) {
			n := serveNPM(t, archive)
			c.change(n)
			_, err := installs(t, b, n.source())
			for _, want := range c.want {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("got %v, want %q", err, want)
				}
			}
		})
	}
}

func TestARegistryGetsTheTokenOfTheUser(t *testing.T) {
	entries, files := testFiles(t)
	archive := pack(t, entries...)
	n := serveNPM(t, archive)
	n.token = "secret"
	from := n.source()
	from.Config.values["//"+strings.TrimPrefix(n.URL, "http://")+"/mirror/:_authToken"] = "secret"
	if _, err := installs(t, pinned(archive, files), from); err != nil {
		t.Error(err)
	}
}

func TestAFolderThatIsNotThePackageInstallsNothing(t *testing.T) {
	entries, files := testFiles(t)
	b := pinned(pack(t, entries...), files)
	link := t.TempDir()
	if err := errors.Join(os.Mkdir(filepath.Join(link, "dist"), 0o755), os.Symlink("/etc/passwd", filepath.Join(link, "dist", "m.wasm"))); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ folder, want string }{
		"empty":               {t.TempDir(), "has no package"},
		"missing":             {filepath.Join(t.TempDir(), "no"), "no"},
		"one with a link out": {link, "m.wasm"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := installs(t, b, FromFolder{c.folder}); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

func TestADamagedEngineSaysHowToRepairIt(t *testing.T) {
	s := Store{Dir: t.TempDir()}
	var missing *NotInstalledError
	if _, err := s.Engine("ruby"); !errors.As(err, &missing) || !strings.Contains(err.Error(), "quire engines install ruby") {
		t.Errorf("got %v, want that it is not installed", err)
	}
	if _, err := s.Engine("cobol"); err == nil || !strings.Contains(err.Error(), "python, ruby, perl, php") {
		t.Errorf("got %v, want the languages", err)
	}
	b, _ := Find("ruby")
	if err := os.MkdirAll(s.dir(b), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{`{`, `{}`, `{"language":"perl"}`, fmt.Sprintf(`{"language":"ruby","integrity":%q,"files":{}}`, b.Integrity), fmt.Sprintf(`{"language":"ruby","integrity":%q,"files":{"ruby.wasm":""}}`, b.Integrity)} {
		if err := os.WriteFile(filepath.Join(s.dir(b), manifestName), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Engine("ruby"); !errors.As(err, &missing) || missing.Reason == "" || !strings.Contains(err.Error(), "repairs it") {
			t.Errorf("with %s: got %v, want that it is damaged", text, err)
		}
	}
	if err := os.WriteFile(filepath.Join(s.dir(b), "ruby.wasm"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if e, err := s.Engine("ruby"); err != nil || e.Version != b.Version {
		t.Errorf("got %+v, %v, want the engine", e, err)
	}
	if err := s.Remove("ruby"); err != nil || isThere(s.dir(b)) {
		t.Errorf("remove: %v", err)
	}
}

func TestTheTableOfBuildsIsWhole(t *testing.T) {
	for _, b := range Builds() {
		hash, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(b.Integrity, "sha512-"))
		if err != nil || len(hash) != sha512.Size || b.Size == 0 || b.License == "" {
			t.Errorf("%s: %+v", b.Language, b)
		}
		if !slices.Contains(b.names(), b.Module) || languageOf(b.Language).driver == "" {
			t.Errorf("%s has no module or driver", b.Language)
		}
		for _, f := range b.Files {
			if !filepath.IsLocal(f.To) && f.To != "" || len(f.SHA256) != 64 || f.Size == 0 || (f.To == "") == (len(f.Unpacks) == 0) {
				t.Errorf("%s: %+v", b.Language, f)
			}
		}
	}
}

// maxUnpackedInTests bounds what the archives of tests unpack to.
const maxUnpackedInTests = 1 << 20

// boundedArchive is an archive in memory.
type boundedArchive struct{ bytes []byte }

func (a boundedArchive) unpack(_ context.Context, b Build, dir string, progress func(lang.Progress)) (map[string]string, error) {
	return unpackArchive(bytes.NewReader(a.bytes), b, dir, maxUnpackedInTests, progress)
}
