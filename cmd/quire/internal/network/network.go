// Package network has the way from browsers to a server: the public URL, trusted proxies, the certificate, and the listener. It reads
// a certificate again when it changes.
package network

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"
	"unicode"

	"github.com/quirehq/quire/cmd/quire/internal/datadir"
	"github.com/quirehq/quire/cmd/quire/internal/settings"
	"github.com/quirehq/quire/host/server"
	"github.com/quirehq/quire/host/terminal"
	"github.com/quirehq/quire/internal/listen"
	"github.com/quirehq/quire/internal/ownership"
)

// Network is the way from browsers to a server.
type Network struct {
	public      *url.URL // nil if none is set
	proxies     []netip.Prefix
	certificate *listen.Certificate // nil without TLS
}

// Parse returns the network of a configuration, and notes its errors.
func Parse(t *settings.NetworkConfig, wrong *settings.Errors) Network {
	var n Network
	for _, text := range t.Proxies {
		prefix, why := parseProxy(text)
		if why != "" {
			wrong.Add("trusted-proxy", "%q %s", text, why)
		}
		n.proxies = append(n.proxies, prefix)
	}
	if t.ProxyProtocol && len(t.Proxies) == 0 {
		wrong.Add("proxy-protocol", "say with --trusted-proxy which proxies may send it: from any sender it would be no proof of an address")
	}
	for _, host := range t.Hosts {
		if strings.ContainsFunc(host, unicode.IsSpace) || strings.ContainsAny(host, "/@") || host == "" {
			wrong.Add("host", "%q is no name of a host: want one such as quire.example.org", host)
		}
	}
	if t.Public != "" {
		n.public = parsePublic(t, wrong)
	}
	switch {
	case t.Cert == "" && t.Key == "":
	case t.Cert == "":
		wrong.Add("tls-cert", "there is a key and no certificate")
	case t.Key == "":
		wrong.Add("tls-key", "there is a certificate and no key")
	default:
		n.certificate = loadCertificate(t, wrong)
	}
	return n
}

// parseProxy returns the addresses that a text means, or why it means none.
func parseProxy(text string) (netip.Prefix, string) {
	prefix, err := netip.ParsePrefix(text)
	if err != nil {
		addr, err := netip.ParseAddr(text)
		if err != nil {
			return prefix, "is no address: want one such as 127.0.0.1 or 10.0.0.0/8"
		}
		prefix = netip.PrefixFrom(addr.Unmap(), addr.Unmap().BitLen())
	}
	if prefix.Bits() == 0 {
		return prefix, "is every address, and any client could then claim any other"
	}
	return prefix.Masked(), ""
}

func parsePublic(t *settings.NetworkConfig, wrong *settings.Errors) *url.URL {
	fault := func(format string, args ...any) { wrong.Add("public-url", format, args...) }
	u, err := url.Parse(t.Public)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		fault("%q is no URL: want one such as https://quire.example.org", t.Public)
	case u.User != nil || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "":
		fault("%q has more than a scheme and a host: the server is at the root of its name", t.Public)
	case u.Scheme == "http" && t.Cert != "":
		fault("%q is not what a server with --tls-cert is called: want https", t.Public)
	case u.Scheme == "http" && !t.Exposed && !isLoopback(u.Hostname()):
		fault("%q would send sign-ins over the network without encryption: use https, or add --expose-to-network if that is meant", t.Public)
	default:
		return &url.URL{Scheme: u.Scheme, Host: strings.ToLower(u.Host)}
	}
	return nil
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// loadCertificate reads the certificate. Its key may be read by a group, as systems let servers read
// theirs, and not by all.
func loadCertificate(t *settings.NetworkConfig, wrong *settings.Errors) *listen.Certificate {
	key, err := filepath.Abs(t.Key)
	if err == nil {
		t.Key = key
	}
	if f := ownership.Way(t.Key); f != nil {
		wrong.Add("tls-key", "%v", f)
	}
	if f := ownership.Private(t.Key); f != nil && f.Readable() && f.Mode&0o007 != 0 {
		wrong.Add("tls-key", "%s %s: `chmod o-rwx %[1]s`", f.Path, f.What)
	}
	c, err := listen.Load(t.Cert, t.Key, time.Now)
	if err != nil {
		wrong.Add("tls-cert", "%v", err)
		return nil
	}
	return c
}

