package ws

import (
	"bufio"
	"fmt"
	"net"
	"net/http"

	"github.com/coder/websocket"

	"github.com/quirehq/quire/core/protocol"
)

// Protocol is the subprotocol. A browser that offers several is answered with it; offering none is
// accepted too.
const Protocol = "quire"

// Accept upgrades a request to a WebSocket. When it returns an error it has answered the request.
// It accepts any origin: the caller checks the origin and the user.
func Accept(w http.ResponseWriter, r *http.Request, opt Options) (protocol.Conn, error) {
	opt.setDefaults(protocol.MaxMessage)
	h := &hijacker{ResponseWriter: w}
	socket, err := websocket.Accept(h, r, &websocket.AcceptOptions{InsecureSkipVerify: true, Subprotocols: []string{Protocol}})
	if err != nil {
		return nil, fmt.Errorf("accept websocket: %w", err)
	}
	return newConn(socket, h.wire, opt, true), nil
}

// hijacker wraps the server's connection in a monitoredConn for the WebSocket library.
type hijacker struct {
	http.ResponseWriter
	wire *monitoredConn
}

// Hijack takes over the connection from the server.
func (h *hijacker) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	raw, buf, err := http.NewResponseController(h.ResponseWriter).Hijack()
	if err != nil {
		return nil, nil, err
	}
	h.wire = newMonitoredConn(raw)
	buf.Writer.Reset(h.wire)
	return h.wire, buf, nil
}
