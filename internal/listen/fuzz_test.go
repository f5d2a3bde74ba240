package listen_test

import (
	"bytes"
	"errors"
	"io"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/quirehq/quire/internal/listen"
	"github.com/quirehq/quire/internal/listen/listentest"
)

// arrived is a connection with received bytes, from an address.
type arrived struct {
	net.Conn
	from io.Reader
	at   net.Addr
}

func (a *arrived) Read(p []byte) (int, error)       { return a.from.Read(p) }
func (a *arrived) RemoteAddr() net.Addr             { return a.at }
func (a *arrived) LocalAddr() net.Addr              { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8642} }
func (a *arrived) SetReadDeadline(time.Time) error  { return nil }
func (a *arrived) SetDeadline(time.Time) error      { return nil }
func (a *arrived) SetWriteDeadline(time.Time) error { return nil }
func (a *arrived) Close() error                     { return nil }

// queue is a listener with one connection.
type queue struct{ conns []net.Conn }

func (q *queue) Accept() (net.Conn, error) {
	if len(q.conns) == 0 {
		return nil, net.ErrClosed
	}
	c := q.conns[0]
	q.conns = q.conns[1:]
	return c, nil
}

func (q *queue) Close() error   { return nil }
func (q *queue) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8642} }

// FuzzProxyHeaders has a connection begin with any bytes. From an untrusted address every byte
// belongs to the request, and the address is unchanged; from a proxy the bytes after a header do,
// and an invalid header is the proxy's own request or ends the connection.
func FuzzProxyHeaders(f *testing.F) {
	const request = "GET / HTTP/1.1\r\n\r\n"
	f.Add([]byte("PROXY TCP4 203.0.113.7 192.0.2.1 99 443\r\n" + request))
	f.Add([]byte("PROXY TCP6 2001:db8::1 ::1 99 443\r\n" + request))
	f.Add([]byte("PROXY UNKNOWN\r\n" + request))
	f.Add([]byte("PROXY TCP4 x"))
	f.Add([]byte("\r\n\r\n\x00\r\nQUIT\n\x21\x11\x00\x0c\xcb\x00\x71\x07\xc0\x00\x02\x01\x00\x63\x01\xbb" + request))
	f.Add([]byte("\r\n\r\n\x00\r\nQUIT\n\x20\x00\xff\xff"))
	f.Add([]byte("\r\n\r\n\x00\r\nQUIT\n\x21\x31\x00\x04abcd" + request))
	f.Add([]byte(request))
	f.Fuzz(func(t *testing.T, data []byte) {
		trusted := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
		for from, isProxy := range map[string]bool{"192.0.2.1": false, "10.0.0.1": true} {
			at := &net.TCPAddr{IP: net.ParseIP(from), Port: 99}
			l := listen.Wrap(&queue{conns: []net.Conn{&arrived{from: bytes.NewReader(data), at: at}}}, listen.Config{Proxies: trusted})
			c, err := l.Accept()
			if err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(c)
			if !isProxy {
				if err != nil || !bytes.Equal(got, data) || c.RemoteAddr().String() != at.String() {
					t.Fatalf("from a stranger: got %q from %v (%v), want %q from %v", got, c.RemoteAddr(), err, data, at)
				}
				continue
			}
			if !bytes.HasSuffix(data, got) {
				t.Fatalf("got %q, which is not the end of %q", got, data)
			}
			if len(got) == len(data) && c.RemoteAddr().String() != at.String() {
				t.Fatalf("got the address %v from %q without a header", c.RemoteAddr(), data)
			}
			if tcp, ok := c.RemoteAddr().(*net.TCPAddr); err == nil && ok && tcp.IP == nil {
				t.Fatalf("got the address %v", tcp)
			}
		}
	})
}

// FuzzCertificateFiles has a server reload its certificate with any content in the files: an
// invalid one is refused with the names of the files, and the previous one stays.
func FuzzCertificateFiles(f *testing.F) {
	dir := f.TempDir()
	if err := listentest.Write(dir, 1, time.Hour); err != nil {
		f.Fatal(err)
	}
	cert, key := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	files := [2][]byte{}
	for i, name := range []string{cert, key} {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		files[i] = data
	}
	c, err := listen.Load(cert, key, time.Now)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(files[0], files[1])
	f.Add(files[1], files[0])
	f.Add([]byte("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"), files[1])
	f.Add([]byte(""), []byte("-----BEGIN PRIVATE KEY-----\n"))
	digest := c.Digest()
	f.Fuzz(func(t *testing.T, certData, keyData []byte) {
		if err := errors.Join(os.WriteFile(cert, certData, 0o600), os.WriteFile(key, keyData, 0o600)); err != nil {
			t.Fatal(err)
		}
		changed, err := c.Reload(true)
		if err != nil && (changed || !strings.Contains(err.Error(), cert) && !strings.Contains(err.Error(), key)) {
			t.Fatalf("got %t and %v, want the files to be named", changed, err)
		}
		if err != nil && !bytes.Equal(c.Digest(), digest) {
			t.Fatal("the certificate that was good is gone")
		}
		digest = c.Digest()
		_ = c.Ends()
	})
}
