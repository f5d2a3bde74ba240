package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	environment "github.com/quirehq/quire/internal/env"
	"github.com/quirehq/quire/internal/python"
)

// sandboxTexts say how the programs of runtimes are shut in, as it was set.
type sandboxTexts struct {
	On, Network bool
	AsRoot      bool     // also where this process is root
	Read        []string // folders that programs may read
	Env         []string // variables that programs get

	// Found says that the Python and the folders are those that the server has found.
	// Where its runtimes start there are files that programs of notebooks wrote.
	Found bool

	// Untrusted says that programs are shut in because the notebook is not trusted.
	Untrusted bool

	Wrong []string // variables that are neither yes nor no
}

// sandboxTextsOf returns what the environment sets. Lists have the separator of PATH.
func sandboxTextsOf(getenv func(string) string) sandboxTexts {
	var t sandboxTexts
	yes := func(variable string) bool {
		text := getenv(variable)
		is, err := strconv.ParseBool(text)
		if err != nil && text != "" {
			t.Wrong = append(t.Wrong, variable)
		}
		return is
	}
	t.On, t.Network, t.AsRoot = yes("QUIRE_SANDBOX"), yes("QUIRE_SANDBOX_NETWORK"), yes("QUIRE_SANDBOX_AS_ROOT")
	if text := getenv("QUIRE_SANDBOX_READ"); text != "" {
		t.Read = filepath.SplitList(text)
	}
	if text := getenv("QUIRE_SANDBOX_ENV"); text != "" {
		t.Env = filepath.SplitList(text)
	}
	return t
}

// addTo adds the flags to those of a command.
func (t *sandboxTexts) addTo(flags *pflag.FlagSet) {
	boolFlag(flags, &t.On, "sandbox", "shut the programs of notebooks in: they see the system and their notebook's files, and no network (QUIRE_SANDBOX)")
	boolFlag(flags, &t.Network, "sandbox-network", "let programs in the sandbox use the network, that of this machine included (QUIRE_SANDBOX_NETWORK)")
	boolFlag(flags, &t.AsRoot, "sandbox-as-root", "start programs in the sandbox also as root, whose files in /proc and /sys it does not hide (QUIRE_SANDBOX_AS_ROOT)")
	listFlag(flags, &t.Read, "sandbox-read", "DIR", "let programs in the sandbox read a folder; may be given again (QUIRE_SANDBOX_READ)")
	listFlag(flags, &t.Env, "sandbox-env", "NAME", "let programs in the sandbox have a variable; may be given again (QUIRE_SANDBOX_ENV)")
}

// check notes what is wrong.
func (t *sandboxTexts) check(wrong *configErrors) {
	for _, variable := range t.Wrong {
		flag := strings.ReplaceAll(strings.ToLower(strings.TrimPrefix(variable, "QUIRE_")), "_", "-")
		wrong.add(flag, variable, "want 1 or 0")
	}
	if !t.On && (t.Network || len(t.Read)+len(t.Env) > 0) {
		wrong.add("sandbox", "QUIRE_SANDBOX", "it is not set, and without it there is nothing for the other settings of the sandbox to do")
	}
	if t.On && !t.AsRoot && os.Geteuid() == 0 {
		wrong.add("sandbox-as-root", "QUIRE_SANDBOX_AS_ROOT", "it is not set, and the sandbox is weaker for root, to whom the kernel shows more than to others: "+
			"start quire as an ordinary user, or set it")
	}
	for _, dir := range t.Read {
		if !filepath.IsAbs(dir) {
			wrong.add("sandbox-read", "QUIRE_SANDBOX_READ", "%q is not an absolute path", dir)
		}
	}
}

// checkFolders notes folders that are not there. A runtime does without one that has gone
// since its server started.
func (t *sandboxTexts) checkFolders(wrong *configErrors) {
	for _, dir := range t.Read {
		if _, err := os.Stat(dir); filepath.IsAbs(dir) && err != nil {
			wrong.add("sandbox-read", "QUIRE_SANDBOX_READ", "%v", err)
		}
	}
}

