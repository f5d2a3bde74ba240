package python

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/quirehq/quire/internal/proc"
)

// Place is the location of an interpreter.
type Place struct {
	Executable string   // its own sys.executable
	Folders    []string // that it reads, such as that of its library
}

// askPlace prints the location of the running interpreter: its environment, the base of that, and
// the search path of modules with the user's packages, which isolated mode leaves out.
const askPlace = `import json, os, site, sys
real = os.path.dirname(os.path.dirname(os.path.realpath(sys.executable)))
paths = [sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix, real, *sys.path, site.getusersitepackages()]
print(json.dumps({"Executable": sys.executable, "Folders": [p for p in dict.fromkeys(paths) if os.path.isabs(p) and os.path.exists(p)]}))`

// Locate finds the configured interpreter, as [New] does, and starts it to ask for its location:
// the program in PATH may be a launcher. It runs isolated, so no file of the current folder and no
// variable makes it execute code.
func Locate(ctx context.Context, config Config) (Place, error) {
	python, err := find(config)
	if err != nil {
		return Place{}, err
	}
	environ := config.Env
	if environ == nil {
		environ = os.Environ()
	}
	out, err := proc.Isolated(ctx, environ, python, "-I", "-c", askPlace).Output()
	var place Place
	if err == nil {
		err = json.Unmarshal(out, &place)
	}
	if err == nil && place.Executable == "" {
		err = errors.New("it prints no path")
	}
	if err != nil {
		return Place{}, fmt.Errorf("ask %s where it is: %w", python, err)
	}
	place.Folders = append(place.Folders, extraFolders(environ, place.Folders)...)
	return place, nil
}

// extraFolders returns the folders in an environment's module path that are not known yet.
func extraFolders(environ, known []string) []string {
	var dirs []string
	for _, dir := range filepath.SplitList(lookup(environ, "PYTHONPATH")) {
		if _, err := os.Stat(dir); err == nil && filepath.IsAbs(dir) && !slices.Contains(known, dir) {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}
