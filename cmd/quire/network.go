package main

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
	"strconv"
	"strings"
	"syscall"
	"time"
	"unicode"

	"github.com/spf13/pflag"

	"github.com/quirehq/quire/host/server"
	"github.com/quirehq/quire/host/terminal"
	"github.com/quirehq/quire/internal/listen"
	"github.com/quirehq/quire/internal/ownership"
)

// networkTexts say how browsers come to a server, as it was set.
type networkTexts struct {
	Public        string   // the URL by which browsers call it
	Hosts         []string // further names
	Proxies       []string // addresses of trusted proxies
	ProxyProtocol bool
	Cert, Key     string // files
	Anyone        bool   // other machines may reach the address

	Wrong []string // variables that are neither yes nor no
}

func networkTextsOf(getenv func(string) string) networkTexts {
	t := networkTexts{Public: getenv("QUIRE_PUBLIC_URL"), Cert: getenv("QUIRE_TLS_CERT"), Key: getenv("QUIRE_TLS_KEY")}
	yes := func(variable string) bool {
		text := getenv(variable)
		is, err := strconv.ParseBool(text)
		if err != nil && text != "" {
			t.Wrong = append(t.Wrong, variable)
		}
		return is
	}
	t.ProxyProtocol, t.Anyone = yes("QUIRE_PROXY_PROTOCOL"), yes("QUIRE_EXPOSE_TO_NETWORK")
	t.Proxies, t.Hosts = words(getenv("QUIRE_TRUSTED_PROXIES")), words(getenv("QUIRE_HOSTS"))
	return t
}

// words returns the elements of a list with spaces or commas between them. An address may
// have the colons that separate other lists.
func words(text string) []string {
	if text == "" {
		return nil
	}
	return strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == ',' })
}

func (t *networkTexts) addTo(flags *pflag.FlagSet) {
	boolFlag(flags, &t.Anyone, "expose-to-network", "allow an --addr that other machines can reach, without encryption unless there is --tls-cert (QUIRE_EXPOSE_TO_NETWORK)")
	listFlag(flags, &t.Hosts, "host", "NAME", "a name by which browsers may call the server; may be given again (QUIRE_HOSTS)")
	stringFlag(flags, &t.Public, "public-url", "URL", "how browsers call the server, such as https://quire.example.org behind a proxy (QUIRE_PUBLIC_URL)")
	listFlag(flags, &t.Proxies, "trusted-proxy", "CIDR", "the address of a proxy that is believed whom it forwards; may be given again (QUIRE_TRUSTED_PROXIES)")
	boolFlag(flags, &t.ProxyProtocol, "proxy-protocol", "take headers of the PROXY protocol, version 1 or 2, from trusted proxies (QUIRE_PROXY_PROTOCOL)")
	stringFlag(flags, &t.Cert, "tls-cert", "FILE", "speak TLS with a certificate in PEM, which is read again when it changes (QUIRE_TLS_CERT)")
	stringFlag(flags, &t.Key, "tls-key", "FILE", "the key of the certificate (QUIRE_TLS_KEY)")
}

// network is how browsers come to a server.
type network struct {
	public      *url.URL // nil if it is not told
	proxies     []netip.Prefix
	certificate *listen.Certificate // nil without TLS
}

// parse returns what was set, and notes what is wrong with it.
func (t *networkTexts) parse(wrong *configErrors) network {
	var n network
	for _, variable := range t.Wrong {
		wrong.add(strings.ReplaceAll(strings.ToLower(strings.TrimPrefix(variable, "QUIRE_")), "_", "-"), variable, "want 1 or 0")
	}
	for _, text := range t.Proxies {
		prefix, why := parseProxy(text)
		if why != "" {
			wrong.add("trusted-proxy", "QUIRE_TRUSTED_PROXIES", "%q %s", text, why)
		}
		n.proxies = append(n.proxies, prefix)
	}
	if t.ProxyProtocol && len(t.Proxies) == 0 {
		wrong.add("proxy-protocol", "QUIRE_PROXY_PROTOCOL", "say with --trusted-proxy who may send it: from anybody it would be no proof of an address")
	}
	for _, host := range t.Hosts {
		if strings.ContainsFunc(host, unicode.IsSpace) || strings.ContainsAny(host, "/@") || host == "" {
			wrong.add("host", "QUIRE_HOSTS", "%q is no name of a host: want one such as quire.example.org", host)
		}
	}
	if t.Public != "" {
		n.public = t.parsePublic(wrong)
	}
	switch {
	case t.Cert == "" && t.Key == "":
	case t.Cert == "":
		wrong.add("tls-cert", "QUIRE_TLS_CERT", "there is a key and no certificate")
	case t.Key == "":
		wrong.add("tls-key", "QUIRE_TLS_KEY", "there is a certificate and no key")
	default:
		n.certificate = t.load(wrong)
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
		return prefix, "is everybody, who would then be believed any address"
	}
	return prefix.Masked(), ""
}

