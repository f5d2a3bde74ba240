package notebook

import (
	"maps"
	"slices"

	"github.com/quirehq/quire/core/event"
)

// File is a file that is attached to the notebook.
type File struct {
	MIME     string         `json:"mime,omitempty"`
	Artifact event.Artifact `json:"artifact"`
}

// File returns an attached file by its name, and whether there is one.
func (n *Notebook) File(name string) (File, bool) {
	f, ok := n.files[name]
	return f, ok
}

// Files returns the names of the attached files, sorted.
func (n *Notebook) Files() []string { return slices.Sorted(maps.Keys(n.files)) }

// foldFiles folds an event of the family of files.
func (n *Notebook) foldFiles(e *event.Event, dst []Change) (d []Change, known bool, err error) {
	switch p := e.Payload.(type) {
	case *event.FileAttached:
		dst, err = n.fileAttached(p, dst)
	case *event.FileRemoved:
		dst, err = n.fileRemoved(p, dst)
	default:
		return dst, false, nil
	}
	return dst, true, err
}

func (n *Notebook) fileAttached(p *event.FileAttached, dst []Change) ([]Change, error) {
	n.files[p.Name] = File{MIME: p.MIME, Artifact: p.Artifact}
	return changed(dst, TableFiles, p.Name), nil
}

func (n *Notebook) fileRemoved(p *event.FileRemoved, dst []Change) ([]Change, error) {
	if _, ok := n.files[p.Name]; !ok {
		return dst, notFound("file", p.Name)
	}
	delete(n.files, p.Name)
	return changed(dst, TableFiles, p.Name), nil
}
