package network

import (
	"net/url"
	"strings"
	"testing"

	"github.com/quirehq/quire/cmd/quire/internal/settings"
)

// FuzzNetworkSettings wants no proxy to be every address, and a public URL to be a scheme and a host.
func FuzzNetworkSettings(f *testing.F) {
	for _, seed := range []string{
		"127.0.0.1", "10.0.0.0/8 ::1", "0.0.0.0/0", "::/0", "::ffff:0.0.0.0/96", "fe80::1%lo", "10.1.2.3/8,,", "https://quire.example", "http://localhost:8642/", "https://u:p@h", "https://h?x#y", "ftp://h", "http://[::1]:1", "https://:443", "http://evil.example",
	} {
		f.Add(seed, "https://"+seed)
		f.Add(seed, seed)
	}
	f.Fuzz(func(t *testing.T, proxies, public string) {
		var wrong settings.Errors
		texts := settings.NetworkConfig{Public: public, Proxies: strings.FieldsFunc(proxies, func(r rune) bool { return r == ' ' || r == ',' })}
		n := Parse(&texts, &wrong)
		for i, text := range texts.Proxies {
			if _, why := parseProxy(text); why == "" && (n.proxies[i].Bits() < 1 || n.proxies[i] != n.proxies[i].Masked()) {
				t.Fatalf("%q is taken for %s", text, n.proxies[i])
			}
		}
		if n.public == nil {
			return
		}
		if want := (url.URL{Scheme: n.public.Scheme, Host: n.public.Host}); *n.public != want || n.public.Hostname() == "" || n.public.Scheme == "http" && !isLoopback(n.public.Hostname()) {
			t.Fatalf("%q is taken for %v", public, n.public)
		}
		if again, err := url.Parse(n.public.String()); err != nil || *again != *n.public {
			t.Fatalf("%q is shown as %s, which is %v (%v)", public, n.public, again, err)
		}
	})
}
