package event

import (
	"fmt"
	"strings"
)

// FileAttached says that a file of the notebook has this content. It replaces a file of the same name.
type FileAttached struct {
	Name     string   `json:"name"` // a slash separates folders
	MIME     string   `json:"mime,omitempty"`
	Artifact Artifact `json:"artifact"`
}

// Type returns FileAttached.
func (*FileAttached) Type() Type { return "FileAttached" }

// Check requires a name that stays inside the notebook's folder, and an artifact.
func (e *FileAttached) Check() error {
	return firstError(e.Artifact.Check(), checkFileName(e.Name))
}

// FileRemoved says that a file of the notebook was removed.
type FileRemoved struct {
	Name string `json:"name"`
}

// Type returns FileRemoved.
func (*FileRemoved) Type() Type { return "FileRemoved" }

// Check requires a name.
func (e *FileRemoved) Check() error { return checkFileName(e.Name) }

func checkFileName(name string) error {
	if err := checkText("name", name, 1, MaxFileName); err != nil {
		return err
	}
	if strings.ContainsAny(name, "\\\x00") {
		return fmt.Errorf("name %q has a backslash or a zero byte", name)
	}
	for part := range strings.SplitSeq(name, "/") {
		if part == "" || part == "." || part == ".." {
			return fmt.Errorf("name %q does not stay inside the notebook's folder", name)
		}
	}
	return nil
}
