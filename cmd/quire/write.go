package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// writeFile puts data into a file, whole or not at all.
func writeFile(path string, data []byte, mode fs.FileMode) error {
	return writeFileWith(path, mode, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// writeFileWith puts what write writes into a file, whole or not at all.
func writeFileWith(path string, mode fs.FileMode, write func(io.Writer) error) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	err = errors.Join(write(tmp), tmp.Chmod(mode), tmp.Sync(), tmp.Close())
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("write %s: %w", path, err), os.Remove(tmp.Name()))
	}
	return nil
}
