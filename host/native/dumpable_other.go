//go:build !linux

package native

// KeepMemory does nothing where the system shows no process the memory of others, or cannot
// be told not to.
func KeepMemory() error { return nil }
