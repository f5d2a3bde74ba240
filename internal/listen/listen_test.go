package listen_test

import (
	"context"
	"crypto/tls"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/pires/go-proxyproto"

	"github.com/quirehq/quire/internal/listen"
	"github.com/quirehq/quire/internal/listen/listentest"
)

// serve answers each request with its client address and protocol.
func serve(t *testing.T, c listen.Config) (address string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, r.RemoteAddr+" "+r.Proto)
	})}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = s.Serve(listen.Wrap(l, c))
	}()
	t.Cleanup(func() {
		_ = s.Close()
		<-done
	})
	return l.Addr().String()
}

// get sends a request over connections of transport. If a server closes with unread data of the
// request, its answer can be lost (RFC 9112, section 9.6), which counts as no answer.
func get(t *testing.T, url string, transport *http.Transport) string {
	t.Helper()
	t.Cleanup(transport.CloseIdleConnections)
	resp, err := (&http.Client{Transport: transport}).Get(url)
	if err != nil {
		return "failed: " + err.Error()
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return resp.Status
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return "failed: " + err.Error()
	}
	return string(body)
}

// saying dials, and begins with a header of the PROXY protocol.
func saying(version byte) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := new(net.Dialer).DialContext(ctx, network, address)
		if err != nil {
			return nil, err
		}
		from, to := &net.TCPAddr{IP: net.IPv4(203, 0, 113, 7), Port: 99}, &net.TCPAddr{IP: net.IPv4(192, 0, 2, 1), Port: 443}
		_, err = proxyproto.HeaderProxyFromAddrs(version, from, to).WriteTo(conn)
		return conn, err
	}
}

func TestATrustedProxySaysFromWhereAConnectionComes(t *testing.T) {
	here, elsewhere := []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
	for _, version := range []byte{1, 2} {
		believing := "http://" + serve(t, listen.Config{Proxies: here})
		if got, want := get(t, believing, &http.Transport{DialContext: saying(version)}), "203.0.113.7:99 HTTP/1.1"; got != want {
			t.Errorf("version %d: got %q, want %q", version, got, want)
		}
		if got := get(t, believing, &http.Transport{}); got[:10] != "127.0.0.1:" {
			t.Errorf("version %d: got %q, want the proxy's own request", version, got)
		}
		for name, proxies := range map[string][]netip.Prefix{"nobody": nil, "others": elsewhere} {
			got := get(t, "http://"+serve(t, listen.Config{Proxies: proxies}), &http.Transport{DialContext: saying(version)})
			if got != "400 Bad Request" && got[:7] != "failed:" {
				t.Errorf("version %d, %s trusted: got %q, want no answer to it", version, name, got)
			}
		}
	}
}

func load(t *testing.T, serial int64) (dir string, c *listen.Certificate) {
	t.Helper()
	dir = t.TempDir()
	if err := listentest.Write(dir, serial, time.Hour); err != nil {
		t.Fatal(err)
	}
	c, err := listen.Load(filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem"), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	return dir, c
}

func TestAServerSpeaksModernTLSAndHTTP2(t *testing.T) {
	_, c := load(t, 1)
	here := []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	address := serve(t, listen.Config{Certificate: c, Proxies: here})
	trusting := func(max uint16) *tls.Config {
		return &tls.Config{InsecureSkipVerify: true, MinVersion: tls.VersionTLS10, MaxVersion: max}
	}
	for max, want := range map[uint16]string{tls.VersionTLS13: "203.0.113.7:99 HTTP/2.0", tls.VersionTLS12: "203.0.113.7:99 HTTP/2.0"} {
		got := get(t, "https://"+address, &http.Transport{TLSClientConfig: trusting(max), ForceAttemptHTTP2: true, DialContext: saying(2)})
		if got != want {
			t.Errorf("up to %s: got %q, want %q", tls.VersionName(max), got, want)
		}
	}
	if got := get(t, "https://"+address, &http.Transport{TLSClientConfig: trusting(tls.VersionTLS11)}); got[:7] != "failed:" {
		t.Errorf("up to TLS 1.1: got %q, want no answer", got)
	}
	if got := get(t, "https://"+address, &http.Transport{TLSClientConfig: listen.Pinned(c.Digest())}); got[len(got)-8:] != "HTTP/1.1" {
		t.Errorf("pinned: got %q, want an answer", got)
	}
	_, other := load(t, 2)
	if got := get(t, "https://"+address, &http.Transport{TLSClientConfig: listen.Pinned(other.Digest())}); got[:7] != "failed:" {
		t.Errorf("with another pinned: got %q, want no answer", got)
	}
}

// serialAt returns the serial number of a server's certificate.
func serialAt(t *testing.T, address string) *big.Int {
	t.Helper()
	conn, err := tls.Dial("tcp", address, &tls.Config{InsecureSkipVerify: true})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	return conn.ConnectionState().PeerCertificates[0].SerialNumber
}

func TestACertificateIsReadAgainAndABadOneIsNot(t *testing.T) {
	dir, c := load(t, 1)
	address := serve(t, listen.Config{Certificate: c})
	reload := func(what string, always, changed, ok bool, want int64) {
		t.Helper()
		got, err := c.Reload(always)
		if got != changed || (err == nil) != ok {
			t.Errorf("%s: got %t and %v, want %t and success %t", what, got, err, changed, ok)
		}
		if serial := serialAt(t, address); serial.Int64() != want {
			t.Errorf("%s: got certificate %v, want %d", what, serial, want)
		}
	}
	reload("nothing new", false, false, true, 1)
	reload("the same, asked for", true, false, true, 1)
	write := func(serial int64, ends time.Duration) {
		if err := listentest.Write(dir, serial, ends); err != nil {
			t.Fatal(err)
		}
		later := time.Now().Add(time.Duration(serial) * time.Minute) // independent of the resolution of file times
		if err := os.Chtimes(filepath.Join(dir, "cert.pem"), later, later); err != nil {
			t.Fatal(err)
		}
	}
	write(2, time.Hour)
	reload("another", false, true, true, 2)
	write(3, -time.Hour)
	reload("one that has ended", false, false, false, 2)
	reload("the same, which was told", false, false, true, 2)
	if err := os.WriteFile(filepath.Join(dir, "key.pem"), []byte("rubbish"), 0o600); err != nil {
		t.Fatal(err)
	}
	reload("a bad key", false, false, false, 2)
	write(4, time.Hour)
	reload("a good one again", false, true, true, 4)
	if err := os.Remove(filepath.Join(dir, "cert.pem")); err != nil {
		t.Fatal(err)
	}
	reload("none", false, false, false, 4)
}
