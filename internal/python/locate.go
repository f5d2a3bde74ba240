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

// Place is where an interpreter is.
type Place struct {
	Executable string   // by which it knows itself
	Folders    []string // that it reads, such as that of its library
}

// askPlace has an interpreter say where it is: an environment and what that is made
// from, and where modules are looked for, the user's own packages included, which an
// isolated one leaves out.
const askPlace = `import json, os, site, sys
real = os.path.dirname(os.path.dirname(os.path.realpath(sys.executable)))
paths = [sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix, real, *sys.path, site.getusersitepackages()]
print(json.dumps({"Executable": sys.executable, "Folders": [p for p in dict.fromkeys(paths) if os.path.isabs(p) and os.path.exists(p)]}))`

// Locate finds the interpreter that a configuration means, as [New] does, and starts it
// to ask where it really is: what is found in PATH may only be something that starts it.
// It is asked in isolation, so that no file of the current folder and no variable has it
// execute anything.
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
		err = errors.New("it does not know")
	}
	if err != nil {
		return Place{}, fmt.Errorf("ask %s where it is: %w", python, err)
	}
	place.Folders = append(place.Folders, named(environ, place.Folders)...)
	return place, nil
}

// named returns the folders in which an environment has modules looked for, besides those
// that are known.
func named(environ, known []string) []string {
	var dirs []string
	for _, dir := range filepath.SplitList(lookup(environ, "PYTHONPATH")) {
		if _, err := os.Stat(dir); err == nil && filepath.IsAbs(dir) && !slices.Contains(known, dir) {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}
