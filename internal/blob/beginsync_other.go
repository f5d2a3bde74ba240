//go:build !linux

package blob

import "os"

// beginSync does nothing: there is no way to have the disk begin without a wait.
func beginSync(*os.File, int64, int64) {}
