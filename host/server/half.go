package server

import (
	"net/http"
	"strings"

	"github.com/quirehq/quire/host/server/origin"
)

// A browser sends a cookie to every port of a host, so that a cookie alone proves only
// that a browser, and not which page of which port, asks. The other half of a sign-in is
// kept by the page in the storage of its origin, which no other port can read, and is
// sent in a header, or where a browser can set none, as a subprotocol of a WebSocket.
const (
	halfHeader   = "Quire-Key"
	halfProtocol = "quire.key."
)

// halfOf returns the half of a sign-in that a request has besides its cookie.
func halfOf(r *http.Request) string {
	if half := r.Header.Get(halfHeader); half != "" || !origin.WantsSocket(r) {
		return half
	}
	for _, header := range r.Header.Values("Sec-Websocket-Protocol") {
		for name := range strings.SplitSeq(header, ",") {
			if half, ok := strings.CutPrefix(strings.TrimSpace(name), halfProtocol); ok {
				return half
			}
		}
	}
	return ""
}
