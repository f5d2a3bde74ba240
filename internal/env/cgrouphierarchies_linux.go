package env

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// hierarchies are the folders below which groups can be created.
type hierarchies struct{ memory, pids control }

// findHierarchies finds them for this process. The result is not cached: an error such as a
// shortage of descriptors may pass.
func findHierarchies() (hierarchies, error) {
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return hierarchies{}, groupsError(err)
	}
	own, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return hierarchies{}, groupsError(err)
	}
	return hierarchiesOf(mounts, own)
}

// groupsError wraps an error in ErrNoGroups, unless it may pass: then the next attempt may find
// groups.
func groupsError(err error) error {
	for _, passing := range []error{unix.EMFILE, unix.ENFILE, unix.ENOMEM, unix.EAGAIN, unix.EINTR} {
		if errors.Is(err, passing) {
			return fmt.Errorf("look for control groups: %w", err)
		}
	}
	return errors.Join(ErrNoGroups, err)
}

// hierarchiesOf finds them from the contents of mountinfo and of /proc/self/cgroup.
func hierarchiesOf(mounts, own []byte) (hierarchies, error) {
	var h hierarchies
	var errs []error
	for name, found := range map[string]*control{"memory": &h.memory, "pids": &h.pids} {
		var err error
		if *found, err = findControl(name, parseMounts(mounts), parseOwn(own)); err != nil {
			errs = append(errs, err)
		}
	}
	if errs != nil {
		return hierarchies{}, errors.Join(errs...)
	}
	return h, nil
}

// findControl finds the parent for groups of a controller: our own group, or its parent if we were
// put into a group of our own for that. A group of version 2 has either processes or groups.
func findControl(controller string, mounts []cgroupMount, own map[string]string) (control, error) {
	for _, m := range mounts {
		path, in := own[m.key(controller)]
		if !in || !m.has(controller) {
			continue
		}
		dir := m.folder(path)
		candidates := []control{{dir: dir}}
		if m.v2 {
			candidates = []control{{dir, true}, {filepath.Dir(dir), true}}
		}
		for _, c := range candidates {
			if !within(c.dir, m.at) {
				continue
			}
			err := c.usable(controller)
			if err == nil {
				return c, nil
			}
			if err := groupsError(err); !errors.Is(err, ErrNoGroups) {
				return control{}, err
			}
		}
	}
	return control{}, fmt.Errorf("controller %s: %w", controller, ErrNoGroups)
}

// usable returns why groups created here lack the controller. In version 2 it must be enabled for
// children, which fails while the group itself has processes.
func (c control) usable(controller string) error {
	if err := unix.Access(c.dir, unix.W_OK); err != nil || !c.v2 {
		return err
	}
	err := c.has("cgroup.subtree_control", controller)
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := c.has("cgroup.controllers", controller); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(c.dir, "cgroup.subtree_control"), []byte("+"+controller), 0)
}

// has returns an error that wraps fs.ErrNotExist if a list of controllers lacks one.
func (c control) has(list, controller string) error {
	data, err := os.ReadFile(filepath.Join(c.dir, list))
	if err != nil {
		return err
	}
	if !slices.Contains(strings.Fields(string(data)), controller) {
		return fs.ErrNotExist
	}
	return nil
}

// make creates a group.
func (c control) make(name string) (control, error) {
	made := control{filepath.Join(c.dir, name), c.v2}
	err := os.Mkdir(made.dir, 0o755)
	if err != nil && !(c.v2 && errors.Is(err, fs.ErrExist)) { // both controllers of version 2 have one folder
		return control{}, groupsError(err)
	}
	return made, nil
}

// cgroupMount is a mount of control groups.
type cgroupMount struct {
	root, at    string // the group that is mounted, and the mount point
	v2          bool
	controllers string // of version 1, with commas around each
}

// key returns the key of a controller in /proc/self/cgroup.
func (m cgroupMount) key(controller string) string {
	if m.v2 {
		return ""
	}
	return controller
}

func (m cgroupMount) has(controller string) bool {
	return m.v2 || strings.Contains(m.controllers, ","+controller+",")
}

// folder returns the folder of a group.
func (m cgroupMount) folder(path string) string {
	if m.root != "/" && within(path, m.root) {
		path = strings.TrimPrefix(path, m.root)
	}
	return filepath.Join(m.at, path)
}

// parseMounts reads the mounts of control groups from /proc/PID/mountinfo, whose
// fields are in proc_pid_mountinfo(5).
func parseMounts(data []byte) []cgroupMount {
	var mounts []cgroupMount
	lines := bufio.NewScanner(bytes.NewReader(data))
	for lines.Scan() {
		before, after, _ := strings.Cut(lines.Text(), " - ")
		where, what := strings.Fields(before), strings.Fields(after)
		if len(where) < 5 || len(what) < 3 || what[0] != "cgroup" && what[0] != "cgroup2" {
			continue
		}
		mounts = append(mounts, cgroupMount{
			root: where[3], at: where[4], v2: what[0] == "cgroup2", controllers: "," + what[2] + ",",
		})
	}
	return mounts
}

// parseOwn reads the groups of a process by controller from /proc/PID/cgroup; the key of version 2
// is empty. See cgroups(7).
func parseOwn(data []byte) map[string]string {
	own := map[string]string{}
	for line := range strings.Lines(string(data)) {
		parts := strings.SplitN(strings.TrimSuffix(line, "\n"), ":", 3)
		if len(parts) < 3 {
			continue
		}
		for controller := range strings.SplitSeq(parts[1], ",") {
			own[controller] = parts[2]
		}
	}
	return own
}
