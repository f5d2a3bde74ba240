package python

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// The oldest version that the driver supports.
const oldestMajor, oldestMinor = 3, 9

const howToSet = "set --python or QUIRE_PYTHON to the path of one"

// find returns the path of the interpreter to start: the configured one, that of the active
// environment, or the first in PATH.
func find(config Config) (string, error) {
	env := config.Env
	if env == nil {
		env = os.Environ()
	}
	if config.Python != "" {
		return findNamed(config.Python, env)
	}
	for _, name := range []string{"VIRTUAL_ENV", "CONDA_PREFIX"} {
		if dir := lookup(env, name); dir != "" {
			path := filepath.Join(dir, "bin", "python")
			if executable(path) != nil {
				return "", fmt.Errorf("%s is %s, but there is no %s; %s", name, dir, path, howToSet)
			}
			return path, nil
		}
	}
	for _, name := range []string{"python3", "python"} {
		if path := inPath(name, env); path != "" {
			return path, nil
		}
	}
	return "", fmt.Errorf("no python3 in PATH; install Python %d.%d or newer, or %s", oldestMajor, oldestMinor, howToSet)
}

// Find returns the path of the configured interpreter. It does not check that the file is a Python.
func Find(config Config) (string, error) { return find(config) }

func findNamed(name string, env []string) (string, error) {
	if !strings.Contains(name, "/") {
		if path := inPath(name, env); path != "" {
			return path, nil
		}
		return "", fmt.Errorf("no %s in PATH; %s", name, howToSet)
	}
	if err := executable(name); err != nil {
		return "", fmt.Errorf("%s cannot be executed: %w; %s", name, err, howToSet)
	}
	// A relative path is relative to our working directory, not to that of programs.
	return filepath.Abs(name)
}

// inPath is exec.LookPath for the environment of the child.
func inPath(name string, env []string) string {
	for _, dir := range filepath.SplitList(lookup(env, "PATH")) {
		if path := filepath.Join(dir, name); filepath.IsAbs(path) && executable(path) == nil {
			return path
		}
	}
	return ""
}

func executable(path string) error {
	info, err := os.Stat(path)
	var pathErr *fs.PathError
	switch {
	case errors.As(err, &pathErr):
		return pathErr.Err
	case err != nil:
		return err
	case info.IsDir():
		return errors.New("it is a directory")
	case info.Mode()&0o111 == 0:
		return fs.ErrPermission
	}
	return nil
}

// lookup returns the last value of a variable, which is the one that a process sees.
func lookup(env []string, name string) string {
	value := ""
	for _, entry := range env {
		if key, v, ok := strings.Cut(entry, "="); ok && key == name {
			value = v
		}
	}
	return value
}
