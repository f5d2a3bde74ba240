package env

import "golang.org/x/sys/unix"

// nativeArch is the kernel's number of the architecture, and numbersEnd the first system call
// number of another ABI, 0 if there is none.
const (
	nativeArch = unix.AUDIT_ARCH_X86_64
	numbersEnd = 0x40000000 // of x32
)

// refusedHere are refused system calls that only this architecture has.
var refusedHere = []refusal{
	{unix.SYS_IOPL, unix.EPERM}, {unix.SYS_IOPERM, unix.EPERM}, {unix.SYS_MODIFY_LDT, unix.EPERM}, {unix.SYS_USELIB, unix.ENOSYS},
}
