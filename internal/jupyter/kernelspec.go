package jupyter

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/quirehq/quire/core/lang/names"
)

// Kernel is an installed Jupyter kernel, as its kernelspec describes it
// (jupyter-client.readthedocs.io/en/stable/kernels.html).
type Kernel struct {
	Name     string // the folder's name, in lower case
	Dir      string // of its kernelspec
	Display  string // the name to show
	Language string // as cells name it
	Argv     []string
	Env      map[string]string
	// ByMessage says that the kernel is interrupted by a message, not by a signal.
	ByMessage bool
	// Fault is why the kernel cannot be used; nil if it can. Name and Dir are set in any case.
	Fault error

	python string // interpreter of the environment in which it was found, if any
}

// specFile is the file name of a kernelspec.
const specFile = "kernel.json"

// maxSpec bounds the bytes of a kernelspec.
const maxSpec = 1 << 20

// validName matches the folder names that are valid names of kernels.
var validName = regexp.MustCompile(`^[A-Za-z0-9._-]+$`)

// readKernel reads the kernelspec in a folder.
func readKernel(dir string) Kernel {
	k := Kernel{Name: strings.ToLower(filepath.Base(dir)), Dir: dir}
	k.Fault = k.read(filepath.Join(dir, specFile))
	return k
}

func (k *Kernel) read(file string) error {
	info, err := os.Stat(file)
	if err == nil && info.Size() > maxSpec {
		err = fmt.Errorf("%s has %d bytes, at most %d are read", file, info.Size(), maxSpec)
	}
	if err != nil {
		return err
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var spec struct {
		Argv      []string          `json:"argv"`
		Display   string            `json:"display_name"`
		Language  string            `json:"language"`
		Env       map[string]string `json:"env"`
		Interrupt string            `json:"interrupt_mode"`
	}
	if err := json.Unmarshal(data, &spec); err != nil {
		return fmt.Errorf("%s is not a kernelspec: %w", file, err)
	}
	k.Argv, k.Env, k.ByMessage = spec.Argv, spec.Env, spec.Interrupt == "message"
	k.Language = names.ID(strings.TrimSpace(spec.Language))
	if k.Display = spec.Display; k.Display == "" {
		k.Display = k.Name
	}
	if err := k.check(spec.Interrupt); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return nil
}

func (k *Kernel) check(interrupt string) error {
	switch {
	case len(k.Argv) == 0 || k.Argv[0] == "":
		return errors.New(`"argv" must say which program to start`)
	case k.Language == "":
		return errors.New(`"language" must say what it executes`)
	case interrupt != "" && interrupt != "signal" && interrupt != "message":
		return fmt.Errorf(`"interrupt_mode" is %q: want "signal" or "message"`, interrupt)
	case !strings.Contains(strings.Join(k.Argv, "\x00"), connectionMark):
		return fmt.Errorf(`"argv" must have %s: the kernel would not know where to listen`, connectionMark)
	}
	return nil
}

// Placeholders in the argv of a kernelspec.
const (
	connectionMark = "{connection_file}"
	resourceMark   = "{resource_dir}"
)

// noHistory keeps the sources of notebooks out of the user's IPython history.
const noHistory = "--HistoryManager.hist_file=:memory:"

// command returns the argv and the environment of the kernel's process.
func (k *Kernel) command(connection string, env []string) (argv, environ []string) {
	replace := strings.NewReplacer(connectionMark, connection, resourceMark, k.Dir)
	for _, arg := range k.Argv {
		argv = append(argv, replace.Replace(arg))
	}
	argv[0] = replace.Replace(k.Program())
	if slices.ContainsFunc(k.Argv, func(arg string) bool { return strings.HasPrefix(arg, "ipykernel") }) {
		argv = append(argv, noHistory)
	}
	environ = append(environ, env...)
	for name, value := range k.Env {
		environ = append(environ, name+"="+expand(value, env))
	}
	return argv, environ
}

// Program returns the executable, by path or by name.
func (k *Kernel) Program() string {
	if k.python != "" && isPython(k.Argv[0]) {
		return k.python // the interpreter beside the kernelspec, as in Jupyter
	}
	return k.Argv[0]
}

// mentions reports whether the argv contains any of the names.
func (k *Kernel) mentions(names ...string) bool {
	argv := strings.Join(k.Argv, "\x00")
	return slices.ContainsFunc(names, func(name string) bool { return strings.Contains(argv, name) })
}

// isIPykernel reports whether it is Python's kernel. That kernel publishes text written to its
// descriptors itself, writes it there as well, and can be made to block when its queue is full.
func (k *Kernel) isIPykernel() bool { return k.mentions("ipykernel") }

// isPython reports whether a program has a name of Python, such as python3.12.
func isPython(program string) bool {
	version := strings.TrimPrefix(program, "python")
	return version != program && strings.Trim(version, "0123456789.") == ""
}

// variable matches a reference to a variable in the env of a kernelspec.
var variable = regexp.MustCompile(`\$(\$|[A-Za-z_]\w*|\{[A-Za-z_]\w*\})`)

// expand substitutes variables in a text. Unset ones stay as they are.
func expand(text string, env []string) string {
	return variable.ReplaceAllStringFunc(text, func(mark string) string {
		if mark == "$$" {
			return "$"
		}
		if value, ok := lookup(env, strings.Trim(mark, "${}")); ok {
			return value
		}
		return mark
	})
}

// lookup returns the last value of a variable, which is the one that a process sees.
func lookup(env []string, name string) (value string, ok bool) {
	for _, entry := range env {
		if key, v, is := strings.Cut(entry, "="); is && key == name {
			value, ok = v, true
		}
	}
	return value, ok
}

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
