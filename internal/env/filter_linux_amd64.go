package env

import "golang.org/x/sys/unix"

// nativeArch is what the kernel calls the architecture that the filter is for, and
// numbersEnd where the numbers of another begin, 0 if there is none.
const (
	nativeArch = unix.AUDIT_ARCH_X86_64
	numbersEnd = 0x40000000 // of x32
)

// refusedHere are the system calls that are refused and that only this architecture has.
var refusedHere = []refusal{
	{unix.SYS_IOPL, unix.EPERM}, {unix.SYS_IOPERM, unix.EPERM}, {unix.SYS_MODIFY_LDT, unix.EPERM}, {unix.SYS_USELIB, unix.ENOSYS},
}
