package origin

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"testing"
)

const fuzzPeer = "10.0.0.1"

// FuzzForwardedHeaders wants headers of a stranger to change nothing, and those of a trusted
// proxy nothing but what a proxy can know.
func FuzzForwardedHeaders(f *testing.F) {
	f.Add("203.0.113.7", "https", "quire.example", "", "1.2.3.4")
	f.Add("1.2.3.4, 203.0.113.7:80", "", "", "for=203.0.113.7;proto=https;host=quire.example", "")
	f.Add("", "", "", `for="[2001:db8::1]:4711";proto=http, for=10.0.0.1`, "unknown")
	f.Add("[::ffff:10.0.0.1], fe80::1%eth0", "HTTPS,http", "a,b", "for=_hidden;;=;host", ",")
	p := Proxies{Trusted: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}}
	f.Fuzz(func(t *testing.T, xff, proto, host, forwarded, forged string) {
		request := func(peer, xff string) *http.Request {
			r := &http.Request{Header: http.Header{}, RemoteAddr: peer + ":99", Host: "here"}
			for name, value := range map[string]string{"X-Forwarded-For": xff, "X-Forwarded-Proto": proto, "X-Forwarded-Host": host, "Forwarded": forwarded} {
				if value != "" {
					r.Header.Set(name, value)
				}
			}
			return r
		}
		if got, want := p.source(request("192.0.2.1", xff)), (source{from: "192.0.2.1", scheme: "http", host: "here"}); got != want {
			t.Fatalf("from a stranger: got %+v, want %+v", got, want)
		}
		got := p.source(request(fuzzPeer, xff))
		addr, err := netip.ParseAddr(got.from)
		if err != nil || addr.Zone() != "" || got.scheme != "http" && got.scheme != "https" || got.host == "" || !got.sure {
			t.Fatalf("got %+v, want an address, a scheme and a host", got)
		}
		// A client can write any address before the one that the proxy adds.
		if last, err := netip.ParseAddr(xff); err == nil && last.Zone() == "" && !p.trusts(last.Unmap()) && forwarded == "" {
			if from := p.source(request(fuzzPeer, forged+", "+xff)).from; from != last.Unmap().String() {
				t.Fatalf("with %q before: got from %s, want %s", forged, from, last)
			}
		}
	})
}

// FuzzHostsAndOrigins wants a Host to be let in only if a browser would go to this very
// server with it, and an Origin only if it is that of such a page.
func FuzzHostsAndOrigins(f *testing.F) {
	for _, host := range []string{
		"127.0.0.1:8642", "localhost:8642", "[::1]:8642", "quire.example", "Quire.Example:443", "evil.example", "127.0.0.1", "127.0.0.1:80",
		"127.0.0.1.evil.example:8642", "localhost.:8642", "[::1%25lo]:8642", "127.0.0.1:8642@evil.example", "[::ffff:127.0.0.1]:8642", "0x7f.1:8642", "more.example:99", "",
	} {
		f.Add(host, "http://"+host)
		f.Add(host, "https://"+host)
	}
	f.Add("127.0.0.1:8642", "null")
	f.Add("127.0.0.1:8642", "http://127.0.0.1:8642/")
	f.Add("127.0.0.1:8642", "http://user@127.0.0.1:8642")
	f.Add("127.0.0.1:80", "http://127.0.0.1")
	public := &url.URL{Scheme: "https", Host: "quire.example"}
	h := NewHosts(&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8642}, []string{"More.example"}, public)
	f.Fuzz(func(t *testing.T, host, origin string) {
		if h.allow(host) {
			u, err := url.Parse("http://" + host + "/")
			if err != nil || u.User != nil || u.Path != "/" || u.RawQuery != "" || u.Fragment != "" {
				t.Fatalf("let in %q, which is no host: %v, %v", host, u, err)
			}
			name := strings.ToLower(u.Hostname())
			addr, err := netip.ParseAddr(name)
			local := name == "localhost" || err == nil && addr.IsLoopback()
			if name != "quire.example" && name != "more.example" && (!local || u.Port() != "8642") {
				t.Fatalf("let in %q, which is another server", host)
			}
		}
		if !same(&http.Request{Host: host}, origin) {
			return
		}
		scheme, rest, ok := strings.Cut(origin, "://")
		if !ok || scheme != "http" && scheme != "https" {
			t.Fatalf("took the origin %q, which is of no page", origin)
		}
		port := map[string]string{"http": ":80", "https": ":443"}[scheme]
		if !strings.EqualFold(rest, host) && !strings.EqualFold(rest, host+port) && !strings.EqualFold(rest+port, host) {
			t.Fatalf("took the origin %q for that of %q", origin, host)
		}
	})
}
