//go:build !linux || !(amd64 || arm64)

package confine

// Process confines this process with all of its threads. It cannot be taken back.
func Process() error { return ErrUnsupported }
