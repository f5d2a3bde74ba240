package env

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/quirehq/quire/internal/proc"
)

// Group bounds programs by control groups of Linux, of the version, 1 or 2, that has the
// controller. It is created below our own group, whose bounds then hold for it too. Its name
// identifies the process that made it; groups of other names are never touched.
type Group struct {
	memory, pids control // either may be absent
}

// control is the folder of one controller.
type control struct {
	dir string
	v2  bool
}

// groupPrefix begins the names of all groups of ours.
const groupPrefix = "quire-"

// helperTasks is the number of helper processes and threads in a group: our thread that starts the
// program, and the two of bubblewrap.
const helperTasks = 3

// NewGroup creates a group. The error wraps ErrNoGroups when there can be none.
func NewGroup(b Bounds) (*Group, error) {
	if b.Memory < 0 || b.Processes < 0 {
		return nil, errors.New("a bound of a group is negative")
	}
	h, err := findHierarchies()
	if err != nil {
		return nil, err
	}
	return h.makeGroup(b, groupPrefix+identityOf(os.Getpid()))
}

// makeGroup creates a group with a unique name.
func (h hierarchies) makeGroup(b Bounds, owner string) (*Group, error) {
	name := owner + "-" + strconv.FormatInt(time.Now().UnixNano(), 36)
	g := &Group{}
	var err error
	if g.memory, err = h.memory.make(name); err == nil {
		g.pids, err = h.pids.make(name)
	}
	if err == nil {
		err = g.bound(b)
	}
	if err != nil {
		return nil, errors.Join(err, g.remove())
	}
	return g, nil
}

// bound sets the bounds.
func (g *Group) bound(b Bounds) error {
	if b.Processes > 0 {
		if err := g.pids.write("pids.max", int64(b.Processes+helperTasks)); err != nil {
			return err
		}
	}
	if b.Memory == 0 {
		return nil
	}
	if g.memory.v2 {
		return errors.Join(g.memory.write("memory.max", b.Memory), optional(g.memory.write("memory.swap.max", 0)))
	}
	err := g.memory.write("memory.limit_in_bytes", b.Memory)
	return errors.Join(err, optional(g.memory.write("memory.memsw.limit_in_bytes", b.Memory)))
}

// optional ignores a missing file: without swap, for example, there is nothing to bound.
func optional(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func (c control) write(name string, value int64) error {
	err := os.WriteFile(filepath.Join(c.dir, name), strconv.AppendInt(nil, value, 10), 0)
	if err != nil {
		return fmt.Errorf("bound a control group: %w", err)
	}
	return nil
}

// Hits returns how often the bounds were hit.
func (g *Group) Hits() (Hits, error) {
	memory := "memory.oom_control"
	if g.memory.v2 {
		memory = "memory.events"
	}
	kills, err := g.memory.count(memory, "oom_kill")
	if err != nil {
		return Hits{}, err
	}
	refused, err := g.pids.count("pids.events", "max")
	return Hits{Memory: kills, Processes: refused}, err
}

// count returns the number that follows a word in a file.
func (c control) count(name, word string) (int64, error) {
	data, err := os.ReadFile(filepath.Join(c.dir, name))
	if err != nil {
		return 0, fmt.Errorf("read a control group: %w", err)
	}
	for line := range strings.Lines(string(data)) {
		if text, ok := strings.CutPrefix(line, word+" "); ok {
			return strconv.ParseInt(strings.TrimSpace(text), 10, 64)
		}
	}
	return 0, nil
}

// start starts a program in the group; a nil group is none. In version 2 the kernel creates the
// process in the group. In version 1 the calling thread enters the group, and the process inherits
// it: the thread must be locked, must not be our main thread, which stands for the whole process,
// and must not be used afterwards.
func (g *Group) start(cmd *exec.Cmd) error {
	if g == nil {
		return cmd.Start()
	}
	for _, c := range []control{g.memory, g.pids} {
		if c.v2 {
			dir, err := os.Open(c.dir)
			if err != nil {
				return err
			}
			defer dir.Close()
			cmd.SysProcAttr.UseCgroupFD, cmd.SysProcAttr.CgroupFD = true, int(dir.Fd())
			continue
		}
		if err := os.WriteFile(filepath.Join(c.dir, "tasks"), strconv.AppendInt(nil, int64(unix.Gettid()), 10), 0); err != nil {
			return fmt.Errorf("enter a control group: %w", err)
		}
	}
	return cmd.Start()
}

// Close kills all programs of the group and removes it. It may be called twice; a nil group has
// nothing to close.
func (g *Group) Close() error {
	if g == nil {
		return nil
	}
	return g.remove()
}

// emptyTime bounds the time until a group is empty after all its processes were killed.
const emptyTime = 5 * time.Second

func (g *Group) remove() error {
	var errs []error
	for _, c := range []control{g.memory, g.pids} {
		if c.dir != "" {
			errs = append(errs, c.remove(emptyTime))
		}
	}
	return errors.Join(errs...)
}

// remove kills the processes of the group, and removes its folder once it is empty.
func (c control) remove(patience time.Duration) error {
	deadline := time.Now().Add(patience)
	for {
		err := os.Remove(c.dir)
		if err == nil || errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if !errors.Is(err, unix.EBUSY) || time.Now().After(deadline) {
			return fmt.Errorf("remove a control group: %w", err)
		}
		c.kill()
		time.Sleep(time.Millisecond) // version 1 has no event for an empty group
	}
}

// kill kills the processes that are in the group now.
func (c control) kill() {
	if c.v2 && os.WriteFile(filepath.Join(c.dir, "cgroup.kill"), []byte("1"), 0) == nil {
		return
	}
	data, err := os.ReadFile(filepath.Join(c.dir, "cgroup.procs"))
	if err != nil {
		return
	}
	for line := range strings.Lines(string(data)) {
		if pid, err := strconv.Atoi(strings.TrimSpace(line)); err == nil && pid != os.Getpid() {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}

// SweepGroups kills the processes of groups whose owner has ended, and removes the groups. It
// touches no other group, and does nothing where there are none.
func SweepGroups() error {
	h, err := findHierarchies()
	if errors.Is(err, ErrNoGroups) {
		return nil
	}
	if err != nil {
		return err
	}
	return h.sweep()
}

func (h hierarchies) sweep() error {
	var errs []error
	for _, parent := range []control{h.memory, h.pids} {
		names, err := filepath.Glob(filepath.Join(parent.dir, groupPrefix+"*"))
		if err != nil {
			return err
		}
		for _, name := range names {
			owner, _, _ := cutLast(strings.TrimPrefix(filepath.Base(name), groupPrefix), "-")
			pid, _, _ := strings.Cut(owner, "-")
			if n, err := strconv.Atoi(pid); err == nil && identityOf(n) != owner {
				errs = append(errs, control{dir: name, v2: parent.v2}.remove(emptyTime))
			}
		}
	}
	return errors.Join(errs...)
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// identityOf returns a permanent identity of a process: its PID and start time, or the PID alone if
// there is no such process.
func identityOf(pid int) string {
	if stat := proc.Stat(pid); stat != nil && string(stat[0]) != "Z" {
		return strconv.Itoa(pid) + "-" + string(stat[19])
	}
	return strconv.Itoa(pid)
}
