package env

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// pollInterval is the interval of polling where there are no notifications.
const pollInterval = 300 * time.Millisecond

// poll is [Primitive.Watch] by polling.
func poll(ctx context.Context, dir string, every time.Duration, ready func(), changed func(Change)) error {
	before, err := readFolder(dir)
	if err != nil {
		return err
	}
	ready()
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
		now, err := readFolder(dir)
		if err != nil {
			return err
		}
		reportDifference(before, now, changed)
		before = now
	}
}

// attributes are compared to detect a change of a file.
type attributes struct {
	size  int64
	mode  fs.FileMode
	mtime time.Time
}

// readFolder returns the files in a folder.
func readFolder(dir string) (map[string]attributes, error) {
	if _, err := os.Stat(dir); err != nil {
		return nil, err
	}
	seen := map[string]attributes{}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return ignoreGone(err)
		}
		info, err := entry.Info()
		if err != nil {
			return ignoreGone(err)
		}
		if name := nameIn(dir, path); name != "." {
			g := attributes{mode: info.Mode()}
			if !info.IsDir() {
				g.size, g.mtime = info.Size(), info.ModTime()
			}
			seen[name] = g
		}
		return nil
	})
	return seen, err
}

func reportDifference(before, now map[string]attributes, changed func(Change)) {
	for name, g := range now {
		if old, there := before[name]; !there || old != g {
			changed(Change{Name: name})
		}
	}
	for name := range before {
		if _, there := now[name]; !there {
			changed(Change{Name: name, Gone: true})
		}
	}
}

// nameIn returns a path relative to a folder, with slashes.
func nameIn(dir, path string) string {
	name, err := filepath.Rel(dir, path)
	if err != nil {
		return "."
	}
	return filepath.ToSlash(name)
}
