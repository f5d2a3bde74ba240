package confine

import "golang.org/x/sys/unix"

const (
	nativeArch = unix.AUDIT_ARCH_AARCH64
	numbersEnd = 0xffff_ffff // there is one set of numbers
)

// refusedHere are older forms of the calls that are refused.
func refusedHere() []uint32 { return []uint32{unix.SYS_RENAMEAT, unix.SYS_ACCEPT} }
