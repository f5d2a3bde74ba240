package origin

import (
	"crypto/tls"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"
)

func TestOnlyATrustedProxyIsBelieved(t *testing.T) {
	trusted := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("::1/128")}
	for name, c := range map[string]struct {
		peer, tls string
		header    map[string][]string
		want      string
	}{
		"nothing":                     {"192.0.2.1:5", "", nil, "192.0.2.1 http h"},
		"our own TLS":                 {"192.0.2.1:5", "tls", nil, "192.0.2.1 https h"},
		"a stranger that claims":      {"192.0.2.1:5", "", map[string][]string{"X-Forwarded-For": {"1.1.1.1"}, "X-Forwarded-Proto": {"https"}, "X-Forwarded-Host": {"x"}, "Forwarded": {"for=1.1.1.1;proto=https"}}, "192.0.2.1 http h"},
		"a proxy":                     {"10.0.0.1:5", "", map[string][]string{"X-Forwarded-For": {"1.1.1.1"}, "X-Forwarded-Proto": {"https"}, "X-Forwarded-Host": {"x"}}, "1.1.1.1 https x"},
		"a proxy that is mapped":      {"[::ffff:10.0.0.1]:5", "", map[string][]string{"X-Forwarded-For": {"1.1.1.1"}}, "1.1.1.1 http h"},
		"a client that made up more":  {"10.0.0.1:5", "", map[string][]string{"X-Forwarded-For": {"9.9.9.9, 1.1.1.1"}}, "1.1.1.1 http h"},
		"two headers":                 {"10.0.0.1:5", "", map[string][]string{"X-Forwarded-For": {"9.9.9.9", "1.1.1.1"}}, "1.1.1.1 http h"},
		"two proxies":                 {"10.0.0.1:5", "", map[string][]string{"X-Forwarded-For": {"9.9.9.9, 1.1.1.1, 10.2.3.4"}}, "1.1.1.1 http h"},
		"proxies alone":               {"10.0.0.1:5", "", map[string][]string{"X-Forwarded-For": {"10.2.3.4, 10.2.3.5"}}, "10.2.3.4 http h"},
		"rubbish before":              {"10.0.0.1:5", "", map[string][]string{"X-Forwarded-For": {"rubbish, 10.2.3.5"}}, "10.2.3.5 http h"},
		"rubbish":                     {"10.0.0.1:5", "", map[string][]string{"X-Forwarded-For": {"rubbish"}}, "10.0.0.1 http h"},
		"a port":                      {"10.0.0.1:5", "", map[string][]string{"X-Forwarded-For": {"1.1.1.1:99"}}, "1.1.1.1 http h"},
		"RFC 7239":                    {"[::1]:5", "", map[string][]string{"Forwarded": {`for=9.9.9.9, for="[2001:db8::7]:80";Proto=https;host="x:1"`}}, "2001:db8::7 https x:1"},
		"both, of one mind":           {"10.0.0.1:5", "", map[string][]string{"Forwarded": {"for=1.1.1.1;proto=https"}, "X-Forwarded-For": {"1.1.1.1"}}, "1.1.1.1 https h"},
		"one that a client made up":   {"10.0.0.1:5", "", map[string][]string{"Forwarded": {"for=9.9.9.9"}, "X-Forwarded-For": {"1.1.1.1"}, "X-Forwarded-Host": {"x"}}, "10.0.0.1 http h"},
		"a scheme that is none":       {"10.0.0.1:5", "", map[string][]string{"X-Forwarded-Proto": {"javascript"}}, "10.0.0.1 http h"},
		"the last scheme":             {"10.0.0.1:5", "", map[string][]string{"X-Forwarded-Proto": {"https, http"}}, "10.0.0.1 http h"},
		"a hidden client of RFC 7239": {"10.0.0.1:5", "", map[string][]string{"Forwarded": {"for=_hidden;proto=https"}}, "10.0.0.1 https h"},
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Host, r.RemoteAddr, r.Header = "h", c.peer, c.header
		if c.tls != "" {
			r.TLS = new(tls.ConnectionState)
		}
		s := Proxies{Trusted: trusted}.source(r)
		if got := s.from + " " + s.scheme + " " + s.host; got != c.want {
			t.Errorf("%s: got %s, want %s", name, got, c.want)
		}
	}
}
