package jupyter

import (
	"context"
	"fmt"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"

	"github.com/quirehq/quire/internal/jupyter/zmtp"
)

// dialSocket connects to a kernel's socket. A kernel in a sandbox controls what lies at the path,
// and could put a link to a socket there that it cannot reach itself. So the file is opened without
// following links, checked, and connected to through its descriptor.
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
