package jupyter

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// lookPath finds a program in the environment that it will have.
func lookPath(program string, env []string, dir string) (string, error) {
	if strings.ContainsRune(program, filepath.Separator) {
		path := program
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		return path, executable(path)
	}
	path, _ := lookup(env, "PATH")
	for _, dir := range filepath.SplitList(path) {
		if file := filepath.Join(dir, program); filepath.IsAbs(file) && executable(file) == nil {
			return file, nil
		}
	}
	return "", fmt.Errorf("there is no %s in PATH", program)
}

func executable(path string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return err
	case info.IsDir():
		return fmt.Errorf("%s is a directory", path)
	case info.Mode()&0o111 == 0:
		return fmt.Errorf("%s cannot be executed: %w", path, fs.ErrPermission)
	}
	return nil
}
