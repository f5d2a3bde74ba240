package wasi

import (
	"io"
	"io/fs"
	"sync"

	experimental "github.com/tetratelabs/wazero/experimental/sys"
	"github.com/tetratelabs/wazero/sys"
)

// devices is the file system in which a program finds the channels to its host: files that the host makes up, which exist nowhere on a
// disk. It has no subdirectories, and nothing in it can be made, renamed or removed.
type devices struct {
	experimental.UnimplementedFS
	files map[string]device
}

// device is a file of the devices. A nil function is one that the file cannot do.
type device struct {
	read  func([]byte) (int, error) // may block; io.EOF ends the file
	write func([]byte) (int, error) // may block
	// content is that of a plain file, which can only be read; it counts if neither function is there.
	content []byte
}

// isPlain reports whether the device is a file of fixed content.
func (d device) isPlain() bool { return d.read == nil && d.write == nil }

// OpenFile opens the directory, by ".", or one of its files.
func (f *devices) OpenFile(path string, flag experimental.Oflag, _ fs.FileMode) (experimental.File, experimental.Errno) {
	if path == "." || path == "" {
		return &deviceFolder{files: f.files}, 0
	}
	d, ok := f.files[path]
	if !ok {
		if flag&experimental.O_CREAT != 0 {
			return nil, experimental.EROFS
		}
		return nil, experimental.ENOENT
	}
	if flag&experimental.O_DIRECTORY != 0 {
		return nil, experimental.ENOTDIR
	}
	writes := flag&(experimental.O_WRONLY|experimental.O_RDWR) != 0
	if d.isPlain() && writes {
		return nil, experimental.EROFS
	}
	return &deviceFile{device: d}, 0
}

// Stat describes the directory or a file.
func (f *devices) Stat(path string) (sys.Stat_t, experimental.Errno) {
	if path == "." || path == "" {
		return sys.Stat_t{Mode: fs.ModeDir | 0o555, Nlink: 1}, 0
	}
	d, ok := f.files[path]
	if !ok {
		return sys.Stat_t{}, experimental.ENOENT
	}
	return d.stat(), 0
}

// Lstat is Stat: there are no links.
func (f *devices) Lstat(path string) (sys.Stat_t, experimental.Errno) { return f.Stat(path) }

func (d device) stat() sys.Stat_t {
	if d.isPlain() {
		return sys.Stat_t{Mode: 0o444, Nlink: 1, Size: int64(len(d.content))}
	}
	return sys.Stat_t{Mode: fs.ModeDevice | fs.ModeCharDevice | 0o666, Nlink: 1}
}

// deviceFile is an open device.
type deviceFile struct {
	experimental.UnimplementedFile
	device
	mu sync.Mutex
	at int64 // of a plain file
}

// Dev is that of no disk.
func (*deviceFile) Dev() (uint64, experimental.Errno) { return 0, 0 }

// Ino is that of no disk.
func (*deviceFile) Ino() (sys.Inode, experimental.Errno) { return 0, 0 }

// IsDir reports that it is none.
func (*deviceFile) IsDir() (bool, experimental.Errno) { return false, 0 }

// Stat describes the file.
func (f *deviceFile) Stat() (sys.Stat_t, experimental.Errno) { return f.stat(), 0 }

// Read reads what there is, and blocks while there is nothing.
func (f *deviceFile) Read(buf []byte) (int, experimental.Errno) {
	switch {
	case len(buf) == 0:
		return 0, 0
	case f.isPlain():
		f.mu.Lock()
		defer f.mu.Unlock()
		n, errno := f.Pread(buf, f.at)
		f.at += int64(n)
		return n, errno
	case f.read == nil:
		return 0, experimental.EBADF
	}
	n, err := f.read(buf)
	if err != nil && err != io.EOF {
		return n, experimental.EIO
	}
	return n, 0
}

// Pread reads a plain file at an offset.
func (f *deviceFile) Pread(buf []byte, off int64) (int, experimental.Errno) {
	if !f.isPlain() || off < 0 {
		return 0, experimental.EINVAL
	}
	if off >= int64(len(f.content)) {
		return 0, 0
	}
	return copy(buf, f.content[off:]), 0
}

// Seek moves in a plain file.
func (f *deviceFile) Seek(offset position, whence int) (int64, experimental.Errno) {
	if !f.isPlain() {
		return 0, experimental.ENOTSUP
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	switch whence {
	case io.SeekCurrent:
		offset += f.at
	case io.SeekEnd:
		offset += int64(len(f.content))
	}
	if offset < 0 {
		return 0, experimental.EINVAL
	}
	f.at = offset
	return offset, 0
}

// Write writes, and blocks while the host takes nothing.
func (f *deviceFile) Write(buf []byte) (int, experimental.Errno) {
	if f.write == nil {
		return 0, experimental.EBADF
	}
	n, err := f.write(buf)
	if err != nil {
		return n, experimental.EIO
	}
	return n, 0
}

// Truncate does nothing: a program that opens a device to write may ask for it.
func (*deviceFile) Truncate(int64) experimental.Errno { return 0 }

// Sync does nothing.
func (*deviceFile) Sync() experimental.Errno { return 0 }

// Datasync does nothing.
func (*deviceFile) Datasync() experimental.Errno { return 0 }

// Close does nothing: the channel is the host's.
func (*deviceFile) Close() experimental.Errno { return 0 }

// deviceFolder is the open directory of the devices.
type deviceFolder struct {
	experimental.UnimplementedFile
	files map[string]device
	read  bool
}

// Dev is that of no disk.
func (*deviceFolder) Dev() (uint64, experimental.Errno) { return 0, 0 }

// Ino is that of no disk.
func (*deviceFolder) Ino() (sys.Inode, experimental.Errno) { return 0, 0 }

// IsDir reports that it is one.
func (*deviceFolder) IsDir() (bool, experimental.Errno) { return true, 0 }

// Stat describes the directory.
func (*deviceFolder) Stat() (sys.Stat_t, experimental.Errno) {
	return sys.Stat_t{Mode: fs.ModeDir | 0o555, Nlink: 1}, 0
}

// Readdir lists the files.
func (f *deviceFolder) Readdir(n int) ([]experimental.Dirent, experimental.Errno) {
	if f.read {
		return nil, 0
	}
	f.read = true
	var list []experimental.Dirent
	for name, d := range f.files {
		list = append(list, experimental.Dirent{Name: name, Type: d.stat().Mode.Type()})
	}
	return list, 0
}

// Seek begins to list again, which is all that a directory can.
func (f *deviceFolder) Seek(offset position, whence int) (int64, experimental.Errno) {
	if offset != 0 || whence != io.SeekStart {
		return 0, experimental.EINVAL
	}
	f.read = false
	return 0, 0
}

// Close does nothing.
func (*deviceFolder) Close() experimental.Errno { return 0 }

// position is an offset in a file. By its name the vet tool does not take a Seek of wazero for one of package io, whose error is of
// another type.
type position = int64
