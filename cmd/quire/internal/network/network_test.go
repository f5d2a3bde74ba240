package network

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/quirehq/quire/cmd/quire/internal/settings"
	"github.com/quirehq/quire/internal/listen/listentest"
)

func TestNetworkSettingsThatProtectNobodyAreRefused(t *testing.T) {
	dir := t.TempDir()
	if err := listentest.Write(dir, 1, time.Hour); err != nil {
		t.Fatal(err)
	}
	cert, key := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	plain := filepath.Join(dir, "plain")
	if err := os.WriteFile(plain, []byte("no certificate"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		set  settings.NetworkConfig
		want string // empty if it is taken
	}{
		"nothing":                      {settings.NetworkConfig{}, ""},
		"a public URL":                 {settings.NetworkConfig{Public: "https://quire.example.org"}, ""},
		"one with a port and a slash":  {settings.NetworkConfig{Public: "https://quire.example.org:8443/"}, ""},
		"one of this machine":          {settings.NetworkConfig{Public: "http://127.0.0.1:80"}, ""},
		"one in clear":                 {settings.NetworkConfig{Public: "http://quire.example.org"}, "without encryption"},
		"one in clear that is meant":   {settings.NetworkConfig{Public: "http://quire.example.org", Exposed: true}, ""},
		"one in clear with TLS":        {settings.NetworkConfig{Public: "http://127.0.0.1", Cert: cert, Key: key}, "want https"},
		"a path":                       {settings.NetworkConfig{Public: "https://quire.example.org/quire"}, "more than a scheme and a host"},
		"a user":                       {settings.NetworkConfig{Public: "https://me@quire.example.org"}, "more than a scheme and a host"},
		"no URL":                       {settings.NetworkConfig{Public: "quire.example.org"}, "is no URL"},
		"another scheme":               {settings.NetworkConfig{Public: "ftp://quire.example.org"}, "is no URL"},
		"a proxy":                      {settings.NetworkConfig{Proxies: []string{"127.0.0.1", "10.0.0.0/8", "::1", "fd00::/8"}, ProxyProtocol: true}, ""},
		"every address as a proxy":     {settings.NetworkConfig{Proxies: []string{"0.0.0.0/0"}}, "every address"},
		"every address of IPv6":        {settings.NetworkConfig{Proxies: []string{"::/0"}}, "every address"},
		"a name as a proxy":            {settings.NetworkConfig{Proxies: []string{"proxy"}}, "is no address"},
		"the protocol from anybody":    {settings.NetworkConfig{ProxyProtocol: true}, "--trusted-proxy"},
		"TLS":                          {settings.NetworkConfig{Cert: cert, Key: key}, ""},
		"a key alone":                  {settings.NetworkConfig{Key: key}, "no certificate"},
		"a certificate alone":          {settings.NetworkConfig{Cert: cert}, "no key"},
		"a key for a certificate":      {settings.NetworkConfig{Cert: key, Key: cert}, "do not go together"},
		"a file without a certificate": {settings.NetworkConfig{Cert: plain, Key: key}, "the file has no certificate in PEM"},
		"no file of a certificate":     {settings.NetworkConfig{Cert: plain + "x", Key: key}, "no such file"},
		"no name of a host":            {settings.NetworkConfig{Hosts: []string{"a b"}}, "is no name of a host"},
	} {
		var wrong settings.Errors
		Parse(&c.set, &wrong)
		err := wrong.Err(new(settings.Config))
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
}
