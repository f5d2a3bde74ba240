package env

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// watchedEvents are the events of inotify(7) that report changes.
const watchedEvents = unix.IN_CREATE | unix.IN_CLOSE_WRITE | unix.IN_MODIFY | unix.IN_ATTRIB | unix.IN_DELETE |
	unix.IN_MOVED_FROM | unix.IN_MOVED_TO | unix.IN_ONLYDIR | unix.IN_DONT_FOLLOW | unix.IN_EXCL_UNLINK

// watcher watches a folder and those below it by inotify.
type watcher struct {
	dir     string
	queue   *os.File
	folders map[int32]string // by watch descriptor
	changed func(Change)
}

// watch is [Primitive.Watch]. When the kernel has no more watches it polls instead.
func watch(ctx context.Context, dir string, ready func(), changed func(Change)) error {
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		return poll(ctx, dir, pollInterval, ready, changed)
	}
	w := &watcher{dir: dir, queue: os.NewFile(uintptr(fd), "inotify"), folders: map[int32]string{}, changed: changed}
	defer w.queue.Close()
	if err := w.add(dir); err != nil {
		if errors.Is(err, unix.ENOSPC) {
			return poll(ctx, dir, pollInterval, ready, changed)
		}
		return err
	}
	ready()
	stop := context.AfterFunc(ctx, func() { _ = w.queue.Close() })
	defer stop()
	err = w.read()
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// add watches a folder and all below it.
func (w *watcher) add(dir string) error {
	return filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() {
			return ignoreGone(err)
		}
		return ignoreGone(w.addOne(path))
	})
}

func (w *watcher) addOne(path string) error {
	conn, err := w.queue.SyscallConn()
	if err != nil {
		return err
	}
	var id int
	if outer := conn.Control(func(fd uintptr) { id, err = unix.InotifyAddWatch(int(fd), path, watchedEvents) }); outer != nil {
		return outer
	}
	if errors.Is(err, unix.ENOTDIR) || errors.Is(err, unix.ELOOP) {
		return nil // it was replaced, which the event of its folder reports
	}
	if err != nil {
		return fmt.Errorf("watch %s: %w", path, err)
	}
	w.folders[int32(id)] = path
	return nil
}

// read reports events as they come.
func (w *watcher) read() error {
	buf := make([]byte, 64<<10)
	for {
		n, err := w.queue.Read(buf)
		if err != nil {
			return err
		}
		for rest := buf[:n]; len(rest) >= unix.SizeofInotifyEvent; {
			size := unix.SizeofInotifyEvent + int(binary.NativeEndian.Uint32(rest[12:]))
			if err := w.report(rest[:size]); err != nil {
				return err
			}
			rest = rest[size:]
		}
	}
}

// report reports one event: the watch, the mask, a cookie and a length, each of 32 bits, and the name
// within the folder.
func (w *watcher) report(event []byte) error {
	id, mask := int32(binary.NativeEndian.Uint32(event)), binary.NativeEndian.Uint32(event[4:])
	if mask&unix.IN_Q_OVERFLOW != 0 {
		w.changed(Change{})
		return ignoreGone(w.add(w.dir))
	}
	if mask&unix.IN_IGNORED != 0 {
		delete(w.folders, id)
		return nil
	}
	folder, known := w.folders[id]
	name := string(bytes.TrimRight(event[unix.SizeofInotifyEvent:], "\x00"))
	if !known || name == "" {
		return nil
	}
	path := filepath.Join(folder, name)
	w.changed(Change{Name: nameIn(w.dir, path), Gone: mask&(unix.IN_DELETE|unix.IN_MOVED_FROM) != 0})
	if mask&unix.IN_ISDIR != 0 && mask&(unix.IN_CREATE|unix.IN_MOVED_TO) != 0 {
		return w.discover(path)
	}
	return nil
}

// discover watches a new folder, and reports the files that were created in it before.
func (w *watcher) discover(dir string) error {
	err := w.add(dir)
	if errors.Is(err, unix.ENOSPC) { // no more watches: changes there are reported without a name
		w.changed(Change{})
		return nil
	}
	if err != nil {
		return err
	}
	return filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err == nil && path != dir {
			w.changed(Change{Name: nameIn(w.dir, path)})
		}
		return ignoreGone(err)
	})
}
