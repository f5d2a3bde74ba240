package engines

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/quirehq/quire/cmd/quire/internal/settings"
	"github.com/quirehq/quire/internal/env"
	"github.com/quirehq/quire/internal/python"
	"github.com/quirehq/quire/internal/script"
)

// CheckSandbox notes the errors of the settings of the sandbox.
func CheckSandbox(t *settings.SandboxConfig, wrong *settings.Errors) {
	if !t.On && (t.Network || len(t.Read)+len(t.Env) > 0) {
		wrong.Add("sandbox", "it is not set, and without it there is nothing for the other settings of the sandbox to do")
	}
	if t.On && !t.AsRoot && os.Geteuid() == 0 {
		wrong.Add("sandbox-as-root", "it is not set, and the sandbox is weaker for root, to whom the kernel shows more than to others: "+
			"start quire as an ordinary user, or set it")
	}
	for _, dir := range t.Read {
		if !filepath.IsAbs(dir) {
			wrong.Add("sandbox-read", "%q is not an absolute path", dir)
		}
	}
}

// CheckFolders notes folders that do not exist. A runtime does without one that was removed
// since its server started.
func CheckFolders(t *settings.SandboxConfig, wrong *settings.Errors) {
	for _, dir := range t.Read {
		if _, err := os.Stat(dir); filepath.IsAbs(dir) && err != nil {
			wrong.Add("sandbox-read", "%v", err)
		}
	}
}

// SandboxArgs returns the flags that make the same sandbox in another process.
func SandboxArgs(t settings.SandboxConfig) []string {
	if !t.On {
		return nil
	}
	c := settings.Config{Sandbox: t}
	return c.Args(settings.Sandbox)
}

// Prepare checks that there can be a sandbox, if the configuration asks for one, and sets its
// Python and the folders to read: those of Python and of other interpreters, which may be in the home
// that programs do not see, and those of the installed kernels. A server does this before any program of a notebook
// has run, and passes the result to its runtimes.
func (f *Factory) Prepare(ctx context.Context) error {
	c := f.Config
	if !c.Sandbox.On {
		return nil
	}
	if err := env.CheckSandbox(ctx); err != nil {
		return err
	}
	if c.Sandbox.Found {
		return nil
	}
	place, err := python.Locate(ctx, python.Config{Python: c.Python, Env: f.Environ})
	if err != nil {
		return fmt.Errorf("find the python of the sandbox: %w", err)
	}
	c.Python = place.Executable
	folders, all := f.kernelFolders(ctx)
	folders = append(folders, f.interpreterFolders()...)
	folders = append(folders, f.describedFolders()...)
	for _, dir := range append(place.Folders, folders...) {
		if !f.isPrivate(dir) && !slices.Contains(c.Sandbox.Read, dir) {
			c.Sandbox.Read = append(c.Sandbox.Read, dir)
		}
	}
	c.Sandbox.Found = all
	return nil
}

// kernelFolders returns the folders that the installed kernels need to read: those of their
// kernelspecs, and of programs that are not the system's. It reports whether all of them
// answered: one that did not may do so later.
func (f *Factory) kernelFolders(ctx context.Context) (folders []string, all bool) {
	all = true
	for _, k := range f.kernels() {
		if k.Fault != nil || f.isWritten(k.Dir) {
			continue
		}
		folders = append(folders, k.Dir)
		if program := k.Program(); filepath.IsAbs(program) && !strings.HasPrefix(program, "/usr/") && !f.isWritten(program) {
			folders = append(folders, filepath.Dir(program))
			if k.Language == PythonLanguage {
				found, err := python.Locate(ctx, python.Config{Python: program, Env: f.Environ})
				if err != nil { // its start reports the error
					all = false
				}
				folders = append(folders, found.Folders...)
			}
		}
	}
	return folders, all
}

// interpreterFolders returns the folders that installed interpreters need to read and that are not the system's: each has the
// program in a folder bin, beside its libraries.
func (f *Factory) interpreterFolders() (folders []string) {
	for _, l := range script.Languages() {
		program, err := l.Locate(f.Environ)
		if err != nil {
			continue // its language is executed by others
		}
		if target, err := filepath.EvalSymlinks(program); err == nil {
			program = target
		}
		if dir := filepath.Dir(program); !strings.HasPrefix(program, "/usr/") && filepath.Base(dir) == "bin" && dir != "/bin" && !f.isWritten(program) {
			folders = append(folders, filepath.Dir(dir))
		}
	}
	return folders
}

// describedFolders returns the folders and programs of the engines of the settings.
func (f *Factory) describedFolders() (folders []string) {
	for _, o := range f.describedOffers() {
		if o.Fault == nil {
			folders = append(folders, o.Place)
		}
	}
	return folders
}

// isWritten reports whether a file is in a folder that programs of notebooks write.
func (f *Factory) isWritten(name string) bool {
	rest, err := filepath.Rel(filepath.Join(f.Config.Data, "files"), name)
	return f.Config.Data != "" && err == nil && filepath.IsLocal(rest)
}

// isPrivate reports whether a folder has the home or the data directory in it.
func (f *Factory) isPrivate(dir string) bool {
	private := []string{f.Config.Data}
	for _, entry := range f.Environ {
		if name, value, _ := strings.Cut(entry, "="); name == "HOME" {
			private = append(private, value)
		}
	}
	for _, p := range private {
		rest, err := filepath.Rel(dir, p)
		if p != "" && err == nil && rest != ".." && !strings.HasPrefix(rest, ".."+string(filepath.Separator)) {
			return true
		}
	}
	return false
}

// sandboxed are the variables that programs in a sandbox get, besides those of the settings
// and those that begin with one of sandboxedPrefixes.
var sandboxed = [...]string{
	"PATH", "LANG", "LANGUAGE", "TZ", "TERM", "COLORTERM", "NO_COLOR", "PYTHONPATH", "PYTHONHASHSEED", "PYTHONUTF8", "VIRTUAL_ENV", "CONDA_PREFIX",
	"MPLBACKEND", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS",
}

var sandboxedPrefixes = [...]string{"LC_"}

// sandboxEnviron returns the variables that programs in the sandbox get.
func sandboxEnviron(t *settings.SandboxConfig, all []string) []string {
	var kept []string
	for _, entry := range all {
		name, _, _ := strings.Cut(entry, "=")
		if passes(t, name) {
			kept = append(kept, entry)
		}
	}
	return kept
}

func passes(t *settings.SandboxConfig, name string) bool {
	for _, names := range [][]string{sandboxed[:], t.Env} {
		for _, other := range names {
			if name == other {
				return true
			}
		}
	}
	for _, prefix := range sandboxedPrefixes {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}
