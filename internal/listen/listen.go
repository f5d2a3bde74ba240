// Package listen accepts the connections of a server: through a proxy with the PROXY protocol, with
// TLS, or both. A connection then has the client's address as sent by the proxy, and a certificate
// is reloaded when its files change. The caller decides which proxies are trusted and when to check
// the files.
package listen

import (
	"crypto/tls"
	"net"
	"net/netip"
	"slices"

	"github.com/pires/go-proxyproto"
)

// Config configures the layers between the network and the server. The zero value has none.
type Config struct {
	// Proxies are the addresses that may send a header of the PROXY protocol, version 1 or 2. A
	// connection of theirs without one is their own, such as that of a command on the same machine;
	// from any other address a header is an invalid request.
	Proxies     []netip.Prefix
	Certificate *Certificate // nil for none
}

// Wrap returns a listener with the layers of c.
func Wrap(l net.Listener, c Config) net.Listener {
	if len(c.Proxies) > 0 {
		l = &proxyproto.Listener{Listener: l, ConnPolicy: func(o proxyproto.ConnPolicyOptions) (proxyproto.Policy, error) {
			if within(c.Proxies, o.Upstream) {
				return proxyproto.USE, nil
			}
			return proxyproto.SKIP, nil
		}}
	}
	if c.Certificate != nil {
		l = tls.NewListener(l, c.Certificate.config())
	}
	return l
}

func within(prefixes []netip.Prefix, addr net.Addr) bool {
	tcp, ok := addr.(*net.TCPAddr)
	if !ok {
		return false
	}
	at := tcp.AddrPort().Addr().Unmap().WithZone("")
	return slices.ContainsFunc(prefixes, func(p netip.Prefix) bool { return p.Contains(at) })
}
