// Package ownership checks whether a path belongs to this user alone: that no other user than root
// can have created its file, can change it or, for a secret, can read it. All folders of the path
// count, since the owner of a folder can replace the entries in it. The caller decides about the
// consequences.
package ownership

import (
	"fmt"
	"io/fs"
)

// Fault is a permission of other users at a path, with the remedy.
type Fault struct {
	Path   string
	What   string      // in words
	Advice string      // a command
	Mode   fs.FileMode // the excess mode if others can only read the file; 0 otherwise
}

// Error implements error.
func (f *Fault) Error() string {
	return fmt.Sprintf("%s %s: look whether all there is yours, then `%s`", f.Path, f.What, f.Advice)
}

// Readable reports whether others can read the file and do no more.
func (f *Fault) Readable() bool { return f.Mode != 0 }
