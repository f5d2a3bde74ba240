package jupyter

import (
	"context"
	"fmt"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"

	"github.com/quirehq/quire/internal/jupyter/zmtp"
)

// dialSocket connects to where a kernel listens. What lies at the path of a socket is
// the kernel's to say, which may be shut in while we are not: a link to a socket that
// is not its own is refused. So what is looked at is held, and it is what is used.
func dialSocket(ctx context.Context, cfg zmtp.Config) (*zmtp.Conn, error) {
	if cfg.Network != "unix" {
		return zmtp.Dial(ctx, cfg)
	}
	name := cfg.Address
	fd, err := unix.Open(name, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	held := os.NewFile(uintptr(fd), name)
	defer held.Close()
	info, err := held.Stat()
	if err != nil {
		return nil, err
	}
	if info.Mode().Type() != fs.ModeSocket {
		return nil, fmt.Errorf("%s is not a socket: %s", name, info.Mode())
	}
	cfg.Address = fmt.Sprintf("/proc/self/fd/%d", fd)
	conn, err := zmtp.Dial(ctx, cfg)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return conn, nil
}
