package native

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/quirehq/quire/core/runtime"
)

// scratchFolder is a folder in the directory of a spool.
const scratchFolder = "text"

// ScratchIn returns a function that creates files for text that waits to become an artifact, in the
// directory of a spool or another of the runtime's own. Like the spool, they survive the end of the
// process that writes them, but not of the machine.
func ScratchIn(dir string) func(runtime.Waiting) (runtime.Scratch, error) {
	return func(w runtime.Waiting) (runtime.Scratch, error) {
		s, err := newScratch(filepath.Join(dir, scratchFolder), w)
		if err != nil {
			return nil, fmt.Errorf("create a file for waiting text: %w", err)
		}
		return s, nil
	}
}

// scratch is such a file, with a second one that names its output.
type scratch struct{ *os.File }

func newScratch(dir string, w runtime.Waiting) (*scratch, error) {
	about, err := json.Marshal(w)
	if err == nil {
		err = os.MkdirAll(dir, 0o700)
	}
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, string(w.Output))
	if err := os.WriteFile(path+".json", about, 0o600); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path+".text", os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	return &scratch{f}, err
}

// Close removes the file.
func (s *scratch) Close() error {
	text := s.Name()
	return errors.Join(s.File.Close(), os.Remove(text), os.Remove(text[:len(text)-len(".text")]+".json"))
}

// Abandoned is text that a dead runtime had not stored.
type Abandoned struct {
	runtime.Waiting
	Path string // of the file that has it
}

// AbandonedIn returns the waiting texts in the directory of a spool, sorted by output. The process
// that wrote them must have ended.
func AbandonedIn(dir string) ([]Abandoned, error) {
	files, err := os.ReadDir(filepath.Join(dir, scratchFolder))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read waiting text: %w", err)
	}
	var all []Abandoned
	for _, file := range files {
		path := filepath.Join(dir, scratchFolder, file.Name())
		if filepath.Ext(path) != ".json" {
			continue
		}
		a := Abandoned{Path: path[:len(path)-len(".json")] + ".text"}
		data, err := os.ReadFile(path)
		if err != nil {
			return all, fmt.Errorf("read waiting text: %w", err)
		}
		// The runtime was killed while it wrote a file that is not whole.
		if info, err := os.Stat(a.Path); json.Unmarshal(data, &a.Waiting) == nil && err == nil && info.Size() > 0 {
			all = append(all, a)
		}
	}
	slices.SortFunc(all, func(x, y Abandoned) int { return compareIDs(string(x.Output), string(y.Output)) })
	return all, nil
}

// compareIDs compares ids of one client, which end with numbers: the shorter one is smaller.
func compareIDs(x, y string) int {
	if len(x) != len(y) {
		return len(x) - len(y)
	}
	switch {
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return 0
}
