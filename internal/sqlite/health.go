package sqlite

import (
	"errors"
	"os"
)

// probeBytes is the free space that a healthy database needs: the next commits use up less.
const probeBytes = 64 << 10

// Health returns why nothing can be stored now, as an [*Error], nil if it can. It checks the files
// of the database, and writes a small file to the disk.
func (db *DB) Health() error {
	select {
	case <-db.writer.closing:
		return errClosed
	default:
	}
	err := db.files.check()
	if err == nil {
		err = probe(db.config.Dir)
	}
	if last := db.writer.last.Load(); err == nil && last != nil && (!isFull(*last) || db.config.MaxBytes > 0) {
		err = *last
	}
	return explain(db.config.Dir, err)
}

// probe reports whether a small file can be written.
func probe(dir string) error {
	f, err := os.CreateTemp(dir, ".probe.*")
	if err != nil {
		return err
	}
	_, err = f.Write(make([]byte, probeBytes))
	return errors.Join(err, f.Close(), os.Remove(f.Name()))
}
