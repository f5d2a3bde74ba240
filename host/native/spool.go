package native

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/quirehq/quire/core/event"
)

// spoolFile is, roughly, the size of a file of a spool at which the next is begun.
const spoolFile = 1 << 20

// Spool stores the events of a runtime that the room has not acknowledged, so that they survive the
// runtime. It is a directory of files with one event a line; a file is deleted when all of its
// events are acknowledged. Events survive the end of the process at any moment, but not that of
// the machine, because the files are not synced. The methods may be called from any goroutine.
type Spool struct {
	dir string

	mu    sync.Mutex
	file  *os.File // the current one
	size  int      // of it
	last  uint64   // the counter of the last event in it
	made  int      // files that were begun
	lost  uint64   // the counter of the last event that could not be written; 0 if none is missing
	torn  bool     // the last file may end with a part of an event
	older []spooled
	buf   []byte
}

// spooled is a file that is full.
type spooled struct {
	path string
	last uint64 // the counter of the last event in it
}

// OpenSpool creates a directory, which must not exist, and begins a spool in it.
func OpenSpool(dir string) (*Spool, error) {
	err := os.MkdirAll(filepath.Dir(dir), 0o700)
	if err == nil {
		err = os.Mkdir(dir, 0o700)
	}
	s := &Spool{dir: dir}
	if err == nil {
		err = s.begin()
	}
	if err != nil {
		return nil, fmt.Errorf("open spool: %w", err)
	}
	return s, nil
}

// begin begins the next file.
func (s *Spool) begin() error {
	path := filepath.Join(s.dir, fmt.Sprintf("%09d", s.made+1))
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	s.file, s.size = f, 0
	s.made++
	return nil
}

// Keep adds an event, whose counter must be higher than those before. When it returns nil, the event
// survives the end of the process. After an event that could not be written, such as on a full
// disk, none is written until the room has that event: recovered output must not have a hole.
func (s *Spool) Keep(d event.Draft) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.keepLocked(d)
	if err != nil {
		s.lost = d.ID.N
		return fmt.Errorf("keep event %s: %w", d.ID, err)
	}
	return nil
}

// errHole says that an earlier event is missing.
var errHole = errors.New("an earlier event could not be written, and is not acknowledged yet")

func (s *Spool) keepLocked(d event.Draft) error {
	if s.lost > 0 {
		return errHole
	}
	line, err := event.AppendDraft(s.buf[:0], &d)
	if err != nil {
		return err
	}
	line = append(line, '\n')
	if s.buf = line; cap(line) > spoolFile {
		s.buf = nil
	}
	if err := s.mend(); err != nil {
		return err
	}
	if s.size >= spoolFile {
		if err := s.turn(); err != nil {
			return err
		}
	}
	if n, err := s.file.Write(line); err != nil {
		s.torn = n > 0
		return errors.Join(err, s.mend())
	}
	s.size, s.last = s.size+len(line), d.ID.N
	return nil
}

// mend truncates the part of an event at the end of the current file.
func (s *Spool) mend() error {
	if !s.torn {
		return nil
	}
	err := s.file.Truncate(int64(s.size))
	s.torn = err != nil
	return err
}

// turn ends the current file and begins another.
func (s *Spool) turn() error {
	full := s.file
	if err := s.begin(); err != nil {
		return err
	}
	s.older = append(s.older, spooled{path: full.Name(), last: s.last})
	return full.Close()
}

// Drop deletes events up to a counter, which the room has acknowledged.
func (s *Spool) Drop(through uint64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lost <= through {
		s.lost = 0
	}
	var err error
	for len(s.older) > 0 && s.older[0].last <= through {
		err = errors.Join(err, os.Remove(s.older[0].path))
		s.older = s.older[1:]
	}
	if s.size > 0 && s.last <= through {
		err = errors.Join(err, s.file.Truncate(0))
		s.size = 0
	}
	if err != nil {
		return fmt.Errorf("drop events through %d: %w", through, err)
	}
	return nil
}

// Close ends the spool. Its directory is removed if all events were dropped.
func (s *Spool) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.file.Close()
	if len(s.older) == 0 && s.size == 0 {
		err = errors.Join(err, os.RemoveAll(s.dir))
	}
	return err
}

// ReadSpool returns the events of a spool, in order; none if it does not exist. The process that wrote
// it must have ended. An event in whose middle it ended is left out. With an error it returns the
// events before the damage.
func ReadSpool(dir string) ([]event.Draft, error) {
	files, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read spool: %w", err)
	}
	var all []event.Draft
	for _, file := range files {
		if file.IsDir() {
			continue // the folder of waiting text
		}
		path := filepath.Join(dir, file.Name())
		data, err := os.ReadFile(path)
		if err == nil {
			all, err = appendLines(all, data)
		}
		if err != nil {
			return all, fmt.Errorf("read spool %s: %w", path, err)
		}
	}
	return all, nil
}

func appendLines(all []event.Draft, data []byte) ([]event.Draft, error) {
	for n := 1; ; n++ {
		line, rest, whole := bytes.Cut(data, []byte{'\n'})
		if !whole {
			return all, nil
		}
		d, err := event.DecodeDraft(line)
		if err != nil {
			return all, fmt.Errorf("line %d: %w", n, err)
		}
		all, data = append(all, d), rest
	}
}
