// Package origin decides from which address and page a request comes, and by which name it
// called the server.
//
// It promises that headers with which a client describes its own request count only if a
// trusted proxy has sent them, that a Host header of another site is refused, and that no
// page of another origin can change anything or open a socket. Credentials are left to others.
package origin

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/host/server/problem"
)

// Hosts are the names by which the server may be called. A page of another site can make its
// own name resolve to the address of the server; a browser then takes both for one origin,
// and only the Host header tells them apart.
type Hosts struct {
	port   string   // of the listener
	public []string // the host of the public URL: as it is written, and with its port
	more   []string // in lower case, with or without a port
}

// NewHosts returns the names of a server: those of the loopback interface with the port of the
// listener, the host of its public URL, if it has one, and more.
func NewHosts(listener net.Addr, more []string, public *url.URL) Hosts {
	h := Hosts{}
	if public != nil {
		h.public = []string{strings.ToLower(public.Host), withPort(public)}
	}
	if tcp, ok := listener.(*net.TCPAddr); ok {
		h.port = tcp.AddrPort().String()
		_, h.port, _ = net.SplitHostPort(h.port)
	}
	for _, name := range more {
		h.more = append(h.more, strings.ToLower(name))
	}
	return h
}

// withPort returns the host of a URL with its port.
func withPort(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return strings.ToLower(net.JoinHostPort(u.Hostname(), port))
}

// CheckHost refuses a request that calls the server by a name that is not one of its own.
func (h Hosts) CheckHost(r *http.Request) error {
	if h.allow(r.Host) && h.allow(sourceOf(r).host) {
		return nil
	}
	return problem.WithStatus(http.StatusMisdirectedRequest, protocol.CodeForbidden,
		"this server is not called by the name in the request; start it with that name as a host to allow it")
}

// allow reports whether a Host header names the server.
func (h Hosts) allow(header string) bool {
	header = strings.ToLower(header)
	host, port := splitHost(header)
	if host == "" {
		return false
	}
	if slices.Contains(h.public, header) || slices.Contains(h.more, header) || slices.Contains(h.more, host) {
		return true
	}
	return port == h.port && loopback(host)
}

// splitHost splits a Host header. Without a port the host is returned unchanged.
func splitHost(header string) (host, port string) {
	host, port, err := net.SplitHostPort(header)
	if err != nil {
		return header, "80"
	}
	return host, port
}

func loopback(host string) bool {
	if host == "localhost" {
		return true
	}
	addr, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil && addr.Zone() == "" && addr.IsLoopback()
}

// CheckPage refuses a request that a page of another site has made a browser send, if it could
// change something or opens a socket.
func CheckPage(r *http.Request) error {
	if safe(r) {
		return nil
	}
	origins := r.Header.Values("Origin")
	for _, origin := range origins {
		if len(origins) > 1 || !same(r, origin) {
			return problem.New(protocol.CodeForbidden, "the request comes from a page of another origin")
		}
	}
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "none", "same-origin":
		return nil
	}
	return problem.New(protocol.CodeForbidden, "the request comes from a page of another site")
}

// CheckCookie refuses a request with a cookie that does not prove to come from a page of this
// server: a browser adds the cookie to requests of other pages on this host as well.
func CheckCookie(r *http.Request) error {
	if safe(r) || r.Header.Get("Origin") != "" {
		return nil
	}
	return problem.New(protocol.CodeForbidden, "a request with a cookie must name its origin")
}

// safe reports whether a request changes nothing and opens no socket.
func safe(r *http.Request) bool {
	return (r.Method == http.MethodGet || r.Method == http.MethodHead) && !WantsSocket(r)
}

// WantsSocket reports whether a request asks for another protocol, such as that of WebSockets.
func WantsSocket(r *http.Request) bool { return r.Header.Get("Upgrade") != "" }

// FromOtherSite reports whether a request follows a link on a page of another site. A browser
// does not send a strict cookie then.
func FromOtherSite(r *http.Request) bool {
	site := r.Header.Get("Sec-Fetch-Site")
	return site == "cross-site" || site == "same-site"
}

// same reports whether an Origin header names the origin that a request came to.
func same(r *http.Request, origin string) bool {
	u, err := url.Parse(origin)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return false
	}
	s := sourceOf(r)
	if u.Host == "" || u.Scheme+"://"+u.Host != origin || s.sure && u.Scheme != s.scheme {
		return false
	}
	return sameHost(u.Scheme, u.Host, s.host)
}

// sameHost reports whether two hosts belong to one origin under a scheme.
func sameHost(scheme, a, b string) bool {
	usual := map[string]string{"http": ":80", "https": ":443"}[scheme]
	return strings.EqualFold(strings.TrimSuffix(a, usual), strings.TrimSuffix(b, usual))
}
