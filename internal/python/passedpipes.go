//go:build unix

package python

import (
	"os"

	"golang.org/x/sys/unix"
)

// receive returns the pipe ends that the driver has sent before its message.
func (p *process) receive() []*os.File {
	const most = 2
	space := make([]byte, unix.CmsgSpace(4*most))
	_, n, _, _, err := unix.Recvmsg(p.pipes, make([]byte, 1), space, unix.MSG_DONTWAIT)
	if err != nil {
		return nil
	}
	var files []*os.File
	controls, _ := unix.ParseSocketControlMessage(space[:n])
	for i := range controls {
		fds, _ := unix.ParseUnixRights(&controls[i])
		for _, fd := range fds {
			unix.CloseOnExec(fd)
			_ = unix.SetNonblock(fd, true)
			files = append(files, os.NewFile(uintptr(fd), "pipe"))
		}
	}
	return files
}
