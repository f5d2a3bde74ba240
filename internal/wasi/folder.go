package wasi

import (
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	experimental "github.com/tetratelabs/wazero/experimental/sys"
	"github.com/tetratelabs/wazero/sys"
)

// folder is a folder of the host that a program was granted. No path leads out of it, neither by dots nor by links: the root refuses
// those. Only plain files and folders can be opened, since a named pipe would block; and links cannot be made, since a program
// outside, which is held back by nothing, could follow one later.
type folder struct {
	experimental.UnimplementedFS
	root     *os.Root
	writable bool
}

// OpenFile opens a plain file or a folder.
func (f *folder) OpenFile(path string, flag experimental.Oflag, perm fs.FileMode) (experimental.File, experimental.Errno) {
	path = inside(path)
	flags := osFlags(flag)
	changes := flags&(os.O_WRONLY|os.O_RDWR|os.O_CREATE|os.O_TRUNC|os.O_APPEND) != 0
	if changes && !f.writable {
		return nil, experimental.EROFS
	}
	info, err := f.stat(path, flag&experimental.O_NOFOLLOW != 0)
	switch {
	case err == nil && info.Mode()&fs.ModeSymlink != 0:
		return nil, experimental.ELOOP
	case err == nil && !info.Mode().IsRegular() && !info.IsDir():
		return nil, experimental.EACCES
	case err == nil && info.IsDir() && changes:
		return nil, experimental.EISDIR
	case err == nil && !info.IsDir() && flag&experimental.O_DIRECTORY != 0:
		return nil, experimental.ENOTDIR
	case err != nil && flags&os.O_CREATE == 0:
		return nil, errno(err)
	}
	file, err := f.root.OpenFile(path, flags, perm.Perm()&0o755|0o600)
	if err != nil {
		return nil, errno(err)
	}
	return &folderFile{file: file, appends: flags&os.O_APPEND != 0}, 0
}

func (f *folder) stat(path string, link bool) (fs.FileInfo, error) {
	if link {
		return f.root.Lstat(path)
	}
	return f.root.Stat(path)
}

// Stat describes a file.
func (f *folder) Stat(path string) (sys.Stat_t, experimental.Errno) {
	return described(f.root.Stat(inside(path)))
}

// Lstat describes a file that may be a link.
func (f *folder) Lstat(path string) (sys.Stat_t, experimental.Errno) {
	return described(f.root.Lstat(inside(path)))
}

// Readlink reads a link.
func (f *folder) Readlink(path string) (string, experimental.Errno) {
	target, err := f.root.Readlink(inside(path))
	return target, errno(err)
}

// Mkdir makes a folder.
func (f *folder) Mkdir(path string, perm fs.FileMode) experimental.Errno {
	return f.change(func() error { return f.root.Mkdir(inside(path), perm.Perm()&0o755|0o700) })
}

// Chmod sets permissions; special bits are left out.
func (f *folder) Chmod(path string, perm fs.FileMode) experimental.Errno {
	return f.change(func() error { return f.root.Chmod(inside(path), perm.Perm()) })
}

// Rename renames a file or a folder.
func (f *folder) Rename(from, to string) experimental.Errno {
	return f.change(func() error { return f.root.Rename(inside(from), inside(to)) })
}

// Rmdir removes an empty folder.
func (f *folder) Rmdir(path string) experimental.Errno {
	return f.remove(path, func(is bool) experimental.Errno {
		if !is {
			return experimental.ENOTDIR
		}
		return 0
	})
}

// Unlink removes a file.
func (f *folder) Unlink(path string) experimental.Errno {
	return f.remove(path, func(is bool) experimental.Errno {
		if is {
			return experimental.EISDIR
		}
		return 0
	})
}

func (f *folder) remove(path string, check func(isFolder bool) experimental.Errno) experimental.Errno {
	if !f.writable {
		return experimental.EROFS
	}
	info, err := f.root.Lstat(inside(path))
	if err != nil {
		return errno(err)
	}
	if wrong := check(info.IsDir()); wrong != 0 {
		return wrong
	}
	return errno(f.root.Remove(inside(path)))
}

// Link is refused: see folder.
func (f *folder) Link(string, string) experimental.Errno { return experimental.EPERM }

// Symlink is refused: see folder.
func (f *folder) Symlink(string, string) experimental.Errno { return experimental.EPERM }

// Utimens sets the times of a file.
func (f *folder) Utimens(path string, atim, mtim int64) experimental.Errno {
	return f.change(func() error { return f.root.Chtimes(inside(path), moment(atim), moment(mtim)) })
}

func (f *folder) change(do func() error) experimental.Errno {
	if !f.writable {
		return experimental.EROFS
	}
	return errno(do())
}

