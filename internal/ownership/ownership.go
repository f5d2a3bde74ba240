// Package ownership tells whether what lies at a path is this user's alone: that no
// other user than root can have put it there, can change it or, where it is a secret, can
// read it. The whole way to a path counts, since the owner of a folder above it can put
// another in its place. What is done about a fault is the caller's.
package ownership

import (
	"fmt"
	"io/fs"
)

// Fault is what others can do at a path, with the way to end that.
type Fault struct {
	Path   string
	What   string      // in words
	Advice string      // a command
	Mode   fs.FileMode // that others may only read it with, and that can be taken away; 0 otherwise
}

// Error implements error.
func (f *Fault) Error() string {
	return fmt.Sprintf("%s %s: look whether all there is yours, then `%s`", f.Path, f.What, f.Advice)
}

// Readable reports whether others can read what is there and do no more.
func (f *Fault) Readable() bool { return f.Mode != 0 }
