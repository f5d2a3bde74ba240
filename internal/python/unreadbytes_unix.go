//go:build unix && !linux

package python

import "os"

// unread is not supported here.
func unread(*os.File) int { return 0 }
