//go:build !linux

package native

// KeepMemory does nothing on systems on which a process cannot read the memory of others, or that
// cannot prevent it.
func KeepMemory() error { return nil }
