//go:build unix

package ownership

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// maxLinks is how many symbolic links a path may lead through, as in the kernel.
const maxLinks = 40

// Way returns what others can change on the way to a path and at the path itself, and nil
// if that is nothing. What is not there yet has no faults, and nor has what cannot be looked at:
// to use it fails.
func Way(path string) *Fault {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil
	}
	links := 0
	return walk(path, &links)
}

// walk looks at each folder of an absolute path, through the links in it.
func walk(path string, links *int) *Fault {
	at := "/"
	names := strings.Split(strings.Trim(path, "/"), "/")
	for i, name := range names {
		if f := changeable(at, true); f != nil {
			return f
		}
		at = filepath.Join(at, name)
		info, err := os.Lstat(at)
		if err != nil {
			return nil
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			continue
		}
		if *links++; *links > maxLinks {
			return nil
		}
		if owner := ownerOf(info); !trusted(owner, true) {
			return &Fault{Path: at, What: "is a link of another user, who can let it lead elsewhere", Advice: "rm " + at}
		}
		target, err := os.Readlink(at)
		if err != nil {
			return nil
		}
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(at), target)
		}
		return walk(filepath.Join(append([]string{target}, names[i+1:]...)...), links)
	}
	return changeable(at, false)
}

// changeable returns why others can change what is at a path. Of a folder above, those may
// be root's whose entries only their owners can rename, as /tmp is.
func changeable(path string, above bool) *Fault {
	info, err := os.Stat(path)
	if err != nil {
		return nil
	}
	mode, owner := info.Mode(), ownerOf(info)
	switch {
	case !trusted(owner, above):
		return &Fault{
			Path: path, What: fmt.Sprintf("belongs to another user (%d), who can change what is there", owner),
			Advice: fmt.Sprintf("chown %d %s", os.Geteuid(), path),
		}
	case above && mode&fs.ModeSticky != 0:
		return nil
	case mode.Perm()&0o002 != 0, mode.Perm()&0o020 != 0 && !ownGroup(path, info):
		return &Fault{Path: path, What: fmt.Sprintf("can be changed by other users (mode %04o)", mode.Perm()), Advice: "chmod go-w " + path}
	}
	return nil
}

// Private returns what others can do with a file or a folder, and nil if they can neither
// change nor read it.
func Private(path string) *Fault {
	if f := changeable(path, false); f != nil {
		return f
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm()&0o077 == 0 {
		return nil
	}
	return &Fault{
		Path: path, What: fmt.Sprintf("can be read by other users (mode %04o)", info.Mode().Perm()), Advice: "chmod go-rwx " + path,
		Mode: info.Mode().Perm(),
	}
}

func ownerOf(info fs.FileInfo) int {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(stat.Uid)
	}
	return -1
}

// trusted reports whether a user is this one or root. In a user namespace that root is not
// mapped into, folders above may be of the number that stands for all users outside.
func trusted(uid int, above bool) bool {
	return uid == 0 || uid == os.Geteuid() || above && uid == outside && !rootMapped()
}

// outside is the user that files of users have who are not in the namespace.
const outside = 65534

func rootMapped() bool {
	data, err := os.ReadFile("/proc/self/uid_map")
	if err != nil {
		return true
	}
	for line := range strings.Lines(string(data)) {
		fields := strings.Fields(line)
		if len(fields) == 3 && fields[1] == "0" {
			return true // what root outside is called here
		}
	}
	return false
}

// ownGroup reports whether this user is the only one in the group of a file, as in systems
// that give each user a group and let it write.
func ownGroup(path string, info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok || hasAccessList(path) {
		return false
	}
	names := map[string]bool{}
	for _, fields := range entries("/etc/passwd") {
		if len(fields) < 4 {
			continue
		}
		if fields[2] == strconv.Itoa(os.Geteuid()) {
			names[fields[0]] = true
		} else if fields[3] == strconv.Itoa(int(stat.Gid)) {
			return false
		}
	}
	for _, fields := range entries("/etc/group") {
		if len(fields) < 4 || fields[2] != strconv.Itoa(int(stat.Gid)) {
			continue
		}
		for member := range strings.SplitSeq(fields[3], ",") {
			if member != "" && !names[member] {
				return false
			}
		}
		return true
	}
	return false
}

// entries returns the fields of the lines of a file such as /etc/group.
func entries(path string) [][]string {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	var all [][]string
	for line := range strings.Lines(string(data)) {
		all = append(all, strings.Split(strings.TrimSpace(line), ":"))
	}
	return all
}

// Tighten takes from others what they may do with a file or a folder that is this user's.
func Tighten(path string) error {
	f := Private(path)
	if f == nil {
		return nil
	}
	if !f.Readable() {
		return f
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if err := os.Chmod(path, info.Mode()&^0o077); err != nil {
		return errors.Join(f, err)
	}
	return nil
}
