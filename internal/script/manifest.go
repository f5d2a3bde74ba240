package script

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/quirehq/quire/core/lang"
)

// ManifestName is the name of the file that describes an engine in its folder.
const ManifestName = "engine.json"

// Manifest describes an engine that is not one of ours. Its form is that of spec/engine-protocol.md.
type Manifest struct {
	Name     string   `json:"name"`     // for users; the name of the folder if empty
	Language string   `json:"language"` // the name that cells use
	Command  []string `json:"command"`  // a program, relative to the folder if it has a slash, or a name in PATH, and its arguments
	Pipes    string   `json:"pipes"`    // "stdio", which is the default, or "fds"
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
	case len(m.Command) == 0 || m.Command[0] == "":
		return Manifest{}, errors.New(`it needs "command", a list of a program and its arguments`)
	case m.Pipes != "" && m.Pipes != Stdio.String() && m.Pipes != Descriptors.String():
		return Manifest{}, fmt.Errorf(`its "pipes" is %q: it must be stdio or fds`, m.Pipes)
	}
	return m, nil
}

// Described returns the configuration of an engine by its path: a folder with a manifest, a manifest, or a program, which
// then speaks on stdin and stdout, and whose language has the name of the file.
func Described(path string) (Config, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return Config{}, err
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Config{}, fmt.Errorf("there is no engine %s", path)
	case err != nil:
		return Config{}, fmt.Errorf("look at the engine: %w", err)
	case info.IsDir():
		return fromManifest(filepath.Join(path, ManifestName))
	case filepath.Ext(path) == ".json":
		return fromManifest(path)
	case info.Mode()&0o111 == 0:
		return Config{}, fmt.Errorf("%s is neither a program that can be executed nor a folder with %s: make it executable, or describe it there", path, ManifestName)
	}
	name := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	return Config{Info: lang.Info{Language: strings.ToLower(name)}, Command: []string{path}}, nil
}

func fromManifest(file string) (Config, error) {
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return Config{}, fmt.Errorf("there is no %s: an engine in a folder is described by one", file)
	}
	if err != nil {
		return Config{}, fmt.Errorf("read the manifest: %w", err)
	}
	m, err := DecodeManifest(data)
	if err != nil {
		return Config{}, fmt.Errorf("read %s: %w", file, err)
	}
	config := Config{Info: lang.Info{Language: m.Language}, Command: m.Command}
	if m.Pipes == Descriptors.String() {
		config.Pipes = Descriptors
	}
	for i, word := range config.Command { // programs and scripts of the folder
		if strings.HasPrefix(word, "./") {
			config.Command[i] = filepath.Join(filepath.Dir(file), word)
		}
	}
	return config, nil
}
