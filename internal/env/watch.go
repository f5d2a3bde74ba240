package env

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// lookEvery is how often a folder is looked at where nothing tells of changes.
const lookEvery = 300 * time.Millisecond

// poll is [Primitive.Watch] by looking again and again.
func poll(ctx context.Context, dir string, every time.Duration, ready func(), changed func(Change)) error {
	before, err := look(dir)
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
		now, err := look(dir)
		if err != nil {
			return err
		}
		tellDifference(before, now, changed)
		before = now
	}
}

// glimpse is what tells a file from itself after a change.
type glimpse struct {
	size  int64
	mode  fs.FileMode
	mtime time.Time
}

// look returns what is in a folder.
func look(dir string) (map[string]glimpse, error) {
	if _, err := os.Stat(dir); err != nil {
		return nil, err
	}
	seen := map[string]glimpse{}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return ignoreGone(err)
		}
		info, err := entry.Info()
		if err != nil {
			return ignoreGone(err)
		}
		if name := nameIn(dir, path); name != "." {
			g := glimpse{mode: info.Mode()}
			if !info.IsDir() {
				g.size, g.mtime = info.Size(), info.ModTime()
			}
			seen[name] = g
		}
		return nil
	})
	return seen, err
}

func tellDifference(before, now map[string]glimpse, changed func(Change)) {
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

// nameIn returns the name that a path below a folder has from there.
func nameIn(dir, path string) string {
	name, err := filepath.Rel(dir, path)
	if err != nil {
		return "."
	}
	return filepath.ToSlash(name)
}
