package env

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// etcFiles and etcFolders are the parts of /etc that programs need and that are not secret. The
// rest is hidden. The files are copied, since each mount costs far more.
var etcFiles = [...]string{
	"ld.so.cache", "passwd", "group", "nsswitch.conf", "hosts", "host.conf", "gai.conf", "protocols", "services",
	"localtime", "timezone", "locale.alias", "os-release", "debian_version", "mime.types", "magic", "matplotlibrc", "papersize",
}

var etcFolders = [...]string{
	"alternatives", "ssl/certs", "pki/tls/certs", "pki/ca-trust", "fonts", "ipython", "R", "perl", "php", "julia", "python3",
}

// namesServer is needed in addition by programs with a network.
const namesServer = "resolv.conf"

// namespaces are the arguments for namespaces, session and capabilities.
func namespaces(network bool) []string {
	args := []string{
		"--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try",
		"--hostname", "quire", "--new-session", "--die-with-parent", "--cap-drop", "ALL",
	}
	if !network {
		args = append(args, "--unshare-net")
	}
	return args
}

// system are the arguments that mount the system's folders without private ones.
func system() []string {
	args := []string{"--ro-bind", "/usr", "/usr"}
	for _, dir := range []string{"/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"} {
		if target, err := os.Readlink(dir); err == nil {
			args = append(args, "--symlink", target, dir)
		} else {
			args = append(args, "--ro-bind-try", dir, dir)
		}
	}
	for _, dir := range []string{"/nix/store", "/gnu/store", "/sys/devices/system/cpu"} {
		args = append(args, "--ro-bind-try", dir, dir)
	}
	return args
}

// settings are the arguments for the parts of /etc, and the files that they need as descriptors
// from first on.
func settings(network bool, first int) (args []string, files []*os.File) {
	names := etcFiles[:]
	if network {
		names = append(names[:len(names):len(names)], namesServer)
	}
	for _, name := range names {
		file, err := os.Open("/etc/" + name)
		if err != nil {
			continue // not every system has all of them
		}
		args = append(args, "--perms", "0444", "--file", strconv.Itoa(first+len(files)), "/etc/"+name)
		files = append(files, file)
	}
	for _, name := range etcFolders {
		if path := "/etc/" + name; exists(path) {
			args = append(args, "--ro-bind", path, path)
		}
	}
	return args, files
}

// kernel are the arguments for /proc, /dev and memory file systems.
func kernel(scratch int64) []string {
	size := strconv.FormatInt(scratch, 10)
	// The memory of the namespace's first process, which is ours: by writing to it, a program could
	// have the process outlive us.
	args := []string{"--proc", "/proc", "--ro-bind", "/dev/null", "/proc/1/mem", "--ro-bind", "/dev/null", "/proc/1/task/1/mem"}
	args = append(args, covers()...)
	return append(args,
		"--dev", "/dev", "--perms", "1777", "--size", size, "--tmpfs", "/dev/shm", "--remount-ro", "/dev",
		"--perms", "1777", "--size", size, "--tmpfs", "/tmp", "--dir", home, "--symlink", "/tmp", "/var/tmp", "--dir", "/run")
}

// covers are the arguments that cover the parts of /proc besides processes. They belong to root: if
// we are root, the user namespace alone does not protect them from writes.
func covers() []string {
	if os.Geteuid() != 0 {
		return nil
	}
	var args []string
	for _, name := range []string{"sys", "irq", "bus", "fs", "acpi", "scsi", "sysrq-trigger"} {
		if path := "/proc/" + name; exists(path) {
			args = append(args, "--ro-bind", path, path)
		}
	}
	for _, name := range []string{"kallsyms", "keys", "key-users", "timer_list", "latency_stats"} {
		if path := "/proc/" + name; exists(path) {
			args = append(args, "--ro-bind", "/dev/null", path)
		}
	}
	return args
}

// args are the arguments of bubblewrap for a command, and the files that they need as the
// descriptors after those of the program, the two of the box, and that of the filter.
func (s *Sandbox) args(c Command, own Grants) (args []string, files []*os.File) {
	info := 3 + len(own.Files)
	args, files = s.command(info+2, c, own.Shared)
	return append([]string{"--info-fd", strconv.Itoa(info), "--block-fd", strconv.Itoa(info + 1)}, args...), files
}

// command are the arguments of bubblewrap for a command with the filter as a descriptor, and the files that they need as
// the descriptors after it.
func (s *Sandbox) command(filter int, c Command, shared []string) (args []string, files []*os.File) {
	args = append(namespaces(s.config.Network), "--seccomp", strconv.Itoa(filter))
	if s.nested {
		args = append(args, "--disable-userns")
	}
	args = append(args, system()...)
	shown, files := settings(s.config.Network, filter+1)
	args = append(args, shown...)
	args = append(args, kernel(s.config.Scratch)...)
	args = append(args, s.folders()...)
	for _, dir := range shared {
		args = append(args, "--bind", dir, dir)
	}
	args = append(args, "--remount-ro", "/", "--chdir", cmp.Or(c.Dir, s.Workspace()), "--")
	return append(args, c.Argv...), files
}

// folders are the arguments for further readable folders, and for the workspace, which has
// priority.
func (s *Sandbox) folders() []string {
	var args, hidden []string
	for _, dir := range readable(s.config.Read) {
		args = append(args, "--ro-bind-try", dir, dir)
	}
	for _, dir := range readable(s.config.Hide) {
		for _, read := range readable(s.config.Read) {
			if within(dir, read) && exists(dir) {
				args, hidden = append(args, "--tmpfs", dir), append(hidden, "--remount-ro", dir)
				break
			}
		}
	}
	args = append(args, "--bind", s.dir, s.Workspace()) // which may lie in a hidden folder
	return append(args, hidden...)
}

// readable returns folders by their given names and by those without symbolic links, except folders
// that are mounted anyway.
func readable(dirs []string) []string {
	var all []string
	add := func(name string) {
		shown := func(dir string) bool { return within(name, dir) }
		if filepath.IsAbs(name) && !within(name, "/usr") && !slices.ContainsFunc(all, shown) {
			all = append(all, name)
		}
	}
	for _, dir := range dirs {
		add(filepath.Clean(dir))
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			add(real)
		}
	}
	return all
}

// within reports whether a path is a folder or lies in it. Both are clean.
func within(path, dir string) bool {
	rest, ok := strings.CutPrefix(path, dir)
	return ok && (rest == "" || rest[0] == '/' || dir == "/")
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
