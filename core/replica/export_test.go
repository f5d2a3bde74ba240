package replica

import (
	"context"

	"github.com/quirehq/quire/core/protocol"
)

// SendOne sends a message on a connection.
func (s *Session) SendOne(ctx context.Context, conn protocol.Conn, msg protocol.ToRoom) error {
	return s.sendOne(ctx, conn, msg)
}
