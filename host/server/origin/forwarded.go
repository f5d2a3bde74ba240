package origin

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// Of returns the origin that a request came to. The check of its host has passed by then.
func Of(r *http.Request) string {
	s := sourceOf(r)
	return s.scheme + "://" + s.host
}

// Secure reports whether a browser sent a request by https, so that its answer may have cookies
// for https alone.
func Secure(r *http.Request) bool { return sourceOf(r).scheme == "https" }

// Address returns the address that a request comes from, without the port.
func Address(r *http.Request) string { return sourceOf(r).from }

// source says how a request came to the server: from which address, and by which origin its
// sender calls the server.
type source struct {
	from   string // the address without a port
	scheme string // http or https
	host   string // the effective Host header
	sure   bool   // the scheme is known: no unknown proxy can have added TLS
}

// sourceKey is the key of the source in the context of a request.
type sourceKey struct{}

// sourceOf returns the source that [Proxies.Resolve] has found, or that of the connection.
func sourceOf(r *http.Request) source {
	if s, ok := r.Context().Value(sourceKey{}).(source); ok {
		return s
	}
	return direct(r)
}

// direct returns the source as the connection has it.
func direct(r *http.Request) source {
	s := source{from: hostPart(r.RemoteAddr), scheme: "http", host: r.Host}
	if r.TLS != nil {
		s.scheme, s.sure = "https", true
	}
	return s
}

func hostPart(addr string) string {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return addr
	}
	return host
}

// Proxies are the programs in front of the server.
type Proxies struct {
	Trusted []netip.Prefix // their addresses
	Public  *url.URL       // by which browsers call the server; nil if not configured
}

// Resolve returns a request of which the functions of this package know the source.
func (p Proxies) Resolve(r *http.Request) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), sourceKey{}, p.source(r)))
}

// PublicOrigin returns the origin for links that a browser opens: that of the public URL, also
// when a program of this machine asks.
func (p Proxies) PublicOrigin(r *http.Request) string {
	if p.Public != nil {
		return p.Public.Scheme + "://" + p.Public.Host
	}
	return Of(r)
}

// source returns how a request came. Its forwarding headers count only if a trusted proxy has
// sent it.
func (p Proxies) source(r *http.Request) source {
	s := direct(r)
	if peer, ok := addressIn(r.RemoteAddr); ok && p.trusts(peer) {
		p.forwarded(r.Header, &s)
	}
	if p.Public == nil {
		return s
	}
	s.sure = true
	if sameHost(p.Public.Scheme, s.host, p.Public.Host) {
		s.scheme = p.Public.Scheme
	}
	return s
}

// forwarded takes over the headers of a proxy. A proxy may pass on a header that the client has
// made up beside the one that it sets itself: where the two differ neither counts.
func (p Proxies) forwarded(h http.Header, s *source) {
	s.sure = true
	client, proto, host := p.client(listed(h.Values("X-Forwarded-For"))), last(h.Values("X-Forwarded-Proto")), last(h.Values("X-Forwarded-Host"))
	elements := forwardedElements(h)
	if len(elements) > 0 {
		var hops []string
		for _, e := range elements {
			hops = append(hops, e["for"])
		}
		own, nearest := p.client(hops), elements[len(elements)-1]
		if h.Get("X-Forwarded-For") != "" && own != client {
			return
		}
		client = own
		if proto == "" {
			proto = nearest["proto"]
		}
		if host == "" {
			host = nearest["host"]
		}
	}
	if client != "" {
		s.from = client
	}
	if proto = strings.ToLower(proto); proto == "http" || proto == "https" {
		s.scheme = proto
	}
	if host != "" {
		s.host = host
	}
}

// client returns the last address of a chain that is not that of a trusted proxy, or the first
// if all are. Addresses before one that cannot be read do not count.
func (p Proxies) client(chain []string) string {
	client := ""
	for _, hop := range slices.Backward(chain) {
		addr, ok := addressIn(hop)
		if !ok {
			break
		}
		client = addr.String()
		if !p.trusts(addr) {
			break
		}
	}
	return client
}

func (p Proxies) trusts(addr netip.Addr) bool {
	return slices.ContainsFunc(p.Trusted, func(prefix netip.Prefix) bool { return prefix.Contains(addr) })
}

// addressIn returns the address in a text such as 192.0.2.1, 192.0.2.1:80 or [2001:db8::1]:80.
func addressIn(text string) (netip.Addr, bool) {
	text = strings.TrimSpace(text)
	addr, err := netip.ParseAddr(strings.Trim(text, "[]"))
	if err != nil {
		both, err := netip.ParseAddrPort(text)
		if err != nil {
			return netip.Addr{}, false
		}
		addr = both.Addr()
	}
	return addr.WithZone("").Unmap(), true
}

// listed returns the elements of headers that have lists.
func listed(values []string) []string {
	var all []string
	for _, value := range values {
		for element := range strings.SplitSeq(value, ",") {
			all = append(all, strings.TrimSpace(element))
		}
	}
	return all
}

func last(values []string) string {
	all := listed(values)
	if len(all) == 0 {
		return ""
	}
	return all[len(all)-1]
}

// forwardedElements returns the pairs of the Forwarded headers of RFC 7239, by hop. The quoted
// values that are used here have no comma or semicolon.
func forwardedElements(h http.Header) []map[string]string {
	var all []map[string]string
	for _, element := range listed(h.Values("Forwarded")) {
		pairs := map[string]string{}
		for pair := range strings.SplitSeq(element, ";") {
			name, value, _ := strings.Cut(strings.TrimSpace(pair), "=")
			pairs[strings.ToLower(name)] = strings.Trim(value, `"`)
		}
		all = append(all, pairs)
	}
	return all
}