// Scheme returns the scheme of the URL by which programs of this machine call the server.
func (n Network) Scheme() string {
	if n.certificate != nil {
		return "https"
	}
	return "http"
}

// Digest returns the digest of the certificate, nil without one.
func (n Network) Digest() datadir.Base64 {
	if n.certificate == nil {
		return nil
	}
	return n.certificate.Digest()
}

// Listen opens the address.
func (n Network) Listen(addr string, t settings.NetworkConfig) (net.Listener, error) {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, terminal.Fail(terminal.Unavailable, "serve: --addr %s cannot be listened at: %s; choose another with --addr", addr, listenReason(err))
	}
	c := listen.Config{Certificate: n.certificate}
	if t.ProxyProtocol {
		c.Proxies = n.proxies
	}
	return listen.Wrap(l, c), nil
}

// listenReason says in words why an address cannot be listened at.
func listenReason(err error) string {
	var name *net.DNSError
	switch {
	case errors.As(err, &name):
		return "there is no host " + name.Name
	case errors.Is(err, syscall.EADDRINUSE):
		return "another program listens there"
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		return "it is no address of this machine"
	case errors.Is(err, syscall.EACCES), errors.Is(err, syscall.EPERM):
		return "this user may not listen there, as at ports below 1024"
	}
	return terminal.Bare(err)
}

// Set sets the public URL and the trusted proxies of a server.
func (n Network) Set(cfg *server.Config) { cfg.Public, cfg.TrustedProxies = n.public, n.proxies }

// Shown returns the URL of the server for users. Programs of this machine call it by the given one.
func (n Network) Shown(here string) string {
	if n.public == nil {
		return here
	}
	return n.public.String()
}

// Warn logs a setting that is likely to be missing.
func (n Network) Warn(logger *slog.Logger) {
	if n.public != nil && n.public.Scheme == "https" && n.certificate == nil && len(n.proxies) == 0 {
		logger.Warn("no proxy is trusted: all clients count as one address; name the proxy with --trusted-proxy", "publicURL", n.public.String())
	}
}

// lookAtCertificate is the time between two looks for another certificate.
const lookAtCertificate = 10 * time.Second

// Hangups returns the signals by which users ask for the certificate to be read again. The
// signal ends a server without one, as it ends other commands.
func (n Network) Hangups() chan os.Signal {
	asked := make(chan os.Signal, 1)
	if n.certificate != nil {
		signal.Reset(syscall.SIGHUP)
		signal.Notify(asked, syscall.SIGHUP)
	}
	return asked
}

// KeepCertificate reads the certificate again when its files change, or on SIGHUP, and has
// renewed tell the programs of this machine about another. It returns when ctx ends.
func (n Network) KeepCertificate(ctx context.Context, asked chan os.Signal, logger *slog.Logger, renewed func() error) {
	if n.certificate == nil {
		return
	}
	defer signal.Stop(asked)
	ticker := time.NewTicker(lookAtCertificate)
	defer ticker.Stop()
	for {
		var always bool
		select {
		case <-ctx.Done():
			return
		case <-asked:
			always = true
		case <-ticker.C:
		}
		n.renew(always, logger, renewed)
	}
}

// renew reads the certificate again.
func (n Network) renew(always bool, logger *slog.Logger, renewed func() error) {
	changed, err := n.certificate.Reload(always)
	if err == nil && changed {
		err = renewed()
	}
	switch {
	case err != nil:
		logger.Error("the certificate was not replaced; the one before stays in use", "ends", n.certificate.Ends(), "error", err)
	case changed:
		logger.Info("the certificate was replaced", "ends", n.certificate.Ends())
	}
}

// CheckAddr notes an address that is none, and one that other machines can reach, unless that is meant.
func CheckAddr(c *settings.Config, wrong *settings.Errors) {
	host, port, err := net.SplitHostPort(c.Addr)
	if err != nil {
		wrong.Add("addr", "%q is no address: want a host and a port, such as 127.0.0.1:8642", c.Addr)
		return
	}
	if _, err := net.LookupPort("tcp", port); err != nil {
		wrong.Add("addr", "%q has no port: want a number up to 65535, or 0 for any", c.Addr)
	}
	if !c.Network.Exposed && !isLoopback(host) {
		wrong.Add("addr", "other machines can reach %s: use 127.0.0.1, or add --expose-to-network if that is meant", c.Addr)
	}
}
