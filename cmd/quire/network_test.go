package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

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
		set  networkTexts
		want string // empty if it is taken
	}{
		"nothing":                      {networkTexts{}, ""},
		"a public URL":                 {networkTexts{Public: "https://quire.example.org"}, ""},
		"one with a port and a slash":  {networkTexts{Public: "https://quire.example.org:8443/"}, ""},
		"one of this machine":          {networkTexts{Public: "http://127.0.0.1:80"}, ""},
		"one in clear":                 {networkTexts{Public: "http://quire.example.org"}, "without encryption"},
		"one in clear that is meant":   {networkTexts{Public: "http://quire.example.org", Anyone: true}, ""},
		"one in clear with TLS":        {networkTexts{Public: "http://127.0.0.1", Cert: cert, Key: key}, "want https"},
		"a path":                       {networkTexts{Public: "https://quire.example.org/quire"}, "more than a scheme and a host"},
		"a user":                       {networkTexts{Public: "https://me@quire.example.org"}, "more than a scheme and a host"},
		"no URL":                       {networkTexts{Public: "quire.example.org"}, "is no URL"},
		"another scheme":               {networkTexts{Public: "ftp://quire.example.org"}, "is no URL"},
		"a proxy":                      {networkTexts{Proxies: []string{"127.0.0.1", "10.0.0.0/8", "::1", "fd00::/8"}, ProxyProtocol: true}, ""},
		"everybody as a proxy":         {networkTexts{Proxies: []string{"0.0.0.0/0"}}, "everybody"},
		"everybody of IPv6":            {networkTexts{Proxies: []string{"::/0"}}, "everybody"},
		"a name as a proxy":            {networkTexts{Proxies: []string{"proxy"}}, "is no address"},
		"the protocol from anybody":    {networkTexts{ProxyProtocol: true}, "--trusted-proxy"},
		"TLS":                          {networkTexts{Cert: cert, Key: key}, ""},
		"a key alone":                  {networkTexts{Key: key}, "no certificate"},
		"a certificate alone":          {networkTexts{Cert: cert}, "no key"},
		"a key for a certificate":      {networkTexts{Cert: key, Key: cert}, "do not go together"},
		"a file without a certificate": {networkTexts{Cert: plain, Key: key}, "there is none in PEM in the file"},
		"no file of a certificate":     {networkTexts{Cert: plain + "x", Key: key}, "no such file"},
		"no name of a host":            {networkTexts{Hosts: []string{"a b"}}, "is no name of a host"},
		"neither yes nor no":           {networkTexts{Wrong: []string{"QUIRE_PROXY_PROTOCOL"}}, "--proxy-protocol or QUIRE_PROXY_PROTOCOL: want 1 or 0"},
	} {
		var wrong configErrors
		c.set.parse(&wrong)
		err := wrong.error("serve")
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
}

func TestNetworkSettingsComeFromTheEnvironmentAndTheFile(t *testing.T) {
	set, err := readConfig([]byte(`{"publicURL": "https://q.example", "hosts": ["a", "b:1"], "trustedProxies": ["::1", "10.0.0.0/8"], "proxyProtocol": true,
		"tlsCert": "c", "tlsKey": "k", "exposeToNetwork": true}`))
	if err != nil {
		t.Fatal(err)
	}
	got := networkTextsOf(func(name string) string { return set[name] })
	if got.Public != "https://q.example" || strings.Join(got.Hosts, "|") != "a|b:1" || strings.Join(got.Proxies, "|") != "::1|10.0.0.0/8" ||
		!got.ProxyProtocol || !got.Anyone || got.Cert != "c" || got.Key != "k" || got.Wrong != nil {
		t.Errorf("got %+v", got)
	}
}
