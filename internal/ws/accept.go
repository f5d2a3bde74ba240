package ws

import (
	"bufio"
	"fmt"
	"net"
	"net/http"

	"github.com/coder/websocket"

	"github.com/quirehq/quire/core/protocol"
)

// Protocol is the subprotocol that is spoken. A browser that names more than one is
// answered with it; to name none is as good.
const Protocol = "quire"

// Accept makes a connection of a request to open a WebSocket. When it returns an
// error it has answered the request. It takes a request from any origin: to look
// at that, and at who asks, is up to the caller.
func Accept(w http.ResponseWriter, r *http.Request, opt Options) (protocol.Conn, error) {
	opt.setDefaults(protocol.MaxMessage)
	h := &hijacker{ResponseWriter: w}
	socket, err := websocket.Accept(h, r, &websocket.AcceptOptions{InsecureSkipVerify: true, Subprotocols: []string{Protocol}})
	if err != nil {
		return nil, fmt.Errorf("accept websocket: %w", err)
	}
	return newConn(socket, h.wire, opt, true), nil
}

// hijacker gives the WebSocket library a wire in place of the server's connection.
type hijacker struct {
	http.ResponseWriter
	wire *wire
}

// Hijack takes the connection from the server.
func (h *hijacker) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	raw, buf, err := http.NewResponseController(h.ResponseWriter).Hijack()
	if err != nil {
		return nil, nil, err
	}
	h.wire = newWire(raw)
	buf.Writer.Reset(h.wire)
	return h.wire, buf, nil
}
