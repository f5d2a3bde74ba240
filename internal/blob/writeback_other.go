//go:build !linux

package blob

import "os"

// startWriteback does nothing: writeback cannot be started without a wait here.
func startWriteback(*os.File, int64, int64) {}
