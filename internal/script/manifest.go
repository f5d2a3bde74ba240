package script

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/core/lang/names"
)

// ManifestName is the name of the file that describes an engine in its folder.
const ManifestName = "engine.json"

// Manifest describes an engine that is not one of ours. Its form is that of spec/engine-protocol.md.
type Manifest struct {
	Name      string   `json:"name"`      // by which users choose it; the language if empty
	Language  string   `json:"language"`  // the name that cells use
	Title     string   `json:"title"`     // of the language, for people; the language if empty
	Aliases   []string `json:"aliases"`   // the other names of the language
	Extension string   `json:"extension"` // of the files of programs, with its dot
	Command   []string `json:"command"`   // a program, relative to the folder if it has a slash, or a name in PATH, and its arguments
	Pipes     string   `json:"pipes"`     // "stdio", which is the default, or "fds"
}

// DecodeManifest decodes a manifest, and refuses what it does not know.
func DecodeManifest(data []byte) (Manifest, error) {
	var m Manifest
	from := json.NewDecoder(bytes.NewReader(data))
	from.DisallowUnknownFields()
	if err := from.Decode(&m); err != nil {
		return Manifest{}, fmt.Errorf("it is no manifest of an engine: %w", err)
	}
	switch {
	case from.More():
		return Manifest{}, errors.New("it has more than one JSON object")
	case m.Language == "":
		return Manifest{}, errors.New(`it needs "language", the name that cells use`)
	case !areNames(append(m.Aliases, m.Name, m.Language)):
		return Manifest{}, errors.New("its names have letters, digits and + # . _ - alone, and 64 of them at most")
	case m.Extension != "" && (m.Extension[0] != '.' || strings.ContainsAny(m.Extension, `/\`)):
		return Manifest{}, fmt.Errorf(`its "extension" is %q: it begins with a dot`, m.Extension)
	case len(m.Command) == 0 || m.Command[0] == "":
		return Manifest{}, errors.New(`it needs "command", a list of a program and its arguments`)
	case m.Pipes != "" && m.Pipes != Stdio.String() && m.Pipes != Descriptors.String():
		return Manifest{}, fmt.Errorf(`its "pipes" is %q: it must be stdio or fds`, m.Pipes)
	}
	return m, nil
}

// areNames reports whether names can be those of engines and languages on a command line and in a notebook; an empty one can.
func areNames(all []string) bool {
	for _, name := range all {
		strange := strings.ContainsFunc(name, func(r rune) bool {
			return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("+#._-", r)
		})
		if strange || len(name) > 64 {
			return false
		}
	}
	return true
}

// Description is an engine of a user, with absolute paths.
type Description struct {
	Manifest
	Path string // of its folder, or of its program where it has no manifest
}

// Config returns the configuration of the engine.
func (d Description) Config() Config {
	c := Config{Info: lang.Info{Language: d.Language, Extension: d.Extension}, Command: slices.Clone(d.Command)}
	if d.Pipes == Descriptors.String() {
		c.Pipes = Descriptors
	}
	return c
}

// Described returns the engine at a path: a folder with a manifest, a manifest, or a program, which then speaks on stdin and
// stdout, and whose language has the name of the file.
func Described(path string) (Description, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return Description{}, err
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Description{}, fmt.Errorf("there is no engine %s", path)
	case err != nil:
		return Description{}, fmt.Errorf("look at the engine: %w", err)
	case info.IsDir():
		return fromManifest(filepath.Join(path, ManifestName))
	case filepath.Ext(path) == ".json":
		return fromManifest(path)
	case info.Mode()&0o111 == 0:
		return Description{}, fmt.Errorf("%s is neither a program that can be executed nor a folder with %s: make it executable, or describe it there", path, ManifestName)
	}
	name := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	m := Manifest{Language: names.ID(name), Command: []string{path}}
	if !areNames([]string{name}) {
		return Description{}, fmt.Errorf("%s has no name that a language can have: describe it in a folder with %s", path, ManifestName)
	}
	return complete(m, path), nil
}

// DescribedIn returns the engines at a path: that of the path, or those of the folders in it.
func DescribedIn(path string) ([]Description, error) {
	if inside, _ := filepath.Glob(filepath.Join(escaped(path), "*", ManifestName)); len(inside) > 0 && !exists(filepath.Join(path, ManifestName)) {
		var all []Description
		for _, manifest := range inside {
			d, err := Described(manifest)
			if err != nil {
				return nil, err
			}
			all = append(all, d)
		}
		return all, nil
	}
	d, err := Described(path)
	if err != nil {
		return nil, err
	}
	return []Description{d}, nil
}

// escaped returns a pattern that matches a path alone.
func escaped(path string) string {
	return strings.NewReplacer("[", "[[]", "*", "[*]", "?", "[?]").Replace(path)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func fromManifest(file string) (Description, error) {
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return Description{}, fmt.Errorf("there is no %s: an engine in a folder is described by one", file)
	}
	if err != nil {
		return Description{}, fmt.Errorf("read the manifest: %w", err)
	}
	m, err := DecodeManifest(data)
	if err != nil {
		return Description{}, fmt.Errorf("read %s: %w", file, err)
	}
	folder := filepath.Dir(file)
	for i, word := range m.Command { // programs and scripts of the folder, and never those of a notebook's
		isPath := i == 0 && strings.ContainsRune(word, filepath.Separator) && !filepath.IsAbs(word)
		if isPath || strings.HasPrefix(word, "./") {
			m.Command[i] = filepath.Join(folder, word)
		}
	}
	return complete(m, folder), nil
}

// complete returns a description with what the manifest leaves to others.
func complete(m Manifest, path string) Description {
	m.Language = names.ID(m.Language)
	for i, alias := range m.Aliases {
		m.Aliases[i] = strings.ToLower(alias)
	}
	m.Name = cmp.Or(m.Name, m.Language)
	return Description{Manifest: m, Path: path}
}
