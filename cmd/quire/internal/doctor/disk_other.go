//go:build !linux

package doctor

// diskOf knows nothing here.
func diskOf(string) (disk, bool) { return disk{}, false }
