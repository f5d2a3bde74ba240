// Package datadir has the files of a data directory beside the database: the announcement of the running server and the proof that a
// server is that one, the secret, the lists of sign-ins and tokens, the record of acts, and the settings of notebooks. Files are
// replaced whole and readable by their owner alone; a directory that other users can change is refused. The database, artifacts and
// the files of runtimes are up to other packages.
package datadir

import (
	"io"

	"github.com/quirehq/quire/internal/file"
)

// OpenFile is the name of a page that leads a browser to a link. All users of the machine can read a command line, and a link there
// would sign them in.
const OpenFile = "open.html"

// Write puts data into a file for its owner alone, whole or not at all.
func Write(path string, data []byte) error {
	return file.Write(path, 0o600, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}
