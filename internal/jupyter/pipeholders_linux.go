package jupyter

import (
	"fmt"
	"os"
	"strconv"
	"syscall"

	"github.com/quirehq/quire/internal/proc"
)

// holders counts the processes that hold our pipes for the kernel's output, besides the kernel and
// its ancestors.
func (p *process) holders() int {
	kernel, err := p.PID()
	if err != nil {
		return 0
	}
	starters := map[int]bool{}
	for pid := kernel; pid > 1 && !starters[pid]; pid = parentOf(pid) {
		starters[pid] = true
	}
	ours := map[string]bool{}
	for _, file := range p.out {
		if info, err := file.Stat(); err == nil {
			ours[fmt.Sprintf("pipe:[%d]", info.Sys().(*syscall.Stat_t).Ino)] = true
		}
	}
	count := 0
	for pid := range proc.All() {
		if !starters[pid] && holdsAny(pid, ours) {
			count++
		}
	}
	return count
}

// holdsAny reports whether the stdout or stderr of a process is one of the pipes.
func holdsAny(pid int, pipes map[string]bool) bool {
	for _, number := range []int{1, 2} {
		if name, err := os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", pid, number)); err == nil && pipes[name] {
			return true
		}
	}
	return false
}

// parentOf returns the parent of a process, 0 if it is unknown.
func parentOf(pid int) int {
	stat := proc.Stat(pid)
	if stat == nil {
		return 0 // it has ended
	}
	parent, _ := strconv.Atoi(string(stat[1])) // the system writes a number
	return parent
}
