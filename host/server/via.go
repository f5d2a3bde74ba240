package server

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// via is how a request came to the server: from which address, and by which origin its
// sender calls the server.
type via struct {
	from   string // the address without a port
	scheme string // http or https
	host   string // as the Host header is to be understood
	sure   bool   // the scheme is known: no proxy that nothing is known of can have added TLS
}

// viaKey is where the gate leaves it.
type viaKey struct{}

// viaOf returns how a request came. One that has not passed the gate came as it looks.
func viaOf(r *http.Request) via {
	if v, ok := r.Context().Value(viaKey{}).(via); ok {
		return v
	}
	return direct(r)
}

func direct(r *http.Request) via {
	v := via{from: hostPart(r.RemoteAddr), scheme: "http", host: r.Host}
	if r.TLS != nil {
		v.scheme, v.sure = "https", true
	}
	return v
}

// through returns a request that knows how it came.
func (s *Server) through(r *http.Request) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), viaKey{}, s.proxies.via(r)))
}

// proxies are the programs in front of the server.
type proxies struct {
	trusted []netip.Prefix // their addresses
	public  *url.URL       // by which browsers call the server; nil if that is not told
}

// via returns how a request came. What it says of itself counts only if a proxy that is
// trusted has sent it.
func (p proxies) via(r *http.Request) via {
	v := direct(r)
	if peer, ok := addressIn(r.RemoteAddr); ok && p.trusts(peer) {
		p.forwarded(r.Header, &v)
	}
	if p.public == nil {
		return v
	}
	v.sure = true
	if sameHost(p.public.Scheme, v.host, p.public.Host) {
		v.scheme = p.public.Scheme
	}
	return v
}

// forwarded takes over what a proxy says. It may pass on a header that the client has
// made up beside the one that it makes, so that where the two differ neither counts.
func (p proxies) forwarded(h http.Header, v *via) {
	v.sure = true
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
		v.from = client
	}
	if proto = strings.ToLower(proto); proto == "http" || proto == "https" {
		v.scheme = proto
	}
	if host != "" {
		v.host = host
	}
}

// client returns the last address of a chain that is not a proxy's, or the first if
// all are. What stands before an address that cannot be read is not believed.
func (p proxies) client(chain []string) string {
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

func (p proxies) trusts(addr netip.Addr) bool {
	return slices.ContainsFunc(p.trusted, func(prefix netip.Prefix) bool { return prefix.Contains(addr) })
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

// forwardedElements returns what the Forwarded headers of RFC 7239 say, by hop. Values that
// are quoted have no comma or semicolon in anything that is of use here.
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

// sameHost reports whether two hosts are one origin's under a scheme.
func sameHost(scheme, a, b string) bool {
	usual := map[string]string{"http": ":80", "https": ":443"}[scheme]
	return strings.EqualFold(strings.TrimSuffix(a, usual), strings.TrimSuffix(b, usual))
}

func hostPart(addr string) string {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return addr
	}
	return host
}

// secureCookies reports whether a request's answer may have cookies for https alone.
func secureCookies(r *http.Request) bool { return viaOf(r).scheme == "https" }