// moment returns a time of a program; one that it leaves as it is has no value.
func moment(nanoseconds int64) time.Time {
	if nanoseconds == experimental.UTIME_OMIT {
		return time.Time{}
	}
	return time.Unix(0, nanoseconds)
}

// inside returns a path of a program as a root has it.
func inside(path string) string {
	path = strings.Trim(path, "/")
	if path == "" {
		return "."
	}
	return path
}

func described(info fs.FileInfo, err error) (sys.Stat_t, experimental.Errno) {
	if err != nil {
		return sys.Stat_t{}, errno(err)
	}
	return sys.NewStat_t(info), 0
}

// errno returns the number of an error. A path that leads out of the folder is none that a program may have.
func errno(err error) experimental.Errno {
	if err == nil {
		return 0
	}
	if strings.HasSuffix(err.Error(), "path escapes from parent") {
		return experimental.EACCES
	}
	if n := experimental.UnwrapOSError(err); n != 0 {
		return n
	}
	return experimental.EIO
}

func osFlags(flag experimental.Oflag) int {
	flags := os.O_RDONLY
	switch {
	case flag&experimental.O_RDWR != 0:
		flags = os.O_RDWR
	case flag&experimental.O_WRONLY != 0:
		flags = os.O_WRONLY
	}
	for _, both := range []struct {
		theirs experimental.Oflag
		ours   int
	}{{experimental.O_APPEND, os.O_APPEND}, {experimental.O_CREAT, os.O_CREATE}, {experimental.O_EXCL, os.O_EXCL}, {experimental.O_TRUNC, os.O_TRUNC}} {
		if flag&both.theirs != 0 {
			flags |= both.ours
		}
	}
	return flags
}

// folderFile is an open file or folder of a granted folder.
type folderFile struct {
	experimental.UnimplementedFile
	file    *os.File
	appends bool
}

// Dev is 0, as that of the host is nothing for a program.
func (*folderFile) Dev() (uint64, experimental.Errno) { return 0, 0 }

// Ino is that of the host, by which a program tells files apart.
func (f *folderFile) Ino() (sys.Inode, experimental.Errno) {
	stat, wrong := f.Stat()
	return stat.Ino, wrong
}

// IsDir reports whether it is a folder.
func (f *folderFile) IsDir() (bool, experimental.Errno) {
	stat, wrong := f.Stat()
	return stat.Mode.IsDir(), wrong
}

// IsAppend reports whether writes go to the end.
func (f *folderFile) IsAppend() bool { return f.appends }

// Stat describes the file.
func (f *folderFile) Stat() (sys.Stat_t, experimental.Errno) { return described(f.file.Stat()) }

// Read reads at the offset.
func (f *folderFile) Read(buf []byte) (int, experimental.Errno) { return read(f.file.Read(buf)) }

// Pread reads at another offset.
func (f *folderFile) Pread(buf []byte, off int64) (int, experimental.Errno) {
	return read(f.file.ReadAt(buf, off))
}

func read(n int, err error) (int, experimental.Errno) {
	if err == io.EOF {
		return n, 0
	}
	return n, errno(err)
}

// Seek moves the offset.
func (f *folderFile) Seek(offset position, whence int) (int64, experimental.Errno) {
	at, err := f.file.Seek(offset, whence)
	return at, errno(err)
}

// Readdir lists a folder, without links to elsewhere being followed.
func (f *folderFile) Readdir(n int) ([]experimental.Dirent, experimental.Errno) {
	entries, err := f.file.ReadDir(n)
	if err != nil && err != io.EOF {
		return nil, errno(err)
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	list := make([]experimental.Dirent, len(entries))
	for i, e := range entries {
		list[i] = experimental.Dirent{Name: e.Name(), Type: e.Type()}
	}
	return list, 0
}

// Write writes at the offset.
func (f *folderFile) Write(buf []byte) (int, experimental.Errno) {
	n, err := f.file.Write(buf)
	return n, errno(err)
}

// Pwrite writes at another offset.
func (f *folderFile) Pwrite(buf []byte, off int64) (int, experimental.Errno) {
	n, err := f.file.WriteAt(buf, off)
	return n, errno(err)
}

// Truncate sets the size.
func (f *folderFile) Truncate(size int64) experimental.Errno {
	if size < 0 {
		return experimental.EINVAL
	}
	return errno(f.file.Truncate(size))
}

// Sync writes to the disk what was written.
func (f *folderFile) Sync() experimental.Errno { return errno(f.file.Sync()) }

// Datasync is Sync.
func (f *folderFile) Datasync() experimental.Errno { return f.Sync() }

// Utimens sets the times.
func (f *folderFile) Utimens(int64, int64) experimental.Errno { return experimental.ENOSYS }

// Close closes the file.
func (f *folderFile) Close() experimental.Errno { return errno(f.file.Close()) }
