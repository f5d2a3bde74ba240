//go:build amd64 || arm64

package env

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"sync"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// refusal is a system call that sandboxed programs may not make, and its error, so they can do
// without. ENOSYS is the error of a kernel that does not have the call.
type refusal struct {
	number uint32
	answer unix.Errno
}

// refusedAlways are the system calls that reach past namespaces or into other processes, and large
// and seldom needed parts of the kernel.
var refusedAlways = []refusal{
	// Keys, which belong to the user and not to the sandbox.
	{unix.SYS_ADD_KEY, unix.EPERM},
	{unix.SYS_REQUEST_KEY, unix.EPERM},
	{unix.SYS_KEYCTL, unix.EPERM},
	// Other processes, such as the first of the namespace.
	{unix.SYS_PTRACE, unix.EPERM},
	{unix.SYS_PROCESS_VM_READV, unix.EPERM},
	{unix.SYS_PROCESS_VM_WRITEV, unix.EPERM},
	{unix.SYS_PIDFD_GETFD, unix.EPERM},
	{unix.SYS_KCMP, unix.EPERM},
	{unix.SYS_MIGRATE_PAGES, unix.EPERM},
	{unix.SYS_MOVE_PAGES, unix.EPERM},
	// Namespaces and mounts.
	{unix.SYS_UNSHARE, unix.EPERM},
	{unix.SYS_SETNS, unix.EPERM},
	{unix.SYS_CLONE3, unix.ENOSYS}, // its flags are in memory, which no filter can read
	{unix.SYS_MOUNT, unix.EPERM},
	{unix.SYS_UMOUNT2, unix.EPERM},
	{unix.SYS_PIVOT_ROOT, unix.EPERM},
	{unix.SYS_CHROOT, unix.EPERM},
	{unix.SYS_FSOPEN, unix.EPERM},
	{unix.SYS_FSCONFIG, unix.EPERM},
	{unix.SYS_FSMOUNT, unix.EPERM},
	{unix.SYS_FSPICK, unix.EPERM},
	{unix.SYS_MOVE_MOUNT, unix.EPERM},
	{unix.SYS_OPEN_TREE, unix.EPERM},
	{unix.SYS_MOUNT_SETATTR, unix.EPERM},
	{unix.SYS_OPEN_BY_HANDLE_AT, unix.EPERM},
	{unix.SYS_NAME_TO_HANDLE_AT, unix.EPERM},
	// Large parts of the kernel.
	{unix.SYS_IO_URING_SETUP, unix.ENOSYS},
	{unix.SYS_IO_URING_ENTER, unix.ENOSYS},
	{unix.SYS_IO_URING_REGISTER, unix.ENOSYS},
	{unix.SYS_BPF, unix.EPERM},
	{unix.SYS_PERF_EVENT_OPEN, unix.EPERM},
	{unix.SYS_USERFAULTFD, unix.EPERM},
	{unix.SYS_FANOTIFY_INIT, unix.EPERM},
	{unix.SYS_LOOKUP_DCOOKIE, unix.EPERM},
	{unix.SYS_QUOTACTL, unix.EPERM},
	{unix.SYS_QUOTACTL_FD, unix.EPERM},
	// The machine.
	{unix.SYS_KEXEC_LOAD, unix.EPERM},
	{unix.SYS_KEXEC_FILE_LOAD, unix.EPERM},
	{unix.SYS_REBOOT, unix.EPERM},
	{unix.SYS_INIT_MODULE, unix.EPERM},
	{unix.SYS_FINIT_MODULE, unix.EPERM},
	{unix.SYS_DELETE_MODULE, unix.EPERM},
	{unix.SYS_SWAPON, unix.EPERM},
	{unix.SYS_SWAPOFF, unix.EPERM},
	{unix.SYS_ACCT, unix.EPERM},
	{unix.SYS_SYSLOG, unix.EPERM},
	{unix.SYS_SETTIMEOFDAY, unix.EPERM},
	{unix.SYS_CLOCK_SETTIME, unix.EPERM},
	{unix.SYS_CLOCK_ADJTIME, unix.EPERM},
	{unix.SYS_ADJTIMEX, unix.EPERM},
	{unix.SYS_SETHOSTNAME, unix.EPERM},
	{unix.SYS_SETDOMAINNAME, unix.EPERM},
	{unix.SYS_VHANGUP, unix.EPERM},
	{unix.SYS_NFSSERVCTL, unix.ENOSYS},
}

// newNamespaces are the flags of clone that make a namespace.
const newNamespaces = unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC | unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET

// Offsets in struct seccomp_data. Only the lower half of an argument counts here.
const (
	offNumber = 0
	offArch   = 4
	offArgs   = 16
)

