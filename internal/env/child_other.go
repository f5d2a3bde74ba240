//go:build unix && !linux

package env

// keepDescriptors does nothing.
func keepDescriptors() {}

// isFirstThread does not matter here.
func isFirstThread() bool { return false }

// leaveKeys does nothing: there are none.
func leaveKeys() {}
