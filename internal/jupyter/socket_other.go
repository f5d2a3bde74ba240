//go:build !linux

package jupyter

import (
	"context"

	"github.com/quirehq/quire/internal/jupyter/zmtp"
)

// dialSocket connects to where a kernel listens. It is shut in on Linux only: elsewhere
// it can reach itself what it could lead us to.
func dialSocket(ctx context.Context, cfg zmtp.Config) (*zmtp.Conn, error) { return zmtp.Dial(ctx, cfg) }
