package jupyter

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Kernel is an installed Jupyter kernel, as its kernelspec describes it
// (jupyter-client.readthedocs.io/en/stable/kernels.html).
type Kernel struct {
	Name     string // of its folder, in lower case
	Dir      string // of its kernelspec
	Display  string // for people
	Language string // in lower case, as cells name it
	Argv     []string
	Env      map[string]string
	// ByMessage says that it wants to be interrupted by a message, not by a signal.
	ByMessage bool
	// Fault says why it cannot be used; nil if it can. The name and Dir are set
	// anyway.
	Fault error

	python string // interpreter of the environment that it was found in, if any
}

// specFile is what a kernelspec is called in its folder.
const specFile = "kernel.json"

// maxSpec bounds the bytes of a kernelspec.
const maxSpec = 1 << 20

// named says whether a folder's name is that of a kernel.
var named = regexp.MustCompile(`^[A-Za-z0-9._-]+$`)

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
	k.Language = strings.ToLower(strings.TrimSpace(spec.Language))
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

// What stands in the argv of a kernelspec for what is known only at the start.
const (
	connectionMark = "{connection_file}"
	resourceMark   = "{resource_dir}"
)

// noHistory keeps what notebooks run out of the history that a person has in IPython.
const noHistory = "--HistoryManager.hist_file=:memory:"

// command returns what to start, and in which environment.
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

// Program returns the program that is started, by path or by name.
func (k *Kernel) Program() string {
	if k.python != "" && isPython(k.Argv[0]) {
		return k.python // the one beside the kernelspec, as Jupyter does
	}
	return k.Argv[0]
}

// mentions reports whether any of the names is in what the kernel is started with.
func (k *Kernel) mentions(names ...string) bool {
	argv := strings.Join(k.Argv, "\x00")
	return slices.ContainsFunc(names, func(name string) bool { return strings.Contains(argv, name) })
}

// isIPykernel says whether it is Python's kernel, which publishes itself what is written
// to its descriptors, writes it there as well, and can be told to wait.
func (k *Kernel) isIPykernel() bool { return k.mentions("ipykernel") }

// isIRkernel says whether it is R's kernel.
func (k *Kernel) isIRkernel() bool { return k.mentions("IRkernel") }

// isPython says whether a program is called as any Python is.
func isPython(program string) bool {
	version := strings.TrimPrefix(program, "python")
	return version != program && strings.Trim(version, "0123456789.") == ""
}

// variable is how the env of a kernelspec refers to a variable.
var variable = regexp.MustCompile(`\$(\$|[A-Za-z_]\w*|\{[A-Za-z_]\w*\})`)

// expand puts the values of variables into a text. What is not set stays as it is.
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

// lookup returns the last value of a variable, which is what a process sees.
func lookup(env []string, name string) (value string, ok bool) {
	for _, entry := range env {
		if key, v, is := strings.Cut(entry, "="); is && key == name {
			value, ok = v, true
		}
	}
	return value, ok
}
