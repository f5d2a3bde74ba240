//go:build unix && !linux

package proc

import "os"

// Unread is not supported here.
func Unread(*os.File) int { return 0 }
