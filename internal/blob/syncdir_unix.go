//go:build !windows

package blob

import (
	"errors"
	"os"
)

// syncDir syncs the names in a folder to the disk.
func syncDir(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
