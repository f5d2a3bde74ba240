//go:build !linux || (!amd64 && !arm64)

package env

import (
	"errors"
	"os"
)

// filterFile fails: there is a filter for the two architectures on which it was tried.
func filterFile() (*os.File, error) {
	return nil, errors.New("a sandbox needs Linux on amd64 or arm64")
}
