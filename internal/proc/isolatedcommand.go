package proc

import (
	"context"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Isolated returns a command for a program of the system or of this machine's owner that must not
// execute foreign files: its folder is the root, and its environment is [IsolatedEnv]. The path is
// absolute.
func Isolated(ctx context.Context, environ []string, path string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Dir, cmd.Env = IsolatedDir, IsolatedEnv(environ)
	return cmd
}

// IsolatedDir is the working directory of isolated programs: notebooks and downloads write no files
// there.
const IsolatedDir = "/"

// isolated are the variables that isolated programs get: the search paths of programs, the version
// for launchers of versions, and the locale. None makes a program load or execute a file.
var isolated = [...]string{
	"PATH", "HOME", "USER", "LOGNAME", "LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR",
	"PYENV_ROOT", "PYENV_VERSION", "ASDF_DIR", "ASDF_DATA_DIR", "MISE_DATA_DIR", "NIX_PROFILES",
	"SYSTEMROOT", "TEMP", "TMP", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "PATHEXT", // of Windows
}

// IsolatedEnv returns the part of an environment that isolated programs get. It is not nil, and has
// no relative paths.
func IsolatedEnv(environ []string) []string {
	kept := []string{}
	for _, entry := range environ {
		name, value, ok := strings.Cut(entry, "=")
		if !ok || !slices.Contains(isolated[:], name) {
			continue
		}
		if name == "PATH" {
			dirs := slices.DeleteFunc(filepath.SplitList(value), func(dir string) bool { return !filepath.IsAbs(dir) })
			value = strings.Join(dirs, string(filepath.ListSeparator))
		}
		kept = append(kept, name+"="+value)
	}
	return kept
}
