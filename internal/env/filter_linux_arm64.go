package env

import "golang.org/x/sys/unix"

// nativeArch is what the kernel calls the architecture that the filter is for, and
// numbersEnd where the numbers of another begin, 0 if there is none.
const (
	nativeArch = unix.AUDIT_ARCH_AARCH64
	numbersEnd = 0
)

// refusedHere are the system calls that are refused and that only this architecture has.
var refusedHere []refusal