func (t *networkTexts) parsePublic(wrong *configErrors) *url.URL {
	fault := func(format string, args ...any) { wrong.add("public-url", "QUIRE_PUBLIC_URL", format, args...) }
	u, err := url.Parse(t.Public)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		fault("%q is no URL: want one such as https://quire.example.org", t.Public)
	case u.User != nil || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "":
		fault("%q has more than a scheme and a host: the server is at the root of its name", t.Public)
	case u.Scheme == "http" && t.Cert != "":
		fault("%q is not what a server with --tls-cert is called: want https", t.Public)
	case u.Scheme == "http" && !t.Anyone && !isLoopback(u.Hostname()):
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

// load reads the certificate. Its key may be read by a group, as systems let servers read
// theirs, and not by all.
func (t *networkTexts) load(wrong *configErrors) *listen.Certificate {
	key, err := filepath.Abs(t.Key)
	if err == nil {
		t.Key = key
	}
	if f := ownership.Way(t.Key); f != nil {
		wrong.add("tls-key", "QUIRE_TLS_KEY", "%v", f)
	}
	if f := ownership.Private(t.Key); f != nil && f.Readable() && f.Mode&0o007 != 0 {
		wrong.add("tls-key", "QUIRE_TLS_KEY", "%s %s: `chmod o-rwx %[1]s`", f.Path, f.What)
	}
	c, err := listen.Load(t.Cert, t.Key, time.Now)
	if err != nil {
		wrong.add("tls-cert", "QUIRE_TLS_CERT", "%v", err)
		return nil
	}
	return c
}

// scheme is how programs of this machine call the server.
func (n network) scheme() string {
	if n.certificate != nil {
		return "https"
	}
	return "http"
}

// digest is what tells the certificate from any other, and nil without one.
func (n network) digest() rawBytes {
	if n.certificate == nil {
		return nil
	}
	return n.certificate.Digest()
}

// listen opens the address.
func (n network) listen(addr string, t networkTexts) (net.Listener, error) {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fail(exitUnavailable, "serve: --addr %s cannot be listened at: %s; choose another with --addr", addr, listenReason(err))
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

// set tells a server how it is reached.
func (n network) set(cfg *server.Config) { cfg.Public, cfg.TrustedProxies = n.public, n.proxies }

// shown is how people call the server, which its programs call by a URL.
func (n network) shown(here string) string {
	if n.public == nil {
		return here
	}
	return n.public.String()
}

// warn says what is likely to be missing.
func (n network) warn(logger *slog.Logger) {
	if n.public != nil && n.public.Scheme == "https" && n.certificate == nil && len(n.proxies) == 0 {
		logger.Warn("no proxy is trusted: all clients count as one address; name the proxy with --trusted-proxy", "publicURL", n.public.String())
	}
}

// lookAtCertificate is how often a server looks whether there is another certificate.
const lookAtCertificate = 10 * time.Second

// hangups returns the signals by which people ask for another certificate to be read. The
// signal ends a server without one, as it ends other commands.
func (n network) hangups() chan os.Signal {
	asked := make(chan os.Signal, 1)
	if n.certificate != nil {
		signal.Reset(syscall.SIGHUP)
		signal.Notify(asked, syscall.SIGHUP)
	}
	return asked
}

// keepCertificate reads the certificate again when its files change, or on SIGHUP, and has
// renewed tell the programs of this machine about another. It returns when ctx ends.
func (n network) keepCertificate(ctx context.Context, asked chan os.Signal, logger *slog.Logger, renewed func() error) {
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
func (n network) renew(always bool, logger *slog.Logger, renewed func() error) {
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