// filter is the seccomp program of a sandbox, encoded. It refuses the system calls of other
// architectures, and those of x32, which have numbers of their own.
var filter = sync.OnceValues(func() ([]byte, error) {
	program := []bpf.Instruction{load(offArch), skipUnless(bpf.JumpEqual, nativeArch, 1), bpf.Jump{Skip: 1}, answer(unix.ENOSYS), load(offNumber)}
	if numbersEnd > 0 {
		program = append(program, skipUnless(bpf.JumpGreaterOrEqual, numbersEnd, 1), answer(unix.ENOSYS))
	}
	for _, r := range append(refusedAlways, refusedHere...) {
		program = append(program, skipUnless(bpf.JumpEqual, r.number, 1), answer(r.answer))
	}
	program = append(program, restrict(unix.SYS_SOCKET, sockets())...)
	program = append(program, restrict(unix.SYS_SOCKETPAIR, allowing(0, unix.EAFNOSUPPORT, unix.AF_UNIX))...)
	program = append(program, restrict(unix.SYS_PERSONALITY, allowing(0, unix.EPERM, 0, 0xffffffff))...) // the default, and the query
	program = append(program, restrict(unix.SYS_IOCTL, denying(1, unix.EPERM, unix.TIOCSTI, unix.TIOCLINUX))...)
	program = append(program, restrict(unix.SYS_CLONE, []bpf.Instruction{
		argument(0), bpf.JumpIf{Cond: bpf.JumpBitsSet, Val: newNamespaces, SkipFalse: 1}, answer(unix.EPERM),
	})...)
	return encode(append(program, allow))
})

// sockets restrict socket families to those that programs use, and netlink to interfaces and
// routes. Families that are shared by all namespaces, such as that of virtual machines, are
// refused.
func sockets() []bpf.Instruction {
	return append(allowing(0, unix.EAFNOSUPPORT, unix.AF_UNIX, unix.AF_INET, unix.AF_INET6, unix.AF_NETLINK),
		argument(0), skipUnless(bpf.JumpEqual, unix.AF_NETLINK, 3),
		argument(2), bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.NETLINK_ROUTE, SkipTrue: 1}, answer(unix.EPROTONOSUPPORT))
}

// restrict applies instructions to one system call. A call that passes them is allowed.
func restrict(number uint32, by []bpf.Instruction) []bpf.Instruction {
	by = append(by, allow)
	return append([]bpf.Instruction{skipUnless(bpf.JumpEqual, number, len(by))}, by...)
}

// allowing refuses all values of an argument but the listed ones.
func allowing(arg uint32, err unix.Errno, values ...uint32) []bpf.Instruction {
	program := []bpf.Instruction{argument(arg)}
	for i, value := range values {
		program = append(program, bpf.JumpIf{Cond: bpf.JumpEqual, Val: value, SkipTrue: uint8(len(values) - i)})
	}
	return append(program, answer(err))
}

// denying refuses the listed values of an argument.
func denying(arg uint32, err unix.Errno, values ...uint32) []bpf.Instruction {
	program := []bpf.Instruction{argument(arg)}
	for _, value := range values {
		program = append(program, skipUnless(bpf.JumpEqual, value, 1), answer(err))
	}
	return program
}

var allow = bpf.RetConstant{Val: unix.SECCOMP_RET_ALLOW}

func answer(err unix.Errno) bpf.Instruction {
	return bpf.RetConstant{Val: unix.SECCOMP_RET_ERRNO | uint32(err)}
}

func load(off uint32) bpf.Instruction { return bpf.LoadAbsolute{Off: off, Size: 4} }

func argument(n uint32) bpf.Instruction { return load(offArgs + 8*n) }

// skipUnless skips some instructions unless a test holds.
func skipUnless(cond bpf.JumpTest, value uint32, skip int) bpf.Instruction {
	return bpf.JumpIf{Cond: cond, Val: value, SkipFalse: uint8(skip)}
}

// encode encodes a program in the kernel's form: both architectures are little-endian.
func encode(program []bpf.Instruction) ([]byte, error) {
	raw, err := bpf.Assemble(program)
	if err != nil {
		return nil, fmt.Errorf("assemble the filter of system calls: %w", err)
	}
	var out bytes.Buffer
	for _, r := range raw {
		if err := binary.Write(&out, binary.LittleEndian, r); err != nil {
			return nil, err
		}
	}
	return out.Bytes(), nil
}

// filterFile returns a file with the filter.
func filterFile() (*os.File, error) {
	program, err := filter()
	if err != nil {
		return nil, err
	}
	fd, err := unix.MemfdCreate("filter", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("keep the filter of system calls: %w", err)
	}
	file := os.NewFile(uintptr(fd), "filter")
	if _, err = file.Write(program); err == nil {
		_, err = file.Seek(0, 0)
	}
	if err != nil {
		_ = file.Close() // it is not needed any more
		return nil, err
	}
	return file, nil
}
