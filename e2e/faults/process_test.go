//go:build linux

package faults_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// runtimeProcess is the process of a runtime. It has a handle, so that no other process
// that got its number meanwhile is meant by it.
type runtimeProcess struct {
	*os.Process
	runtime, notebook string
}

// runtimes returns the runtimes of a notebook, or of all if that is empty, of a data
// directory.
func runtimes(data, notebook string) (found []runtimeProcess) {
	for _, pid := range processes() {
		p, err := os.FindProcess(pid)
		if err != nil {
			continue
		}
		if a, ok := runtimeOf(pid, data); ok && (notebook == "" || a.notebook == notebook) {
			a.Process = p
			found = append(found, a)
			continue
		}
		_ = p.Release() // it is of no use
	}
	return found
}

func runtimeOf(pid int, data string) (a runtimeProcess, ok bool) {
	if !hasVariable(pid, "QUIRE_DATA="+data) {
		return a, false
	}
	line, err := os.ReadFile(procFile(pid, "cmdline"))
	args := strings.Split(string(line), "\x00")
	if err != nil || len(args) < 2 || args[1] != "agent" {
		return a, false
	}
	return runtimeProcess{runtime: flagOf(args, "--runtime"), notebook: flagOf(args, "--notebook")}, true
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

// engines returns the living children of a runtime.
func (a runtimeProcess) engines() (found []*os.Process) {
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

// isChild reads the state and the parent: the 3rd and 4th field, after the name,
// which is in parentheses and may contain anything.
func isChild(pid, parent int) bool {
	stat, err := os.ReadFile(procFile(pid, "stat"))
	if err != nil {
		return false
	}
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	return len(fields) > 1 && string(fields[0]) != "Z" && string(fields[1]) == strconv.Itoa(parent)
}

// marked returns the processes, by their command lines, that were started with an entry
// in their environment, and have not ended.
func marked(entry string) (found []string) {
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
