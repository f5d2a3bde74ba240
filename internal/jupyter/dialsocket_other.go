//go:build !linux

package jupyter

import (
	"context"

	"github.com/quirehq/quire/internal/jupyter/zmtp"
)

// dialSocket connects to a kernel's socket. Sandboxes exist on Linux only: elsewhere a kernel can
// itself reach any socket that it could link to.
func dialSocket(ctx context.Context, cfg zmtp.Config) (*zmtp.Conn, error) { return zmtp.Dial(ctx, cfg) }
