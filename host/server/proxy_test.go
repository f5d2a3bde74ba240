package server_test

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"github.com/quirehq/quire/host/server"
)

const publicURL = "https://quire.example.org"

// behindProxy makes the server trust proxies of this machine, and gives it a public URL.
func behindProxy(c *server.Config) {
	c.Public, _ = url.Parse(publicURL)
	c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("10.0.0.0/8")}
}

// throughTLS puts a reverse proxy with TLS in front of a world, and returns what asks the
// world through it from an address.
func throughTLS(t *testing.T, w *world) (from func(address string) *world) {
	t.Helper()
	target, err := url.Parse(w.url)
	if err != nil {
		t.Fatal(err)
	}
	behind := &http.Transport{DisableCompression: true}
	t.Cleanup(behind.CloseIdleConnections)
	proxy := httptest.NewTLSServer(&httputil.ReverseProxy{Transport: behind, Rewrite: func(r *httputil.ProxyRequest) {
		r.Out.Header["X-Forwarded-For"] = r.In.Header["X-Forwarded-For"]
		r.SetURL(target)
		r.SetXForwarded()
		r.Out.Header.Set("X-Forwarded-For", strings.Join(append(r.In.Header.Values("X-Forwarded-For"), r.In.Header.Get("Test-From")), ", "))
		r.Out.Host = r.In.Host
	}})
	t.Cleanup(proxy.Close)
	transport := &http.Transport{TLSClientConfig: proxy.Client().Transport.(*http.Transport).TLSClientConfig, DisableCompression: true}
	t.Cleanup(transport.CloseIdleConnections)
	return func(address string) *world {
		front := *w
		front.url = proxy.URL
		front.http = &http.Client{
			Transport:     asHost{"quire.example.org", address, transport},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		}
		return &front
	}
}

// asHost calls a server by a name that no resolver knows.
type asHost struct {
	host, from string
	next       http.RoundTripper
}

// RoundTrip implements [http.RoundTripper].
func (a asHost) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Host = a.host
	r.Header.Set("Test-From", a.from)
	return a.next.RoundTrip(r)
}

func TestBehindATLSProxyTheServerKnowsThatItIsHTTPS(t *testing.T) {
	w := newWorld(t, behindProxy)
	w.book("b1")
	front := throughTLS(t, w)("203.0.113.7")
	cookie := front.signIn(t)
	if !cookie.Secure || !strings.HasPrefix(cookie.Name, "__Host-") || cookie.Path != "/" || cookie.Domain != "" {
		t.Errorf("got %v, want a cookie of this host over https only", cookie)
	}
	page := front.do(t, request{method: "GET", path: "/", cookie: cookie}).want(t, 200)
	frame := front.do(t, request{method: "GET", path: "/frame/"}).want(t, 200)
	policies := page.header.Get("Content-Security-Policy") + frame.header.Get("Content-Security-Policy") + frame.header.Get("Connection-Allowlist")
	if strings.Contains(policies, "http://") || !strings.Contains(policies, publicURL+"/frame/") || !strings.Contains(policies, publicURL+"/assets/") {
		t.Errorf("got policies %s, want the public URL in them", policies)
	}
	for _, a := range []answer{page, frame, front.do(t, request{method: "GET", path: "/nothing/here"})} {
		if got := a.header.Get("Strict-Transport-Security"); got != "max-age=31536000" {
			t.Errorf("got HSTS %q, want a year", got)
		}
	}
	for origin, want := range map[string]int{publicURL: 201, "http://quire.example.org": 403, "": 403, "https://evil.example": 403, publicURL + ":444": 403} {
		header := map[string]string{}
		if origin != "" {
			header["Origin"] = origin
		}
		a := front.do(t, request{method: "POST", path: "/api/links", cookie: cookie, header: header}).want(t, want)
		if want == 201 && !strings.Contains(a.body, `"`+publicURL+`/login?token=`) {
			t.Errorf("got %s, want a link to the public URL", a.body)
		}
	}
	plain := *cookie
	plain.Name = strings.TrimPrefix(plain.Name, "__Host-")
	front.do(t, request{method: "GET", path: "/api/me", cookie: &plain}).want(t, 401)
}

func TestAProgramOfThisMachineGetsLinksToThePublicURL(t *testing.T) {
	w := newWorld(t, behindProxy)
	a := w.do(t, request{method: "POST", path: "/api/links", token: ownerToken}).want(t, 201)
	if !strings.Contains(a.body, publicURL+"/login?token=") || a.header.Get("Strict-Transport-Security") != "" {
		t.Errorf("got %v %s, want a link to the public URL and no HSTS over http", a.header, a.body)
	}
}

func TestBehindAProxyEachClientIsCountedByItsOwnAddress(t *testing.T) {
	w := newWorld(t, behindProxy, func(c *server.Config) { c.Limits.Requests, c.Limits.Burst = 1e-9, 30 })
	from := throughTLS(t, w)
	wrong := request{method: "POST", path: "/login?token=x"}
	evil := from("203.0.113.7")
	for i := range 25 {
		wrong.header = map[string]string{"X-Forwarded-For": "198.51.100." + string(rune('0'+i%10)), "Forwarded": "for=198.51.100.9"}
		if i%2 == 0 {
			delete(wrong.header, "Forwarded")
		}
		evil.do(t, wrong)
	}
	wrong.header = nil
	from("203.0.113.8").signIn(t)
	if log := w.log.String(); !strings.Contains(log, "from=203.0.113.7") || strings.Contains(log, "from=198.51.100") {
		t.Errorf("got log %s, want the address that the proxy saw", log)
	}
}

func TestAPublicURLIsTheOnlyNameOfItsHost(t *testing.T) {
	w := newWorld(t, behindProxy)
	for host, want := range map[string]int{
		"quire.example.org": 200, "QUIRE.example.org": 200, "quire.example.org:443": 200, "quire.example.org:8642": 421, "quire.example.org:80": 421,
		"www.quire.example.org": 421, "evil.example": 421,
	} {
		w.do(t, request{method: "GET", path: "/api/health", header: map[string]string{"Host": host}}).want(t, want)
		w.do(t, request{method: "GET", path: "/api/health", header: map[string]string{"X-Forwarded-Host": host}}).want(t, want)
	}
	w.do(t, request{method: "GET", path: "/api/health", header: map[string]string{"Host": "evil.example", "X-Forwarded-Host": "quire.example.org"}}).want(t, 421)
}

func TestASocketGoesThroughATLSProxy(t *testing.T) {
	w := newWorld(t, behindProxy)
	w.book("b1")
	front := throughTLS(t, w)("203.0.113.7")
	cookie := front.signIn(t)
	for origin, want := range map[string]int{publicURL: 101, "http://quire.example.org": 403, "https://evil.example": 403} {
		header := socketHeader()
		header["Origin"] = origin
		front.do(t, request{method: "GET", path: "/api/notebooks/b1/sync", cookie: cookie, header: header}).want(t, want)
	}
}
