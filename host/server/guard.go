package server

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/quirehq/quire/core/protocol"
)

// hosts are the names by which the server may be called. A page of another site
// can make its own name point to our address; a browser then takes the two for one
// origin, and only the Host header tells.
type hosts struct {
	port   string   // that we listen on
	public []string // the host of the public URL, without a port if that is the usual one and with it
	more   []string // in lower case, with or without a port
}

func newHosts(addr net.Addr, more []string, public *url.URL) hosts {
	h := hosts{}
	if public != nil {
		h.public = []string{strings.ToLower(public.Host), withPort(public)}
	}
	if tcp, ok := addr.(*net.TCPAddr); ok {
		h.port = tcp.AddrPort().String()
		_, h.port, _ = net.SplitHostPort(h.port)
	}
	for _, name := range more {
		h.more = append(h.more, strings.ToLower(name))
	}
	return h
}

// allow reports whether a Host header names us.
func (h hosts) allow(header string) bool {
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

// withPort returns the host of a URL with its port.
func withPort(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return strings.ToLower(net.JoinHostPort(u.Hostname(), port))
}

// splitHost splits a Host header. Without a port the host comes back as it was.
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

// safe reports whether a request changes nothing and opens no socket.
func safe(r *http.Request) bool {
	return (r.Method == http.MethodGet || r.Method == http.MethodHead) && !wantsSocket(r)
}

func wantsSocket(r *http.Request) bool { return r.Header.Get("Upgrade") != "" }

// sameOrigin reports whether an Origin header is of the pages that we serve.
func sameOrigin(r *http.Request, origin string) bool {
	u, err := url.Parse(origin)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return false
	}
	v := viaOf(r)
	if u.Host == "" || u.Scheme+"://"+u.Host != origin || v.sure && u.Scheme != v.scheme {
		return false
	}
	return sameHost(u.Scheme, u.Host, v.host)
}

// checkSource refuses requests that another site's page made a browser send.
func checkSource(r *http.Request) error {
	if safe(r) {
		return nil
	}
	origins := r.Header.Values("Origin")
	for _, origin := range origins {
		if len(origins) > 1 || !sameOrigin(r, origin) {
			return problem(protocol.CodeForbidden, "the request comes from a page of another origin")
		}
	}
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "none", "same-origin":
		return nil
	}
	return problem(protocol.CodeForbidden, "the request comes from a page of another site")
}

// checkCookie wants proof that our own page made a request that carries a cookie,
// which a browser adds to requests of other pages on this host as well.
func checkCookie(r *http.Request, p principal) error {
	if !p.cookie || safe(r) || r.Header.Get("Origin") != "" {
		return nil
	}
	return problem(protocol.CodeForbidden, "a request with a cookie must name its origin")
}

// secure sets the headers that every answer has. No page may embed, sniff, script
// or read what we answer; a page that needs more says so itself.
func secure(h http.Header) {
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
}
