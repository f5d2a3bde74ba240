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

// maxLinks bounds the symbolic links in a path, as in the kernel.
const maxLinks = 40

// Way returns what other users can change in the folders of a path and at the path itself, nil for
// nothing. A missing file has no faults, and neither has an inaccessible one: its use fails.
func Way(path string) *Fault {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil
	}
	links := 0
	return walk(path, &links)
}

// walk checks each folder of an absolute path, through the links in it.
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

// changeable returns why others can change a path. A folder above it may belong to root and be
// writable if only the owners of its entries can rename them, as in /tmp. A device has no faults:
// its use as a file or a folder fails, and nobody should change its mode.
func changeable(path string, above bool) *Fault {
	info, err := os.Stat(path)
	if err != nil {
		return nil
	}
	mode, owner := info.Mode(), ownerOf(info)
	switch {
	case mode&fs.ModeDevice != 0:
		return nil
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

// Private returns what others can do with a file or a folder, nil if they can neither change nor
// read it.
func Private(path string) *Fault {
	if f := changeable(path, false); f != nil {
		return f
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm()&0o077 == 0 || info.Mode()&fs.ModeDevice != 0 {
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

// trusted reports whether a user is this one or root. In a user namespace without a mapping of
// root, folders above may belong to the overflow user.
func trusted(uid int, above bool) bool {
	return uid == 0 || uid == os.Geteuid() || above && uid == overflowUID && !rootMapped()
}

// overflowUID is the owner of files of users outside the namespace.
const overflowUID = 65534

func rootMapped() bool {
	data, err := os.ReadFile("/proc/self/uid_map")
	if err != nil {
		return true
	}
	for line := range strings.Lines(string(data)) {
		fields := strings.Fields(line)
		if len(fields) == 3 && fields[1] == "0" {
			return true // root outside the namespace has this number
		}
	}
	return false
}

// ownGroup reports whether this user is the only member of a file's group, as in systems with a
// writable group for each user.
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

// Tighten removes the permissions of others on a file or a folder of this user.
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
