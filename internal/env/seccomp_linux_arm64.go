package env

import "golang.org/x/sys/unix"

// nativeArch is the kernel's number of the architecture, and numbersEnd the first system call
// number of another ABI, 0 if there is none.
const (
	nativeArch = unix.AUDIT_ARCH_AARCH64
	numbersEnd = 0
)

// refusedHere are refused system calls that only this architecture has.
var refusedHere []refusal
