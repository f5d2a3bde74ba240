package confine

import "golang.org/x/sys/unix"

const (
	nativeArch = unix.AUDIT_ARCH_X86_64
	numbersEnd = 0x4000_0000 // x32 has those from here on
)

// refusedHere are older forms of the calls that are refused.
func refusedHere() []uint32 {
	return []uint32{
		unix.SYS_OPEN, unix.SYS_CREAT, unix.SYS_READLINK, unix.SYS_UNLINK, unix.SYS_RENAME, unix.SYS_RENAMEAT, unix.SYS_LINK, unix.SYS_SYMLINK,
		unix.SYS_MKDIR, unix.SYS_RMDIR, unix.SYS_MKNOD, unix.SYS_CHMOD, unix.SYS_CHOWN, unix.SYS_LCHOWN, unix.SYS_UTIME, unix.SYS_UTIMES,
		unix.SYS_INOTIFY_INIT, unix.SYS_ACCEPT,
	}
}
