package jupyter

import (
	"cmp"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// Search is where kernels are looked for.
type Search struct {
	// Env is the environment that decides, as a list of NAME=value.
	Env []string
	// Python is the interpreter whose environment is searched: a name in PATH or a path; if empty,
	// that of VIRTUAL_ENV or CONDA_PREFIX, else python3.
	Python string
}

// List returns the installed kernels, sorted by name. The first kernel of a name counts, in
// Jupyter's order: JUPYTER_PATH, the user's data, the environment of Python, and the system. A
// damaged one is listed with its fault.
func (s Search) List() []Kernel {
	var kernels []Kernel
	seen := map[string]bool{}
	for _, root := range s.kernelDirs() {
		entries, err := os.ReadDir(root.dir)
		if err != nil {
			continue // most of the folders do not exist
		}
		for _, entry := range entries {
			dir := filepath.Join(root.dir, entry.Name())
			name := strings.ToLower(entry.Name())
			if seen[name] || !validName.MatchString(name) || !exists(filepath.Join(dir, specFile)) {
				continue
			}
			seen[name] = true
			k := readKernel(dir)
			k.python = root.python
			kernels = append(kernels, k)
		}
	}
	slices.SortFunc(kernels, func(a, b Kernel) int { return cmp.Compare(a.Name, b.Name) })
	return kernels
}

// kernelDir is a folder of kernels.
type kernelDir struct {
	dir    string
	python string // of the environment that the folder belongs to, if any
}

func (s Search) kernelDirs() []kernelDir {
	var dirs []kernelDir
	add := func(data, python string) {
		// A relative path depends on the working directory, whose content a notebook may control.
		if filepath.IsAbs(data) {
			dirs = append(dirs, kernelDir{filepath.Join(data, "kernels"), python})
		}
	}
	for _, dir := range filepath.SplitList(s.value("JUPYTER_PATH")) {
		add(dir, "")
	}
	add(s.userData(), "")
	if python := s.python(); python != "" {
		add(filepath.Join(filepath.Dir(filepath.Dir(python)), "share", "jupyter"), python)
	}
	if data := s.value("PROGRAMDATA"); runtime.GOOS == "windows" && data != "" {
		add(filepath.Join(data, "jupyter"), "")
	}
	add("/usr/local/share/jupyter", "")
	add("/usr/share/jupyter", "")
	return dirs
}

// userData returns Jupyter's folder of user data.
func (s Search) userData() string {
	if dir := s.value("JUPYTER_DATA_DIR"); dir != "" {
		return dir
	}
	home := cmp.Or(s.value("HOME"), s.value("USERPROFILE"))
	switch {
	case runtime.GOOS == "windows" && s.value("APPDATA") != "":
		return filepath.Join(s.value("APPDATA"), "jupyter")
	case runtime.GOOS == "darwin" && home != "":
		return filepath.Join(home, "Library", "Jupyter")
	case s.value("XDG_DATA_HOME") != "":
		return filepath.Join(s.value("XDG_DATA_HOME"), "jupyter")
	case home != "":
		return filepath.Join(home, ".local", "share", "jupyter")
	}
	return ""
}

// python returns the path of the interpreter. Links are not resolved: an environment has a link to
// the interpreter that it was made with.
func (s Search) python() string {
	if strings.ContainsRune(s.Python, filepath.Separator) {
		path, err := filepath.Abs(s.Python)
		if err != nil {
			return ""
		}
		return path
	}
	if s.Python == "" {
		if dir := cmp.Or(s.value("VIRTUAL_ENV"), s.value("CONDA_PREFIX")); dir != "" {
			return filepath.Join(dir, "bin", "python")
		}
	}
	for _, dir := range filepath.SplitList(s.value("PATH")) {
		if path := filepath.Join(dir, cmp.Or(s.Python, "python3")); filepath.IsAbs(path) && exists(path) {
			return path
		}
	}
	return ""
}

func (s Search) value(name string) string {
	value, _ := lookup(s.Env, name)
	return value
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
