package wasi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/internal/file"
)

// Store is a folder of interpreters that were installed, each in a folder of its own. A folder appears whole or not at all.
type Store struct{ Dir string }

// manifest is the file in the folder of an engine that says what it has.
type manifest struct {
	Language       string            `json:"language"`
	Version        string            `json:"version"`
	Package        string            `json:"package"`
	PackageVersion string            `json:"packageVersion"`
	Integrity      string            `json:"integrity"`
	Files          map[string]string `json:"files"` // the SHA-256 of each, in hexadecimal
}

// manifestName is the file of the manifest.
const manifestName = "engine.json"

// maxManifest is how much of a manifest is read.
const maxManifest = 1 << 20

// NotInstalledError says that an interpreter is not there, or not whole.
type NotInstalledError struct {
	Language string
	Reason   string // empty if there is none at all
}

// Error includes the remedy.
func (e *NotInstalledError) Error() string {
	if e.Reason != "" {
		return fmt.Sprintf("the sandboxed %s is damaged: %s: `quire engines install %s` repairs it", e.Language, e.Reason, e.Language)
	}
	return fmt.Sprintf("the sandboxed %s is not installed: `quire engines install %s` does it", e.Language, e.Language)
}

// dir returns the folder of a build. Another version of the language or the package has another.
func (s Store) dir(b Build) string {
	return filepath.Join(s.Dir, b.Language+"-"+b.Version+"-"+b.PackageVersion)
}

// Engine returns the interpreter of a language. Its error is a [NotInstalledError] if there is none.
func (s Store) Engine(language string) (Engine, error) {
	b, ok := Find(language)
	if !ok {
		return Engine{}, fmt.Errorf("there is no sandboxed engine for %q: the languages are %s", language, languages())
	}
	e := Engine{Build: b, Dir: s.dir(b)}
	data, err := readSmall(filepath.Join(e.Dir, manifestName), maxManifest)
	if errors.Is(err, fs.ErrNotExist) {
		return Engine{}, &NotInstalledError{Language: language}
	}
	if err != nil {
		return Engine{}, &NotInstalledError{language, err.Error()}
	}
	m, err := decodeManifest(data)
	if err != nil {
		return Engine{}, &NotInstalledError{language, err.Error()}
	}
	if m.Language != b.Language || m.Integrity != b.Integrity {
		return Engine{}, &NotInstalledError{language, "its " + manifestName + " is of another engine"}
	}
	for _, name := range b.names() {
		if _, ok := m.Files[name]; !ok {
			return Engine{}, &NotInstalledError{language, name + " is not in its " + manifestName}
		}
		if info, err := os.Lstat(e.path(name)); err != nil || !info.Mode().IsRegular() {
			return Engine{}, &NotInstalledError{language, name + " is missing"}
		}
	}
	return e, nil
}

// names returns the files in the folder of an engine, but for the manifest.
func (b Build) names() []string {
	var names []string
	for _, f := range b.Files {
		if f.To != "" {
			names = append(names, f.To)
		}
		names = append(names, f.Unpacks...)
	}
	return names
}

func languages() string {
	var list string
	for i, b := range builds {
		if i > 0 {
			list += ", "
		}
		list += b.Language
	}
	return list
}

func decodeManifest(data []byte) (*manifest, error) {
	var m manifest
	if err := json.Unmarshal(data, &m); err != nil {
		return nil, fmt.Errorf("%s: %w", manifestName, err)
	}
	return &m, nil
}

// readSmall reads a file that should be small.
func readSmall(name string, most int64) ([]byte, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > most {
		return nil, fmt.Errorf("%s is no file of at most %d bytes", filepath.Base(name), most)
	}
	return os.ReadFile(name)
}

// Install installs a build from a source, in place of one that is there. Progress, which may be nil, is called with the bytes of the
// archive that were read.
func (s Store) Install(ctx context.Context, b Build, from Source, progress func(lang.Progress)) (Engine, error) {
	if err := s.install(ctx, b, from, progress); err != nil {
		return Engine{}, fmt.Errorf("install %s: %w", b.Language, err)
	}
	return s.Engine(b.Language)
}

func (s Store) install(ctx context.Context, b Build, from Source, progress func(lang.Progress)) error {
	if err := os.MkdirAll(s.Dir, 0o755); err != nil {
		return fmt.Errorf("make the folder of engines: %w", file.Reason(s.Dir, err))
	}
	tmp, err := os.MkdirTemp(s.Dir, ".installing-")
	if err != nil {
		return fmt.Errorf("make a folder in %s: %w", s.Dir, file.Reason(s.Dir, err))
	}
	defer os.RemoveAll(tmp)
	if progress == nil {
		progress = func(lang.Progress) {}
	}
	hashes, err := from.unpack(ctx, b, tmp, progress)
	if err != nil {
		return err
	}
	m := manifest{b.Language, b.Version, b.Package, b.PackageVersion, b.Integrity, hashes}
	err = file.Write(filepath.Join(tmp, manifestName), 0o644, encodeManifest(m))
	if err == nil {
		err = os.Chmod(tmp, 0o755)
	}
	if err == nil {
		err = s.replace(tmp, s.dir(b))
	}
	return err
}

func encodeManifest(m manifest) func(io.Writer) error {
	return func(w io.Writer) error {
		encoder := json.NewEncoder(w)
		encoder.SetIndent("", "  ")
		return encoder.Encode(m)
	}
}

// replace puts a folder in the place of another. What is there goes on being used by the processes that have it open.
func (s Store) replace(from, to string) error {
	err := os.Rename(from, to)
	if err == nil || !isThere(to) {
		return err
	}
	old, err := os.MkdirTemp(s.Dir, ".replaced-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(old)
	if err := os.Rename(to, filepath.Join(old, "engine")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.Rename(from, to)
}

func isThere(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}

// Remove removes the interpreter of a language, if it is installed.
func (s Store) Remove(language string) error {
	b, ok := Find(language)
	if !ok {
		return fmt.Errorf("there is no sandboxed engine for %q: the languages are %s", language, languages())
	}
	return os.RemoveAll(s.dir(b))
}
