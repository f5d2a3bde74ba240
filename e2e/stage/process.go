//go:build linux

package stage

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/quirehq/quire/internal/proc"
)

// Runtime is the process of a runtime. It has a handle, so that no other process
// that got its number meanwhile is meant by it.
type Runtime struct {
	*os.Process
	ID, Notebook string
}

// Runtimes returns the runtimes of a notebook, or of all if that is empty, of a data
// directory.
func Runtimes(data, notebook string) (found []Runtime) {
	for _, pid := range processes() {
		p, err := os.FindProcess(pid)
		if err != nil {
			continue
		}
		if a, ok := runtimeOf(pid, data); ok && (notebook == "" || a.Notebook == notebook) {
			a.Process = p
			found = append(found, a)
			continue
		}
		_ = p.Release() // it is of no use
	}
	return found
}

func runtimeOf(pid int, data string) (a Runtime, ok bool) {
	line, err := os.ReadFile(procFile(pid, "cmdline"))
	args := strings.Split(string(line), "\x00")
	if err != nil || len(args) < 2 || args[1] != "runtime" || flagOf(args, "--data") != data {
		return a, false
	}
	return Runtime{ID: flagOf(args, "--runtime"), Notebook: flagOf(args, "--notebook")}, true
}

// hasVariable reports whether a process was started with an entry in its environment.
func hasVariable(pid int, entry string) bool {
	environ, err := os.ReadFile(procFile(pid, "environ"))
	return err == nil && slices.Contains(strings.Split(string(environ), "\x00"), entry)
}

func flagOf(args []string, flag string) string {
	if i := slices.Index(args, flag); i >= 0 && i+1 < len(args) {
		return args[i+1]
	}
	return ""
}

// Engines returns the living children of a runtime.
func (a Runtime) Engines() (found []*os.Process) {
	for _, pid := range processes() {
		p, err := os.FindProcess(pid)
		if err != nil {
			continue
		}
		if isChild(pid, a.Pid) {
			found = append(found, p)
			continue
		}
		_ = p.Release() // it is of no use
	}
	return found
}

func isChild(pid, parent int) bool {
	stat := proc.Stat(pid)
	return stat != nil && string(stat[0]) != "Z" && string(stat[1]) == strconv.Itoa(parent)
}

// Marked returns the processes, by their command lines, that were started with an entry
// in their environment, and have not ended.
func Marked(entry string) (found []string) {
	for _, pid := range processes() {
		if !hasVariable(pid, entry) {
			continue
		}
		line, err := os.ReadFile(procFile(pid, "cmdline"))
		if err == nil && len(line) > 0 {
			found = append(found, strconv.Itoa(pid)+" "+strings.ReplaceAll(string(line), "\x00", " "))
		}
	}
	return found
}

func processes() []int { return proc.Find(func([][]byte) bool { return true }, 0) }

func procFile(pid int, name string) string {
	return filepath.Join("/proc", strconv.Itoa(pid), name)
}