// args returns the flags that set the same in another process.
func (t *sandboxTexts) args() []string {
	if !t.On {
		return nil
	}
	args := []string{"--sandbox"}
	if t.Network {
		args = append(args, "--sandbox-network")
	}
	if t.AsRoot {
		args = append(args, "--sandbox-as-root")
	}
	for _, dir := range t.Read {
		args = append(args, "--sandbox-read", dir)
	}
	for _, name := range t.Env {
		args = append(args, "--sandbox-env", name)
	}
	if t.Found {
		args = append(args, "--"+foundFlag)
	}
	if t.Untrusted {
		args = append(args, "--"+untrustedFlag)
	}
	return args
}

// foundFlag and untrustedFlag are for what a server starts only.
const (
	foundFlag     = "sandbox-found"
	untrustedFlag = "sandbox-untrusted"
)

// prepareSandbox finds out whether runtimes can be shut in, and which Python they
// use: it may be in the home, which programs do not see, and it may only be found by
// something that is there. It is then named for itself, and its folders and those of the
// kernels that are installed may be read. A server does this before any program of a
// notebook ran, and tells its runtimes.
func (a *app) prepareSandbox(ctx context.Context) error {
	c := &a.config
	if !c.Sandbox.On {
		return nil
	}
	if err := environment.CheckSandbox(ctx); err != nil {
		return err
	}
	if c.Sandbox.Found {
		return nil
	}
	place, err := python.Locate(ctx, python.Config{Python: c.Python, Env: withoutOurs(a.environ)})
	if err != nil {
		return fmt.Errorf("find the python of the sandbox: %w", err)
	}
	c.Python = place.Executable
	folders, all := a.kernelFolders(ctx)
	for _, dir := range append(place.Folders, folders...) {
		if !a.isPrivate(dir) && !slices.Contains(c.Sandbox.Read, dir) {
			c.Sandbox.Read = append(c.Sandbox.Read, dir)
		}
	}
	c.Sandbox.Found = all
	return nil
}

// kernelFolders returns the folders that the kernels which are installed need to read:
// with their kernelspecs, and with the programs that are not the system's. It reports whether
// it could ask all of them: one that did not answer may do so at the next look.
func (a *app) kernelFolders(ctx context.Context) (folders []string, all bool) {
	all = true
	for _, k := range a.kernels() {
		if k.Fault != nil || a.isWritten(k.Dir) {
			continue
		}
		folders = append(folders, k.Dir)
		if program := k.Program(); filepath.IsAbs(program) && !strings.HasPrefix(program, "/usr/") && !a.isWritten(program) {
			folders = append(folders, filepath.Dir(program))
			if k.Language == pythonLanguage {
				found, err := python.Locate(ctx, python.Config{Python: program, Env: withoutOurs(a.environ)})
				if err != nil { // it says itself what is wrong with it when it is started
					all = false
				}
				folders = append(folders, found.Folders...)
			}
		}
	}
	return folders, all
}

// isWritten reports whether a file lies where programs of notebooks write.
func (a *app) isWritten(name string) bool {
	rest, err := filepath.Rel(filepath.Join(a.config.Data, "files"), name)
	return a.config.Data != "" && err == nil && filepath.IsLocal(rest)
}

// isPrivate reports whether to read a folder is to read the home or the data directory.
func (a *app) isPrivate(dir string) bool {
	private := []string{a.config.Data}
	for _, entry := range a.environ {
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

// sandboxed are the variables that programs in a sandbox get, besides those that are
// named and those that begin with one of sandboxedPrefixes.
var sandboxed = [...]string{
	"PATH", "LANG", "LANGUAGE", "TZ", "TERM", "COLORTERM", "NO_COLOR", "PYTHONPATH", "PYTHONHASHSEED", "PYTHONUTF8", "VIRTUAL_ENV", "CONDA_PREFIX",
	"MPLBACKEND", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS",
}

var sandboxedPrefixes = [...]string{"LC_"}

// environ returns the variables that programs in the sandbox get.
func (t *sandboxTexts) environ(all []string) []string {
	var kept []string
	for _, entry := range all {
		name, _, _ := strings.Cut(entry, "=")
		if t.passes(name) {
			kept = append(kept, entry)
		}
	}
	return kept
}

func (t *sandboxTexts) passes(name string) bool {
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
