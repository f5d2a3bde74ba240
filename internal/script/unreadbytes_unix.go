//go:build unix && !linux

package script

import "os"

// unread is not supported here.
func unread(*os.File) int { return 0 }
