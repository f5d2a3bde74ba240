//go:build linux

package e2e_test

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// runtimeProcess is the process of a runtime. It has a handle, so that no other process that
// got its number meanwhile is meant by it.
type runtimeProcess struct {
	*os.Process
	runtime string
}

// agents returns the runtimes of a notebook, or of all if that is empty, that belong
// to a data directory.
func agents(data, notebook string) (found []runtimeProcess) {
	for _, pid := range processes() {
		p, err := os.FindProcess(pid)
		if err != nil {
			continue
		}
		if runtime, ok := agentOf(pid, data, notebook); ok {
			found = append(found, runtimeProcess{p, runtime})
			continue
		}
		_ = p.Release() // it is of no use
	}
	return found
}

// agentOf reports whether a process is such a runtime, and its id.
func agentOf(pid int, data, notebook string) (runtime string, ok bool) {
	environ, err := os.ReadFile(procFile(pid, "environ"))
	if err != nil || !slices.Contains(strings.Split(string(environ), "\x00"), "QUIRE_DATA="+data) {
		return "", false
	}
	line, err := os.ReadFile(procFile(pid, "cmdline"))
	args := strings.Split(string(line), "\x00")
	if err != nil || len(args) < 2 || args[1] != "agent" || notebook != "" && flagOf(args, "--notebook") != notebook {
		return "", false
	}
	return flagOf(args, "--runtime"), true
}

func flagOf(args []string, flag string) string {
	if i := slices.Index(args, flag); i >= 0 && i+1 < len(args) {
		return args[i+1]
	}
	return ""
}

func processes() (pids []int) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	for _, entry := range entries {
		if pid, err := strconv.Atoi(entry.Name()); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

func procFile(pid int, name string) string {
	return filepath.Join("/proc", strconv.Itoa(pid), name)
}
