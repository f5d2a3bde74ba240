//go:build !linux || (!amd64 && !arm64)

package env

import (
	"fmt"
	"os"
)

// filterFile fails: the filter exists for the two architectures on which it was tested.
func filterFile() (*os.File, error) {
	return nil, fmt.Errorf("%w: it needs Linux on amd64 or arm64", ErrNoSandbox)
}
