//go:build unix && !linux

package env

// closeOnExec does nothing.
func closeOnExec() {}

// isFirstThread does not matter here.
func isFirstThread() bool { return false }

// joinEmptyKeyring does nothing: there are none.
func joinEmptyKeyring() {}
